/**
 * Requests of CometBFT as calls of the application. Those of consensus run one at a time and in order; a check or a query
 * never ends the engine: what goes wrong with it is a code in its response (ABCI 2.0; CometBFT ends at an exception).
 */

import { isUpgradeError, messageOf } from "../../base/errors/errors.js";
import type { Snapshot } from "../../base/gen/cosmos/store/snapshots/v1/snapshot_pb.js";
import {
  ResponseApplySnapshotChunk_Result as ApplyResult,
  CheckTxType,
  ResponseOfferSnapshot_Result as OfferResult,
  ResponseProcessProposal_ProposalStatus as ProposalStatus,
  type RequestCheckTx,
  type RequestInitChain,
  type RequestLoadSnapshotChunk,
  type RequestQuery,
  ResponseVerifyVoteExtension_VerifyStatus as VerifyStatus,
} from "../../base/gen/tendermint/abci/messages_pb.js";
import { EMPTY } from "../../base/text/bytes.js";
import type { Height } from "../../base/types/types.js";
import type { AppInfo, AppQueryResult, CheckTxKind, EnginePort } from "../../chain/app/engine-port.js";
import type { TxResult } from "../../chain/app/tx/result.js";
import { paramsMessage } from "../../chain/comet-types/params-message.js";
import {
  type Answer,
  blockRequest,
  blockResultMessage,
  type Call,
  queryMessage,
  requireTime,
  snapshotMessage,
  txResultMessage,
  updateMessage,
  updateOf,
} from "./messages.js";

/** The connections of CometBFT: each kind of request comes on one of them. */
export type ConnectionKind = "query" | "snapshot" | "mempool" | "consensus";

const KINDS: Readonly<Record<Call["case"], ConnectionKind | undefined>> = {
  echo: undefined,
  flush: undefined,
  info: "query",
  query: "query",
  listSnapshots: "snapshot",
  offerSnapshot: "snapshot",
  loadSnapshotChunk: "snapshot",
  applySnapshotChunk: "snapshot",
  checkTx: "mempool",
  initChain: "consensus",
  prepareProposal: "consensus",
  processProposal: "consensus",
  extendVote: "consensus",
  verifyVoteExtension: "consensus",
  finalizeBlock: "consensus",
  commit: "consensus",
};

/** The connection that a request belongs to; undefined: any. */
export function kindOf({ case: name }: Call): ConnectionKind | undefined {
  return KINDS[name];
}

/** Calls after which the application, when they fail, goes on in no way. */
export const ENDING: ReadonlySet<Call["case"]> = new Set([
  ...(["initChain", "finalizeBlock", "commit"] as const),
  // Where the disk refuses: nothing that a peer sends makes them fail.
  ...(["offerSnapshot", "applySnapshotChunk"] as const),
]);

/** Codespace and code of what is no fault of the transaction or the query: the Cosmos SDK's internal error. */
const INTERNAL = Object.freeze({ codespace: "sdk", code: 1 });

/**
 * @throws Halt; UpgradeError: of `initChain`, `finalizeBlock`, `commit` and malformed requests. Nothing else throws.
 */
export async function answer(port: EnginePort, call: Call): Promise<Answer> {
  return (await answerBeside(port, call)) ?? answerOfBlocks(port, call as OfBlocks);
}

const proposalVerdict = (isGood: boolean): Answer => ({
  case: "processProposal",
  value: { status: isGood ? ProposalStatus.ACCEPT : ProposalStatus.REJECT },
});

/** What goes on beside blocks: it reads the last commit alone. */
export interface SidePort extends Pick<EnginePort, "checkTx" | "query"> {
  /** Undefined: the application is asked, which has the time. */
  readonly info?: () => AppInfo | undefined;
  /** Undefined: there are none. */
  readonly snapshots?: SnapshotSource;
}

/** Undefined: the call is of those that make blocks. A proposal of no transactions is good in every state. Throws what `info` throws. */
export async function answerBeside(port: SidePort, call: Call): Promise<Answer | undefined> {
  switch (call.case) {
    case "echo":
      return { case: "echo", value: { message: call.value.message } };
    case "flush":
      return { case: "flush", value: {} };
    case "query":
      return { case: "query", value: queryMessage(await query(port, call.value)) };
    case "checkTx":
      return { case: "checkTx", value: txResultMessage(check(port, call.value)) };
    case "info": {
      const info = port.info?.();
      return info && { case: "info", value: infoMessage(info) };
    }
    case "listSnapshots":
      return { case: "listSnapshots", value: { snapshots: port.snapshots ? listSnapshots(port.snapshots) : [] } };
    case "loadSnapshotChunk":
      return { case: "loadSnapshotChunk", value: { chunk: await loadChunk(port.snapshots, call.value) } };
    case "prepareProposal":
      return call.value.txs.length === 0 ? { case: "prepareProposal", value: { txs: [] } } : undefined;
    case "processProposal":
      return call.value.txs.length === 0 ? proposalVerdict(true) : undefined;
    default:
      return undefined;
  }
}

