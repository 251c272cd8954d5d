/** What CometBFT is started with, where an application, or what holds its connections, starts it. */

/** Flags of the Cosmos SDK's `start` that mean the same to CometBFT, which gets them where it is the engine. */
export const COMET_FLAGS: readonly string[] = [
  ...["consensus.create_empty_blocks", "consensus.create_empty_blocks_interval"],
  ...["consensus.double_sign_check_height", "p2p.external-address", "p2p.laddr", "p2p.persistent_peers", "p2p.pex"],
  ...["p2p.private_peer_ids", "p2p.seed_mode", "p2p.seeds", "p2p.unconditional_peer_ids", "priv_validator_laddr"],
  "rpc.pprof_laddr",
];

/** A setting of `start`, and what gives it: the command line, the environment or app.toml. */
export interface GivenFlag {
  readonly value: string;
  readonly by: "cli" | "env" | "config";
}

/** A setting of `start` by its name without hyphens; undefined: nothing gives it. */
export type Given = (name: string) => GivenFlag | undefined;

/** Of CometBFT, besides those that name the home and the socket: the same for `start`, a relay and the sidecar. */
export function cometArgs(given: Given): string[] {
  const rpc = rpcAddress(given);
  const moniker = given("moniker")?.value;
  return [
    ...(rpc === undefined ? [] : ["--rpc.laddr", rpc]),
    ...(moniker ? ["--moniker", moniker] : []),
    ...COMET_FLAGS.flatMap((name) => {
      const flag = given(name);
      return flag ? [`--${name}=${flag.value}`] : [];
    }),
  ];
}

/** Where the command line or the environment has CometBFT serve its RPC; undefined: where its own settings say. */
export function rpcAddress(given: Given): string | undefined {
  const { value, by } = given("rpc.laddr") ?? {};
  // That of app.toml is of the embedded engine's.
  if (value === undefined || by === "config") return undefined;
  const bare = value.replace(/^(?:tcp|http):\/\//, "").replace(/\/$/, "");
  return `tcp://${bare.startsWith(":") ? `0.0.0.0${bare}` : bare}`;
}
