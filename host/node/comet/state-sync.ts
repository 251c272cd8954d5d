/**
 * A node that joins: CometBFT offers snapshots that its peers have, and hands over the chunks of the one that is taken. The app
 * hash comes from CometBFT's light client, which is all that is trusted; what this program could not go on from is refused
 * before any of it counts.
 */

import { isUpgradeError, messageOf } from "../../base/errors/errors.js";
import {
  ResponseApplySnapshotChunk_Result as ApplyResult,
  ResponseOfferSnapshot_Result as OfferResult,
  type RequestApplySnapshotChunk,
  type RequestOfferSnapshot,
} from "../../base/gen/tendermint/abci/messages_pb.js";
import { sha256 } from "../../base/native/sha256.js";
import { type Database, RecordChanges } from "../../state/store/disk/database.js";
import type { LogLevel } from "../../upgrade/module/handlers.js";
import type { OpenApp } from "../open/open-options.js";
import { requireKnown, SNAPSHOT_FORMAT } from "../snapshots/facts.js";
import { SnapshotRestore } from "../snapshots/restore.js";
import { type Answer, type Call, snapshotOf } from "./messages.js";

export interface StateSyncOptions {
  readonly opened: Pick<OpenApp, "app" | "alongsideFirst"> & { readonly database: Database };
  /** The engine's mark in the record of the commit. */
  readonly engine: string;
  /** The application goes on from a snapshot. */
  readonly onRestored: () => void;
  readonly log: (level: LogLevel, message: string) => void;
}

/** Chunks between two lines of the log. */
const PROGRESS_CHUNKS = 10;

export class StateSync {
  #restore: SnapshotRestore | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(private readonly options: StateSyncOptions) {}

  /** Settles when no chunk is being built in. */
  get idle(): Promise<unknown> {
    return this.#last;
  }

  /** Undefined: the call is no matter of snapshots. One at a time. @throws UpgradeError UPG_STORE_* */
  async answer(call: Call): Promise<Answer | undefined> {
    if (call.case === "offerSnapshot") return this.#inTurn(async () => this.#offer(call.value));
    if (call.case === "applySnapshotChunk") return this.#inTurn(() => this.#apply(call.value));
    // Blocks from the beginning: what has come of a snapshot is of no use.
    if (call.case === "initChain" || call.case === "finalizeBlock") await this.#inTurn(async () => this.#drop());
    return undefined;
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined);
    return result;
  }

  #offer({ snapshot, appHash }: RequestOfferSnapshot): Answer {
    const { opened, engine, log } = this.options;
    const answered = (result: OfferResult): Answer => ({ case: "offerSnapshot", value: { result } });
    this.#drop();
    if (opened.app.lastCommitID.version !== 0n) {
      const { version } = opened.app.lastCommitID;
      log(
        "error",
        `a snapshot is offered, and this home has the state of height ${version} already. If CometBFT has no blocks here, the ` +
          "node ended while it joined: remove data/chain.mdb and data/chain.mdb-lock from the home, and start it again",
      );
      return answered(OfferResult.ABORT);
    }
    if (!snapshot || snapshot.format !== SNAPSHOT_FORMAT) return answered(OfferResult.REJECT_FORMAT);
    const { height } = snapshot;
    try {
      const described = snapshotOf(snapshot);
      const restore = new SnapshotRestore(opened.database, described, { sha256, appHash, engine });
      this.#restore = restore;
      requireKnown(opened.app, described);
      log("info", `snapshot of height ${height}: ${snapshot.chunks} chunks are to come`);
      return answered(OfferResult.ACCEPT);
    } catch (error) {
      this.#refuse(error, height);
      return answered(OfferResult.REJECT);
    }
  }

  async #apply({ index, chunk, sender }: RequestApplySnapshotChunk): Promise<Answer> {
    const restore = this.#restore;
    if (!restore || index !== restore.next) return applied({ result: ApplyResult.ABORT });
    if (!restore.isNext(chunk)) {
      this.options.log("warn", `chunk ${index} of a snapshot is not what its description says: another peer is asked`);
      return applied({
        result: ApplyResult.RETRY,
        refetchChunks: [index],
        rejectSenders: sender === "" ? [] : [sender],
      });
    }
    try {
      await restore.apply(chunk);
      if (restore.isComplete) this.options.opened.app.requireRunnable(restore.finish());
    } catch (error) {
      this.#refuse(error, restore.snapshot.height);
      return applied({ result: ApplyResult.REJECT_SNAPSHOT });
    }
    if (restore.isComplete) this.#commit(restore);
    else this.#sayProgress(restore);
    return applied({ result: ApplyResult.ACCEPT });
  }

  #commit(restore: SnapshotRestore): void {
    const { opened, log, onRestored } = this.options;
    const first = new RecordChanges();
    opened.alongsideFirst?.(first);
    restore.commit(first.list);
    this.#restore = undefined;
    opened.app.reopen();
    log("info", `the state of height ${restore.snapshot.height} was restored from a snapshot`);
    onRestored();
  }

  #sayProgress({ next, snapshot }: SnapshotRestore): void {
    if (next % PROGRESS_CHUNKS === 0) this.options.log("info", `${next} of ${snapshot.chunks} chunks are built in`);
  }

  /** Ends of this node itself, as those of its disk, are no fault of the snapshot. @throws them */
  #refuse(error: unknown, height: bigint): void {
    this.#drop();
    const isOfSnapshot =
      isUpgradeError(error) && error.code !== "UPG_BUG_ASSERT" && !error.code.startsWith("UPG_STORE_");
    if (!isOfSnapshot) throw error;
    this.options.log("warn", `a snapshot of height ${height} is refused: ${messageOf(error)}`);
  }

  #drop(): void {
    const restore = this.#restore;
    this.#restore = undefined;
    restore?.discard();
  }
}

function applied(value: Extract<Answer, { case: "applySnapshotChunk" }>["value"]): Answer {
  return { case: "applySnapshotChunk", value };
}
