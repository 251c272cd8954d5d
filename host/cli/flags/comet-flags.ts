/** The flags of `start` that say who decides blocks, and what they lead to. */

import { join } from "node:path";
import { type Command, Option } from "commander";
import { messageOf, UpgradeError } from "../../base/errors/errors.js";
import { rootOf } from "../../base/terminal/cobra.js";
import { configValue, readConfig } from "../../base/terminal/config-file.js";
import { parseCount } from "../../base/terminal/options.js";
import { envName } from "../../base/terminal/settings.js";
import { envPrefix } from "../../base/text/program-text.js";
import type { EngineName } from "../../chain/app/engine-port.js";
import { type AbciAddress, parseAbciAddress } from "../../node/comet/address.js";
import { findComet } from "../../node/comet/engine/binary.js";
import { rpcAddress } from "../../node/comet/engine/flags.js";
import type { Home } from "../../node/home/home.js";
import { httpUrl } from "../../node/remote/client.js";
import { givenOf } from "./sdk-flags.js";

export interface CometFlags {
  readonly engine: EngineName;
  readonly withComet: boolean;
  readonly transport: string;
  readonly address?: string;
  readonly "comet.bin"?: string;
  readonly "comet.rpc"?: string;
  readonly "stateSync.snapshotInterval": number;
  readonly "stateSync.snapshotKeepRecent": number;
}

/** Where the Cosmos SDK's nodes serve ABCI, and where CometBFT looks for it. */
const ADDRESS_DEFAULT = "tcp://127.0.0.1:26658";
/** Where CometBFT serves its RPC when nothing is set. */
const RPC_DEFAULT = "tcp://127.0.0.1:26657";

export function addCometFlags(command: Command): Command {
  return command
    .addOption(
      new Option(
        "--engine <engine>",
        "who decides blocks: embedded, this program alone; cometbft, stock CometBFT 0.38, which it starts",
      )
        .choices(["embedded", "cometbft"])
        .default("embedded"),
    )
    .option("--comet.bin <file>", "the cometbft program (default: COMETBFT_BIN, else cometbft of PATH)")
    .option(
      "--comet.rpc <address>",
      "CometBFT's RPC, which REST and gRPC ask for blocks and transactions (default: rpc.laddr of config.toml)",
    )
    .addOption(
      new Option(
        "--with-comet",
        "start CometBFT too (--with-comet=false: only serve ABCI, to a CometBFT that is started elsewhere)",
      ).default(true),
    )
    .addOption(
      new Option(
        "--state-sync.snapshot-interval <blocks>",
        "take a snapshot each so many blocks, for nodes that join; 0: none",
      )
        .argParser(parseCount)
        .default(0, "0"),
    )
    .addOption(
      new Option("--state-sync.snapshot-keep-recent <n>", "snapshots to keep; 0: all")
        .argParser(parseCount)
        .default(2, "2"),
    )
    .addOption(new Option("--transport <transport>", "of ABCI").choices(["socket"]).default("socket"))
    .option(
      "--address <address>",
      `where to serve ABCI: unix:///path or tcp://host:port (default: a unix socket in the home; ${ADDRESS_DEFAULT} with --with-comet=false)`,
    );
}

/** Flags of the embedded engine, and where CometBFT has the same. */
const EMBEDDED_FLAGS: readonly (readonly [attribute: string, flag: string, instead: string])[] = [
  ["blockTime", "--block-time", "set consensus.timeout_commit in config.toml"],
  ["createEmptyBlocks", "--create-empty-blocks", "use --consensus.create_empty_blocks, or config.toml"],
  ["logicalClock", "--logical-clock", "CometBFT's validators give the time"],
  ["maxBlocks", "--max-blocks", "--halt-height ends a node at a height"],
  ["rpc.enable", "--rpc.enable", "the RPC is CometBFT's: set rpc.laddr in config.toml"],
];

