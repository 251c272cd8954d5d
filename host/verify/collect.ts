/** Collects evidence from a CometBFT RPC: the light blocks that lead to a header, and proofs of the upgrade module's records. */

import { sha256 } from "@noble/hashes/sha2.js";
import { isUpgradeError, UpgradeError } from "../base/errors/errors.js";
import { toBase64 } from "../base/text/bytes.js";
import { lastOf } from "../base/text/checked-index.js";
import { formatTime } from "../base/time/time.js";
import type { DoneUpgrade, Timestamp } from "../base/types/types.js";
import { headerHash } from "../chain/comet-types/header.js";
import type { LightBlock } from "../chain/comet-types/light-block.js";
import { Asking, type AskingOptions, begun } from "./asking.js";
import { FORMAT } from "./evidence.js";
import { expectedDone, expectedKeys, expectedVersions } from "./expected-keys.js";
import { argument, type Form, TIME } from "./form.js";
import { JsonView } from "./json.js";
import { advance, TOOLS, type VerifyTools } from "./light.js";
import { type AskedLightBlock, pathTo } from "./path.js";
import { verifyRange } from "./proofs.js";
import { recordOf } from "./proven-state.js";
import { DONE_RANGE, doneUpgradesOf, PLAN_KEY, receiptKey, UPGRADE, VERSION_RANGE } from "./records.js";
import { RpcCalls } from "./rpc-calls.js";
import type { Ask, Evidence, EvidenceRange, EvidenceState, Json } from "./types.js";

export interface CollectOptions extends AskingOptions, VerifyTools {
  /** The height where the reader's trust begins. Left out: the header of the state, whose hash is then this server's word. */
  readonly rootHeight?: bigint | undefined;
  /** The state to prove; left out: of the last block but one, which the last header proves. */
  readonly height?: bigint | undefined;
  /** Name of the upgrade that is asked about; left out: the one that was applied last. */
  readonly plan?: string | undefined;
  /** Where it is collected, for readers: the server's address. */
  readonly source: string;
  /** The caller's clock. */
  readonly now: Timestamp;
  /** What the server says of the upgrade without proof, to be kept in the document. */
  readonly planStatus?: unknown;
}

const OPTIONS: Form = {
  ...{ rootHeight: "int64?", height: "int64?", plan: "text?", source: "text", now: TIME, planStatus: "any" },
  ...{ sha256: TOOLS.sha256, verifySignature: TOOLS.verifySignature, signal: "any", onProgress: "function?" },
};

/**
 * Evidence of plan, applied upgrades, version map and receipt. Signatures are verified on the way, so that a server that makes
 * headers up is refused at the first one; yet nothing of it is believed: `verifyEvidence` judges it, at
 * once or from a file. It works with any CometBFT chain whose upgrade module is the Cosmos SDK's, or ours.
 *
 * @param ask one call of the RPC; what it throws is passed on
 * @throws UpgradeError UPG_PROOF_*, UPG_INVALID_ARGUMENT, UPG_REMOTE_UNAVAILABLE when `signal` ends it, UPG_REMOTE_REFUSED when the server has no proofs of that height,
 * UPG_INVALID_HEIGHT when there is no header that could prove it
 *
 * @example
 * const ask: Ask = async () => ({ node_info: { network: "example-1" }, sync_info: { latest_block_height: "1" } });
 * const options = { source: "http://127.0.0.1:26657", now: { seconds: 1_700_000_000n, nanos: 0 } };
 * const refused = await collect(ask, options).catch((error: { code: string }) => error.code);
 * console.log(refused); // → UPG_INVALID_HEIGHT
 */
export async function collect(ask: Ask, given: CollectOptions): Promise<Evidence> {
  const options = argument<CollectOptions>(given, OPTIONS, "options");
  const asking = new Asking(argument<Ask>(ask, "function", "ask"), options);
  try {
    return await collected(asking, options);
  } finally {
    asking.end();
  }
}

async function collected(asking: Asking, options: CollectOptions): Promise<Evidence> {
  const calls = new RpcCalls(asking);
  if (options.planStatus !== undefined) asking.keep(options.planStatus as Json);
  const status = await calls.status();
  const height = options.height ?? status.latestHeight - 1n;
  checkHeights(height, status.latestHeight, options);
  const [asked, asRoot] = [calls.lightBlock(height + 1n), calls.lightBlock(options.rootHeight ?? height + 1n)];
  const target = await asked;
  const root = await asRoot;
  // First the way, so that nothing is asked about a header that nobody signed.
  const direct = await lightBlocks(calls, [root, target], options);
  const { state, applied, versions } = await stateAt(calls, target, options.plan);
  const header = await headerOf(calls, root, applied, target);
  const before = header && (await stateBefore(calls, header, versions));
  const path = header ? await lightBlocks(calls, [root, header, target], options) : direct;
  return {
    format: FORMAT,
    chain_id: status.chainId,
    source: options.source,
    collected_at: formatTime(options.now),
    root: rootOf(root),
    light_blocks: path.map(({ json }) => json),
    ...state,
    ...(options.plan === undefined ? {} : { plan: options.plan }),
    ...(before ? { before } : {}),
    unproven: {
      status: status.json,
      ...(options.planStatus === undefined ? {} : { plan_status: options.planStatus as Json }),
    },
  };
}

