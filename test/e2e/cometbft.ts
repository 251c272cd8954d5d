/** Stock CometBFT for tests: the program, a home whose first blocks schedule an upgrade, and what its RPC says. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { formatTime } from "../../host/base/time/time.js";
import { portsFor } from "../../host/cli/localnet/ports.js";
import { findComet } from "../../host/node/comet/engine/binary.js";
import { consensusKey } from "../../host/node/home/consensus-key.js";
import { encodeAddress } from "../addresses.js";
import { genesisDocument } from "../scenario/genesis-text.js";
import { memberGenesis } from "../scenario/members.js";
import { GOV_ADDRESS } from "../scenario/wallet.js";

const VERSION = "v0.38.25";
const FOLDER = join(tmpdir(), `chain-upgrade-cometbft-${VERSION}`);

/** COMETBFT_BIN, PATH, or built here once, which takes Go and its module proxy; undefined: there is none. */
export function cometbft(): string | undefined {
  try {
    return findComet(undefined, process.env).path;
  } catch {
    return built("cmd/cometbft");
  }
}

/** CometBFT's program that serves its own applications; undefined: it cannot be built. */
export function abciCli(): string | undefined {
  return built("abci/cmd/abci-cli");
}

/** @param path of a program in CometBFT's module */
function built(path: string): string | undefined {
  const program = join(FOLDER, basename(path));
  if (existsSync(program)) return program;
  try {
    const env = { ...process.env, GOBIN: FOLDER, CGO_ENABLED: "0", GOFLAGS: "-mod=mod" };
    execFileSync("go", ["install", `github.com/cometbft/cometbft/${path}@${VERSION}`], { env, stdio: "pipe" });
    return program;
  } catch {
    return undefined;
  }
}

/** The key that `makeHome` writes. */
export const OWN_KEY = consensusKey(new Uint8Array(32).fill(1)).publicKey.bytes;

/**
 * A chain of this validator, in whose first blocks a vote ends that schedules the plan.
 *
 * @param age seconds since the chain began
 */
export function votedGenesis(plan: { readonly name: string; readonly height: number }, age = 10): string {
  const begun = BigInt(Math.floor(Date.now() / 1_000) - age);
  const time = (seconds: bigint) => formatTime({ seconds, nanos: 0 });
  const document = memberGenesis(genesisDocument(), [{ key: OWN_KEY, tokens: 10_000_000n }]);
  const state = document["app_state"] as Record<string, Record<string, unknown>>;
  const message = { "@type": "/cosmos.upgrade.v1beta1.MsgSoftwareUpgrade", authority: GOV_ADDRESS };
  const [proposal] = (state["gov"]?.["proposals"] ?? []) as Record<string, unknown>[];
  const gov = {
    ...state["gov"],
    proposals: [
      {
        ...proposal,
        messages: [{ ...message, plan: { name: plan.name, height: String(plan.height), info: "" } }],
        voting_start_time: time(begun - 10n),
        voting_end_time: time(begun + 1n),
      },
    ],
    votes: [
      {
        proposal_id: "1",
        voter: encodeAddress(OWN_KEY.slice(0, 20)),
        options: [{ option: "VOTE_OPTION_YES", weight: "1.0" }],
      },
    ],
  };
  return JSON.stringify({ ...document, genesis_time: time(begun), app_state: { ...state, gov } });
}

/** Ports that were free a moment ago. */
export async function freePorts(count: number): Promise<number[]> {
  const nodes = await portsFor(Math.ceil(count / 4), undefined);
  return nodes.flatMap(({ p2p, rpc, api, grpc }) => [p2p, rpc, api, grpc]).slice(0, count);
}

/** Settings of CometBFT in a home: ten blocks a second, an RPC of its own, no peers. */
/** @param commit time between blocks */
export function quickComet(home: string, rpc: number, p2p: number, commit = "100ms"): void {
  mkdirSync(join(home, "config"), { recursive: true });
  const text = `[rpc]
laddr = "tcp://127.0.0.1:${rpc}"
[p2p]
laddr = "tcp://127.0.0.1:${p2p}"
addr_book_strict = false
allow_duplicate_ip = true
[consensus]
timeout_commit = "${commit}"
`;
  writeFileSync(join(home, "config/config.toml"), text);
}

const RPC_MILLIS_MAX = 10_000;

export async function rpc(port: number, path: string): Promise<Record<string, unknown> | undefined> {
  try {
    // One that hangs must not keep a test from seeing that its time is over.
    const response = await fetch(`http://127.0.0.1:${port}/${path}`, { signal: AbortSignal.timeout(RPC_MILLIS_MAX) });
    return ((await response.json()) as { result?: Record<string, unknown> }).result;
  } catch {
    return undefined;
  }
}

/** Height of CometBFT's last block; 0: it does not answer. */
export async function heightOf(port: number): Promise<number> {
  const status = (await rpc(port, "status")) as { sync_info?: { latest_block_height?: string } } | undefined;
  return Number(status?.sync_info?.latest_block_height ?? 0);
}
