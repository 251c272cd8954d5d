/** A node that joins by state sync, and the snapshot that it is offered. */
import { create } from "@bufbuild/protobuf";
import { expect } from "vitest";
import type { Snapshot } from "../../../../host/base/gen/cosmos/store/snapshots/v1/snapshot_pb.js";
import {
  ResponseApplySnapshotChunk_Result as ApplyResult,
  ResponseOfferSnapshot_Result as OfferResult,
  RequestApplySnapshotChunkSchema,
  RequestOfferSnapshotSchema,
} from "../../../../host/base/gen/tendermint/abci/messages_pb.js";
import { sha256 } from "../../../../host/base/native/sha256.js";
import { App } from "../../../../host/chain/app/app.js";
import type { ChainVersion } from "../../../../host/chain/app/versions/version.js";
import { snapshotMessage } from "../../../../host/node/comet/messages.js";
import { StateSync } from "../../../../host/node/comet/state-sync.js";
import { MemoryDatabase } from "../../../../host/state/store/disk/memory-database.js";
import { Core } from "../../../../host/upgrade/core/core.js";
import type { WasmHandler } from "../../../../host/upgrade/handler/handler.js";
import { exampleChain, V1, V2 } from "../../../example-chain.js";
import { Chain, type Process } from "../../../scenario/chain.js";
import { keysOf } from "../../state/store/support.js";

export const CORE = new Core();
export const NONE = new Uint8Array(0);

export interface Taken {
  readonly process: Process;
  readonly appHash: Uint8Array;
  readonly snapshot: Snapshot;
  readonly chunks: readonly Uint8Array[];
}

interface ProgramOptions {
  readonly versions?: readonly ChainVersion[];
  readonly handlers?: readonly WasmHandler[];
}

/** A node that joins: it has a genesis document and no block. */
export class Joining {
  readonly database = new MemoryDatabase();
  readonly app: App;
  readonly log: string[] = [];
  readonly sync: StateSync;
  restored = 0;

  constructor({ versions = [V1, V2], handlers = [] }: ProgramOptions = {}) {
    const { genesis } = new Chain();
    const { database } = this;
    this.app = new App({ chain: exampleChain, database, sha256, core: CORE, genesis, versions });
    for (const handler of handlers) this.app.keeper.setWasmHandler(handler, { isOfHome: true });
    this.app.load();
    this.sync = new StateSync({
      opened: { app: this.app, database, alongsideFirst: (batch) => batch.put(Uint8Array.of(98, 103), NONE) },
      engine: "cometbft",
      onRestored: () => this.restored++,
      log: (level, message) => this.log.push(`${level} ${message}`),
    });
  }

  async offer({ snapshot, appHash }: Pick<Taken, "snapshot" | "appHash">): Promise<OfferResult> {
    const value = create(RequestOfferSnapshotSchema, { snapshot: snapshotMessage(snapshot), appHash });
    const answer = await this.sync.answer({ case: "offerSnapshot", value });
    return answer?.case === "offerSnapshot" ? (answer.value.result ?? OfferResult.UNKNOWN) : OfferResult.UNKNOWN;
  }

  async apply(index: number, chunk: Uint8Array) {
    const value = create(RequestApplySnapshotChunkSchema, { index, chunk, sender: "peer" });
    const answer = await this.sync.answer({ case: "applySnapshotChunk", value });
    return answer?.case === "applySnapshotChunk" ? answer.value : {};
  }

  /** What the last of the results is. */
  async applyAll(chunks: readonly Uint8Array[]): Promise<ApplyResult | undefined> {
    let last: ApplyResult | undefined;
    for (const [index, chunk] of chunks.entries()) {
      last = (await this.apply(index, chunk)).result;
      if (last !== ApplyResult.ACCEPT) break;
    }
    return last;
  }

  /** Nothing has come of what was refused. */
  expectNothing(): void {
    expect(this.app.lastCommitID.version).toBe(0n);
    expect(keysOf(this.database, "n")).toEqual([]);
    expect(keysOf(this.database, "c")).toEqual([]);
    expect(this.restored).toBe(0);
  }
}