type OfBlocks = Exclude<Call, { case: "echo" | "flush" | "query" | "checkTx" | "listSnapshots" | "loadSnapshotChunk" }>;

function answerOfBlocks(port: EnginePort, call: OfBlocks): Answer {
  switch (call.case) {
    case "info":
      return { case: "info", value: infoMessage(port.info()) };
    case "initChain":
      return { case: "initChain", value: initChain(port, call.value) };
    case "prepareProposal": {
      const { height, txs, maxTxBytes } = call.value;
      return {
        case: "prepareProposal",
        value: { txs: [...port.prepareProposal({ height, txs }, Number(maxTxBytes))] },
      };
    }
    case "processProposal":
      return proposalVerdict(port.processProposal(call.value));
    case "finalizeBlock":
      return { case: "finalizeBlock", value: blockResultMessage(port.finalizeBlock(blockRequest(call.value))) };
    case "commit":
      return { case: "commit", value: { retainHeight: port.commit().retainHeight } };
    case "extendVote":
      return { case: "extendVote", value: {} };
    case "verifyVoteExtension": {
      // Every node of the chain extends votes by nothing.
      const isGood = call.value.voteExtension.length === 0;
      return { case: "verifyVoteExtension", value: { status: isGood ? VerifyStatus.ACCEPT : VerifyStatus.REJECT } };
    }
    // Where a chain is run by itself alone; a node answers these before (state-sync.ts).
    case "offerSnapshot":
      return { case: "offerSnapshot", value: { result: OfferResult.REJECT } };
    case "applySnapshotChunk":
      return { case: "applySnapshotChunk", value: { result: ApplyResult.ABORT } };
  }
}

/** Snapshots of this node, for others. */
interface SnapshotSource {
  /** The newest first. @throws UpgradeError UPG_STORE_IO */
  list(): Iterable<Snapshot>;
  /** Undefined: there is none. @throws UpgradeError UPG_STORE_IO */
  chunk(height: Height, format: number, index: number): Promise<Uint8Array | undefined>;
}

/** Peers are offered so many: CometBFT passes no more on. */
const SNAPSHOTS_LISTED_MAX = 10;

/** A folder that cannot be read has none: the node goes on without it. */
function listSnapshots(source: SnapshotSource) {
  const listed: ReturnType<typeof snapshotMessage>[] = [];
  try {
    for (const snapshot of source.list()) if (listed.push(snapshotMessage(snapshot)) === SNAPSHOTS_LISTED_MAX) break;
  } catch {
    return [];
  }
  return listed;
}

/** A chunk of no bytes is none. */
async function loadChunk(source: SnapshotSource | undefined, { height, format, chunk }: RequestLoadSnapshotChunk) {
  try {
    return (await source?.chunk(height, format, chunk)) ?? EMPTY;
  } catch {
    return EMPTY;
  }
}

function infoMessage({ name, version, appVersion, lastHeight, lastAppHash }: AppInfo) {
  return { data: name, version, appVersion, lastBlockHeight: lastHeight, lastBlockAppHash: lastAppHash };
}

function initChain(port: EnginePort, { chainId, time, initialHeight, validators }: RequestInitChain) {
  const begun = port.initChain({
    ...{ chainId, time: requireTime(time), validators: validators.map(updateOf) },
    // CometBFT's default; it never sends 0 itself.
    initialHeight: initialHeight === 0n ? 1n : initialHeight,
  });
  return {
    validators: begun.validators.map(updateMessage),
    consensusParams: paramsMessage(begun.params),
    appHash: begun.appHash,
  };
}

function check(port: SidePort, { tx, type }: RequestCheckTx): TxResult {
  const kind: CheckTxKind = type === CheckTxType.RECHECK ? "recheck" : "new";
  try {
    return port.checkTx(tx, kind);
  } catch (error) {
    return { ...INTERNAL, data: new Uint8Array(0), log: messageOf(error), gasWanted: 0n, gasUsed: 0n, events: [] };
  }
}

async function query(port: SidePort, { path, data, height, prove }: RequestQuery): Promise<AppQueryResult> {
  try {
    return await port.query({ path, data, height, prove });
  } catch (error) {
    const info = isUpgradeError(error) ? error.code : "UPG_BUG_ASSERT";
    const none = new Uint8Array(0);
    return { ...INTERNAL, log: messageOf(error), info, key: none, value: none, proof: undefined, height: 0n };
  }
}
