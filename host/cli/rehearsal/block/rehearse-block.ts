/**
 * The block of an upgrade, run as a node runs it: by the chain's own application (`App`), over an overlay that takes all
 * writes. Decision, store upgrades, handler, version map, invariants, hooks of modules, trees and commit are the application's.
 */

import { statSync } from "node:fs";
import { join } from "node:path";
import { upgradeFiles } from "../../../base/files/atomic-file.js";
import { sha256 } from "../../../base/native/sha256.js";
import type { OnProgress, Timestamp } from "../../../base/types/types.js";
import { App, type BlockResult } from "../../../chain/app/app.js";
import type { Chain } from "../../../chain/app/chain.js";
import type { Home } from "../../../node/home/home.js";
import { nodeVerifySignature } from "../../../node/home/node-signatures.js";
import { stagedHandlers, versionsAndHandlers } from "../../../node/home/versions-and-handlers.js";
import { LmdbDatabase } from "../../../state/store/disk/lmdb-database.js";
import { OverlayDatabase } from "../../../state/store/disk/overlay-database.js";
import type { Core } from "../../../upgrade/core/core.js";
import type { WasmHandler } from "../../../upgrade/handler/handler.js";
import type { LogLevel } from "../../../upgrade/module/handlers.js";
import { type OpenState, rehearsalFolder } from "../state/open-state.js";
import { PinnedDatabase } from "../state/pinned-database.js";
import { type Place, takePlace } from "../state/state-before.js";
import { BlockWatch, type InvariantResult, type OtherWrites } from "./measured-chain.js";
import { PhaseClock, type PhaseTime } from "./phase-clock.js";

export interface BlockOptions {
  readonly chain: Chain;
  readonly home: Home;
  readonly state: OpenState;
  readonly core: Core;
  readonly place: Place;
  /** As `choosePlace` was asked: a plan of that name may have been applied. */
  readonly isForced?: boolean;
  /** In place of what home and program have for this plan. */
  readonly handler?: WasmHandler | undefined;
  /** Folder of the program's handlers. Default: that of the chain. */
  readonly handlers?: string | undefined;
  /** One more folder of handlers that wait for their height. */
  readonly staged?: string | undefined;
  readonly handlerDiskMax?: number | undefined;
  /** Of `start`: know nothing newer than this version. */
  readonly appVersion?: bigint | undefined;
  readonly log: (level: LogLevel, message: string) => void;
  readonly onProgress?: OnProgress;
}

/** How the live database was read. */
export interface ReadingFacts {
  readonly renewals: number;
  readonly heldMillisMax: number;
}

/** A block that was made, with both states to read until `close`. */
export interface RehearsedBlock {
  readonly app: App;
  readonly result: BlockResult;
  readonly appHash: Uint8Array;
  readonly time: Timestamp;
  readonly phases: readonly PhaseTime[];
  /** All phases together. */
  readonly millis: number;
  readonly invariants: readonly InvariantResult[];
  readonly otherWrites: readonly OtherWrites[];
  /** Bytes that the database grew by, at most, and that the handler's writes took besides at their peak. */
  readonly growthBytes: number;
  readonly spillBytes: number;
}

/** A place to run the block in once. `app` is loaded and at the height before; `run` makes the block. */
export class Rehearsal {
  readonly app: App;
  readonly #watch = new BlockWatch(new PhaseClock());
  readonly #pinned: PinnedDatabase;
  readonly #changed: LmdbDatabase;
  readonly #folder = rehearsalFolder();

  /** @throws Halt; UpgradeError as a start at the height ends with */
  constructor(private readonly options: BlockOptions) {
    const { state, place, handlerDiskMax } = options;
    this.#pinned = new PinnedDatabase(state, Number(place.stateHeight));
    const spill = { bytesMax: handlerDiskMax };
    this.#changed = new LmdbDatabase(this.#file, { isTemporary: true, spill });
    try {
      const overlay = new OverlayDatabase(this.#pinned, this.#changed);
      takePlace(overlay, place, options.core, options.isForced ?? false);
      this.#watch.clock.enter("load");
      this.app = this.#load(overlay);
      this.#watch.clock.stop();
    } catch (error) {
      this.close();
      throw error;
    }
  }

  get reading(): ReadingFacts {
    const { renewals, heldMillisMax } = this.#pinned;
    return { renewals, heldMillisMax };
  }

  /** @throws Halt; UpgradeError as the block ends with */
  run(time: Timestamp): RehearsedBlock {
    const { app } = this;
    const { clock, invariants, otherWrites } = this.#watch;
    clock.enter("decide");
    const result = app.finalizeBlock({ height: this.options.place.height, time });
    clock.enter("commit");
    const { hash: appHash } = app.commit();
    clock.stop();
    return {
      ...{ app, result, appHash, time, invariants, otherWrites },
      phases: clock.phases,
      millis: clock.total,
      growthBytes: statSync(this.#file).size,
      spillBytes: this.#changed.spill?.bytesPeak ?? 0,
    };
  }

  close(): void {
    this.#pinned.close();
    this.#changed.close();
    this.#folder.remove();
  }

  get #file(): string {
    return join(this.#folder.path, "chain.mdb");
  }

  #load(database: OverlayDatabase): App {
    const { chain, home, state, core, place, handler, staged, appVersion, log } = this.options;
    const folder = this.options.handlers ?? chain.handlers;
    const { versions, handlers } = versionsAndHandlers(chain, home, folder, appVersion);
    const waiting = stagedHandlers({ chain, home, folder: staged, versions, log });
    const isOther = (wasm: WasmHandler) => !handler || wasm.manifest.name !== place.plan.name;
    const files = { ...upgradeFiles(home.dataFolder), write: () => undefined, remove: () => undefined };
    const app = new App({
      ...{ chain: this.#watch.watch(chain), database, sha256, core, genesis: state.genesis, versions, files, log },
      staged: () => waiting.look().filter(isOther),
      verifySignature: nodeVerifySignature,
      versionsKept: Number.POSITIVE_INFINITY,
      onProgress: (...reading) => this.#progress(...reading),
    });
    for (const each of handlers) {
      if (isOther(each.handler)) app.keeper.setWasmHandler(each.handler, { isOfHome: each.isOfHome });
    }
    if (handler) app.keeper.setWasmHandler(handler, { isOfHome: true });
    // As a process that came to the height itself: no upgrade-info.json is expected.
    app.load(true);
    return app;
  }

  #progress(...[phase, store, done, total]: Parameters<OnProgress>): void {
    this.#pinned.rest();
    this.#watch.clock.enter(phase === "checks" ? "handler" : phase, store);
    this.options.onProgress?.(phase, store, done, total);
  }
}
