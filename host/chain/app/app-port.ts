/** The application of a chain as an engine calls it (engine-port.ts). */

import { UpgradeError } from "../../base/errors/errors.js";
import { VERSION } from "../../base/terminal/version.js";
import { equalBytes } from "../../base/text/bytes.js";
import { itemAt } from "../../base/text/checked-index.js";
import { formatTime } from "../../base/time/time.js";
import { type RecordChange, RecordChanges } from "../../state/store/disk/database.js";
import type { App } from "./app.js";
import type { BlockRequest, BlockResult } from "./app-shapes.js";
import type {
  AppInfo,
  BlockPort,
  CheckTxKind,
  Committed,
  InitChainRequest,
  InitChainResult,
  ProposalRequest,
} from "./engine-port.js";
import type { GenesisFacts } from "./genesis/genesis-facts.js";
import type { TxResult } from "./tx/result.js";
import { updatesBetween, type Validators } from "./validators.js";

export interface AppPortOptions {
  readonly app: App;
  readonly genesis: Pick<GenesisFacts, "chainId" | "time" | "initialHeight">;
  /** Records that become visible with the first block of a chain. */
  readonly alongsideFirst?: (batch: RecordChanges) => void;
}

export class AppPort implements BlockPort {
  /** The transactions that this node proposed last. PrepareProposal has tried them, so ProcessProposal skips them. */
  #proposed: readonly Uint8Array[] = [];

  constructor(private readonly options: AppPortOptions) {}

  info(): AppInfo {
    const { app } = this.options;
    const { version: lastHeight, hash } = app.lastCommitID;
    const lastAppHash = lastHeight === 0n ? new Uint8Array(0) : hash;
    return { name: app.chain.name, version: VERSION, appVersion: app.version.number, lastHeight, lastAppHash };
  }

  initChain(request: InitChainRequest): InitChainResult {
    const { app, genesis } = this.options;
    requireSame("chain id", request.chainId, genesis.chainId);
    requireSame("initial height", String(request.initialHeight), String(genesis.initialHeight));
    requireSame("genesis time", formatTime(request.time), formatTime(genesis.time));
    const begun = app.initChain();
    requireSameValidators(request.validators, begun.validators);
    // Nothing is committed: the hash of no stores, SHA-256 of nothing.
    return { ...begun, appHash: app.lastCommitID.hash };
  }

  checkTx(tx: Uint8Array, kind: CheckTxKind): TxResult {
    return this.options.app.checkTx(tx, kind);
  }

  prepareProposal({ height, txs }: ProposalRequest, bytesMax: number): readonly Uint8Array[] {
    if (this.#isUpgradeBlock(height)) return [];
    let left = bytesMax;
    const until = txs.findIndex((tx) => {
      left -= bytesInBlock(tx);
      return left < 0;
    });
    this.#proposed = this.options.app.proposals.fitting(until < 0 ? txs : txs.slice(0, until));
    return this.#proposed;
  }

  processProposal({ height, txs }: ProposalRequest): boolean {
    if (txs.length === 0) return true;
    if (this.#isUpgradeBlock(height)) return false;
    const own = this.#proposed;
    const isOwn = own.length === txs.length && own.every((tx, at) => equalBytes(tx, itemAt(txs, at)));
    return isOwn || this.options.app.proposals.accepts(txs);
  }

  finalizeBlock(request: BlockRequest): BlockResult {
    return this.options.app.finalizeBlock(request);
  }

  commit(alongside: Iterable<RecordChange> = []): Committed {
    const { app, alongsideFirst } = this.options;
    const first = new RecordChanges();
    if (app.lastCommitID.version === 0n) alongsideFirst?.(first);
    const { version: height, hash: appHash } = app.commit([...first.list, ...alongside]);
    return { height, appHash, retainHeight: 0n };
  }

  #isUpgradeBlock(height: bigint): boolean {
    const { app } = this.options;
    if (height === app.nextHeight) return app.isUpgradeBlockNext;
    throw new UpgradeError("UPG_INVALID_HEIGHT", `a proposal is for height ${height}, and ${app.nextHeight} is next`);
  }
}

/** In the protobuf encoding of a block: tag, length, bytes (CometBFT's ComputeProtoSizeForTxs). */
export function bytesInBlock({ length }: Uint8Array): number {
  let size = 2 + length;
  for (let rest = length; rest >= 128; rest = Math.floor(rest / 128)) size++;
  return size;
}

function requireSame(what: string, engine: string, own: string): void {
  if (engine === own) return;
  throw new UpgradeError(
    "UPG_INVALID_GENESIS",
    `the engine begins a chain whose ${what} is ${engine}, this home's genesis document has ${own}: give both the same document`,
  );
}

/** As in the Cosmos SDK: a document may name no validators; those that it names are the ones that state gives power. */
function requireSameValidators(engine: Validators, own: Validators): void {
  if (engine.length === 0) return;
  const isSame = engine.length === own.length && updatesBetween(engine, own).length === 0;
  if (isSame) return;
  const text = (list: Validators) => list.map(({ power }) => power).join(", ") || "nobody";
  throw new UpgradeError(
    "UPG_INVALID_GENESIS",
    `the engine's genesis document gives power to validators (${text(engine)}) that are not those of its app_state ` +
      `(${text(own)}): take its list "validators" out, or make it the same`,
  );
}