function checkHeights(height: bigint, latest: bigint, { rootHeight }: CollectOptions): void {
  if (height < 1n || height >= latest) {
    const words = `no header proves the state after block ${height} yet: the server's last block is ${latest}`;
    throw new UpgradeError("UPG_INVALID_HEIGHT", words);
  }
  if (rootHeight !== undefined && (rootHeight < 1n || rootHeight > height + 1n)) {
    const words = `trust cannot begin at block ${rootHeight}: block ${height + 1n} proves the state, and trust goes forward`;
    throw new UpgradeError("UPG_INVALID_HEIGHT", words);
  }
}

const heightOf = ({ lightBlock }: AskedLightBlock) => lightBlock.signedHeader.header.height;
const appHashOf = ({ lightBlock }: AskedLightBlock) => lightBlock.signedHeader.header.appHash;

const rootOf = ({ lightBlock: { signedHeader } }: AskedLightBlock): Evidence["root"] => ({
  height: String(signedHeader.header.height),
  hash: toBase64(headerHash(sha256, signedHeader.header)),
});

async function stateAt(calls: RpcCalls, target: AskedLightBlock, plan: string | undefined) {
  const at = { height: heightOf(target) - 1n, appHash: appHashOf(target) };
  const asked = begun(calls.record(UPGRADE, PLAN_KEY, at.height));
  const walkDone = begun(calls.range(UPGRADE, DONE_RANGE, at, expectedDone(calls, at.height)));
  const walkVersions = begun(calls.range(UPGRADE, VERSION_RANGE, at, expectedVersions(calls, at.height)));
  const scheduled = await asked;
  const done = await walkDone;
  const upgrades = doneIn(done, at.appHash);
  const applied = plan === undefined ? lastOf(upgrades) : upgrades.find(({ name }) => name === plan);
  const receipt = applied && begun(calls.record(UPGRADE, receiptKey(applied.name), at.height));
  const versions = await walkVersions;
  const records = receipt ? [scheduled, await receipt] : [scheduled];
  const state: EvidenceState = { height: String(at.height), records, ranges: [done, versions] };
  return { state, applied, versions };
}

function doneIn({ store, records }: EvidenceRange, appHash: Uint8Array): readonly DoneUpgrade[] {
  const proven = records.map((record) => recordOf(new JsonView(record, "abci_query")));
  return doneUpgradesOf(verifyRange({ appHash, store, ...DONE_RANGE, records: proven })) ?? [];
}

/** Header of the upgrade's block, where trust can go through that block: to run the upgrade again takes it, whatever state is left. */
async function headerOf(
  calls: RpcCalls,
  root: AskedLightBlock,
  applied: DoneUpgrade | undefined,
  target: AskedLightBlock,
): Promise<AskedLightBlock | undefined> {
  const isOnTheWay =
    applied && applied.height > 1n && applied.height >= heightOf(root) && applied.height <= heightOf(target);
  return isOnTheWay ? orAbsent(() => calls.lightBlock(applied.height)) : undefined;
}

/** Plan and versions before the block of this header, where the server still has that state. Most modules were there before. */
function stateBefore(
  calls: RpcCalls,
  header: AskedLightBlock,
  versions: EvidenceRange,
): Promise<EvidenceState | undefined> {
  const at = { height: heightOf(header) - 1n, appHash: appHashOf(header) };
  return orAbsent(async () => {
    const records = [await calls.record(UPGRADE, PLAN_KEY, at.height)];
    const ranges = [await calls.range(UPGRADE, VERSION_RANGE, at, expectedKeys(versions))];
    return { height: String(at.height), records, ranges };
  });
}

/** Undefined: the server has pruned it, or has no proofs of it. */
async function orAbsent<T>(asked: () => Promise<T>): Promise<T | undefined> {
  try {
    return await asked();
  } catch (error) {
    if (isUpgradeError(error)) return undefined;
    throw error;
  }
}

/** Whether a block is too old is for the reader of the evidence. */
const ANY_TIME = { trustingPeriod: 1n << 40n, maxClockDrift: 1n << 40n };

/** Over all of these, ascending, with those in between that trust needs. */
async function lightBlocks(
  calls: RpcCalls,
  over: readonly AskedLightBlock[],
  { now, sha256, verifySignature }: CollectOptions,
): Promise<AskedLightBlock[]> {
  const verify = (from: LightBlock, next: LightBlock) =>
    advance(from, next, { now, ...ANY_TIME, sha256, verifySignature });
  const ask = (height: bigint) => calls.lightBlock(height);
  const [path, rest] = [over.slice(0, 1), over.slice(1)];
  for (const next of rest) {
    const from = lastOf(path) as AskedLightBlock;
    if (heightOf(next) > heightOf(from)) path.push(...(await pathTo(from, next, { ask, verify })));
  }
  return path;
}