/** What to warn about where CometBFT is the engine: flags that were given on the command line for the other one. */
export function embeddedFlagWarnings(self: Command): string[] {
  return EMBEDDED_FLAGS.flatMap(([attribute, flag, instead]) =>
    self.getOptionValueSource(attribute) === "cli" ? [`${flag} has no effect with CometBFT: ${instead}`] : [],
  );
}

/** What a relay's worker warns about: app.toml is that of every program which the relay starts. */
export function relayWarnings(self: Command): string[] {
  if (self.getOptionValueSource("appVersion") !== "config") return [];
  const variable = envName("app-version", envPrefix(rootOf(self).name()));
  return [
    `app-version in app.toml holds for every program of the relay, and the next one would take itself for the old one: ` +
      `remove it, and set ${variable} in the script that starts the old program`,
  ];
}

/** CometBFT as the engine. */
export interface CometChoice {
  readonly address: AbciAddress;
  /** The program that is started; undefined: CometBFT is started elsewhere. */
  readonly program: string | undefined;
  /** Its RPC. */
  readonly rpc: string;
}

/** The flags of CometBFT's engine that say nothing to the embedded one: nodes that join have nobody to ask there. */
export function cometFlagWarnings(self: Command): string[] {
  const isAsked = Number(self.getOptionValue("stateSync.snapshotInterval")) > 0;
  const what = "state-sync.snapshot-interval has no effect with the embedded engine: snapshots are for nodes that join";
  return isAsked ? [what] : [];
}

/** Undefined: the embedded engine. @throws UpgradeError UPG_INVALID_CONFIG */
export function chosenComet(flags: CometFlags, home: Home, self: Command): CometChoice | undefined {
  const { engine, withComet } = flags;
  if (!withComet && engine === "embedded" && self.getOptionValueSource("engine") !== "default") {
    throw new UpgradeError("UPG_INVALID_CONFIG", "--engine embedded makes blocks itself: leave out --with-comet=false");
  }
  if (engine === "embedded" && withComet) {
    for (const name of ["address", "comet.bin", "comet.rpc"]) {
      if (self.getOptionValueSource(name) !== "cli") continue;
      throw new UpgradeError(
        "UPG_INVALID_CONFIG",
        `--${name} is of CometBFT: give --engine cometbft, or --with-comet=false, with it`,
      );
    }
    return undefined;
  }
  const rpc = rpcOf(flags, home, self);
  if (!withComet) return { address: parseAbciAddress(flags.address ?? ADDRESS_DEFAULT), program: undefined, rpc };
  const { path } = findComet(flags["comet.bin"], process.env);
  const address = parseAbciAddress(flags.address ?? `unix://${join(home.path, "abci.sock")}`);
  return { address, program: path, rpc };
}

/** What is given, or where CometBFT is to listen by its flag or its own settings. @throws UpgradeError UPG_INVALID_CONFIG */
function rpcOf({ "comet.rpc": given }: CometFlags, home: Home, self: Command): string {
  const flag = rpcAddress(givenOf(self));
  const where = flag === undefined ? "rpc.laddr of config.toml" : "--rpc.laddr";
  const listens = flag ?? configValue(readConfig(home.path, "config"), "rpc.laddr", "text");
  // It may listen at several; at all addresses of the machine it is asked at this machine's own.
  const [first = ""] = (listens ?? "").split(",");
  const own = (first.trim() || RPC_DEFAULT).replace(/\/\/(0\.0\.0\.0|\[::\])?:/, "//127.0.0.1:");
  if (given === undefined && /:0+$/.test(own)) {
    const what = "CometBFT serves the RPC, and nobody learns which port it takes: name one";
    throw new UpgradeError("UPG_INVALID_CONFIG", `${where}: ${what}`);
  }
  const address = given ?? own;
  try {
    httpUrl(address);
  } catch (cause) {
    const what = given === undefined ? where : "--comet.rpc";
    throw new UpgradeError("UPG_INVALID_CONFIG", `${what}: ${messageOf(cause)}; --comet.rpc names CometBFT's RPC`, {
      cause,
    });
  }
  return address;
}
