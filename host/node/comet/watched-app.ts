/** The application that ABCI serves: it says which blocks were committed, and goes on with another version of the same program. */

import { isUpgradeError, UpgradeError } from "../../base/errors/errors.js";
import type { BlockRequest, BlockResult } from "../../chain/app/app-shapes.js";
import type { Committed } from "../../chain/app/engine-port.js";
import type { RecordChange } from "../../state/store/disk/database.js";
import type { LogLevel } from "../../upgrade/module/handlers.js";
import type { OpenApp } from "../open/open-options.js";
import { ServedApp } from "./served-app.js";

/** A block that was committed. */
export interface CometBlock extends Committed {
  readonly result: BlockResult;
  readonly appHashBefore: Uint8Array;
  /** From the run to the durable commit, without what CometBFT did in between. */
  readonly milliseconds: number;
}

export interface WatchedAppOptions {
  readonly opened: OpenApp;
  readonly onBlock: (block: CometBlock) => void;
  readonly log: (level: LogLevel, message: string) => void;
}

/** Says which blocks were committed. */
export class WatchedApp extends ServedApp {
  readonly #listeners = new Set<() => void>();
  #ran: { readonly result: BlockResult; readonly appHashBefore: Uint8Array; readonly milliseconds: number } | undefined;

  constructor(private readonly node: WatchedAppOptions) {
    const { app, genesis, alongsideFirst } = node.opened;
    // Queries are served where the servers are (host/cli/run/run-comet.ts).
    const elsewhere = () => Promise.reject(new UpgradeError("UPG_BUG_ASSERT", "queries are not of this thread"));
    super({ app, genesis, ...(alongsideFirst ? { alongsideFirst } : {}) }, elsewhere);
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  override finalizeBlock(request: BlockRequest): BlockResult {
    const begun = performance.now();
    const appHashBefore = this.node.opened.app.lastCommitID.hash;
    const result = this.#finalizeBlock(request);
    this.#ran = { result, appHashBefore, milliseconds: performance.now() - begun };
    return result;
  }

  /** Another version of the same program is opened here, where CometBFT waits for the block. */
  #finalizeBlock(request: BlockRequest): BlockResult {
    try {
      return super.finalizeBlock(request);
    } catch (error) {
      if (!isUpgradeError(error) || error.code !== "UPG_HALT_RESTART") throw error;
    }
    const { opened, log } = this.node;
    const before = opened.app.version.number;
    opened.app.reopen();
    log("info", `app version ${opened.app.version.number} goes on at height ${request.height}, after ${before}`);
    return super.finalizeBlock(request);
  }

  override commit(alongside: Iterable<RecordChange> = []): Committed {
    const begun = performance.now();
    const committed = super.commit(alongside);
    const ran = this.#ran;
    this.#ran = undefined;
    if (ran) {
      this.node.onBlock({ ...committed, ...ran, milliseconds: ran.milliseconds + performance.now() - begun });
      for (const listener of [...this.#listeners]) listener();
    }
    return committed;
  }
}
