/** Runs a handler on a scene and reports all that it did. */

import { isUpgradeError, type UpgradeError } from "../../base/errors/errors.js";
import { ZERO_TIME } from "../../base/time/time.js";
import type { CacheMultiStore, MultiStore, VersionMap } from "../../base/types/types.js";
import { WireWriter } from "../../base/wire/wire.js";
import { declaredVersions } from "../handler/declared-versions.js";
import type { WasmHandler } from "../handler/handler.js";
import type { CheckResult } from "../handler/run/messages.js";
import { type HandlerInput, type HandlerReport, runHandler } from "../handler/run/sandbox.js";
import { PAGE_BYTES } from "../wasm/limits.js";
import { diffStores, type StoreDiff } from "./diff.js";
import { explainFailure, type Failure } from "./failure/explain.js";
import type { MemoryStores } from "./memory-stores.js";
import { DEFAULT_HEIGHT, DEFAULT_TIME, type Scene, seedStores, seedVersions } from "./scene.js";

export interface LogLine {
  readonly level: string;
  readonly text: string;
}

export interface SceneRun {
  readonly ok: boolean;
  /** Why it failed. */
  readonly error: UpgradeError | undefined;
  /** Where it failed and with what in hand; undefined when it succeeded, or never began. */
  readonly failure: Failure | undefined;
  /** What it changed; nothing when it failed. */
  readonly diff: StoreDiff;
  /** The stores as it left them; as they were when it failed. */
  readonly stores: MultiStore;
  /** The version map afterwards. */
  readonly versions: VersionMap;
  /** Gas used; undefined when it failed. */
  readonly gas: bigint | undefined;
  /** Bytes of the handler's memory at its largest; undefined when it failed. */
  readonly guestMemory: number | undefined;
  readonly logs: readonly LogLine[];
  readonly progress: readonly (readonly [done: bigint, total: bigint])[];
  /** Invariants that held. */
  readonly checks: readonly CheckResult[];
  /** What is allowed and yet no good idea. */
  readonly warnings: readonly string[];
}

export interface RunOptions {
  /** Instead of the manifest's limit. */
  readonly gasLimit?: bigint;
  /** Bytes of a batch, instead of the chain's 65,536. */
  readonly batchBytes?: number;
}

/**
 * Runs a handler over a scene, as a node would in the block of the upgrade.
 *
 * @throws UpgradeError UPG_INVALID_ARGUMENT when the scene does not fit the manifest; what a handler does is in the answer
 *
 * @example
 * import { readFileSync } from "node:fs";
 * const run = runScene(openHandler(readFileSync("handler.wasm")));
 * console.log(run.ok, run.ok && run.versions.get("bank")); // → true 2n
 */
export function runScene(handler: WasmHandler, scene: Scene = {}, options: RunOptions = {}): SceneRun {
  const runner = new SceneRunner(handler, scene);
  return runner.explained(runner.run(options), options);
}

export class SceneRunner {
  readonly base: MemoryStores;
  readonly versions: VersionMap;

  constructor(
    readonly handler: WasmHandler,
    readonly scene: Scene,
  ) {
    this.base = seedStores(handler, scene);
    this.versions = seedVersions(handler.manifest, scene);
  }

  run(options: RunOptions = {}, versions: VersionMap = this.versions): SceneRun {
    const logs: LogLine[] = [];
    const progress: (readonly [bigint, bigint])[] = [];
    const branch = this.base.branch();
    const reports = {
      log: (level: string, text: string) => void logs.push({ level, text }),
      progress: (done: bigint, total: bigint) => void progress.push([done, total]),
    };
    const said = { logs, progress };
    try {
      const report = this.call(branch, { ...options, ...reports }, versions);
      const after = declaredVersions(this.handler, versions, report);
      return { ...this.#success(report, branch), versions: after, ...said };
    } catch (error) {
      if (!isUpgradeError(error)) throw error;
      return { ...failure(error), stores: this.base, versions, ...said };
    }
  }

  /** The same with {@link SceneRun.failure}, for which a run that failed is made once more. */
  explained(run: SceneRun, options: RunOptions = {}): SceneRun {
    const { error } = run;
    if (!error?.details["phase"]) return run;
    const again = (changes: Partial<HandlerInput>) => void this.call(this.base.branch(), { ...options, ...changes });
    return { ...run, failure: explainFailure(this.handler, error, again) };
  }

  /** The handler alone, on a branch of the caller's. @throws UpgradeError as runHandler does */
  call(stores: MultiStore, more: Partial<HandlerInput>, versions: VersionMap = this.versions): HandlerReport {
    const { scene } = this;
    const height = BigInt(scene.height ?? DEFAULT_HEIGHT);
    return runHandler(this.handler, {
      chainId: scene.chainId ?? "test-1",
      height,
      time: { seconds: BigInt(scene.time ?? DEFAULT_TIME), nanos: 0 },
      planBytes: planBytes(this.handler.manifest.name, height, scene.info ?? ""),
      versionMap: versions,
      stores,
      base: this.base,
      ...more,
    });
  }

  #success(report: HandlerReport, branch: CacheMultiStore) {
    const diff = diffStores(this.base, branch);
    return {
      ok: true,
      error: undefined,
      failure: undefined,
      diff,
      stores: branch,
      gas: report.gas,
      guestMemory: report.memoryPages * PAGE_BYTES,
      checks: report.checks,
      warnings: emptyValues(diff),
    };
  }
}

function failure(error: UpgradeError) {
  return {
    ok: false,
    error,
    failure: undefined,
    diff: {},
    gas: undefined,
    guestMemory: undefined,
    checks: [],
    warnings: [],
  };
}

/** No proof of an empty value, or of absence beside one, convinces an ICS-23 verifier. */
function emptyValues(diff: StoreDiff): string[] {
  return Object.entries(diff).flatMap(([store, changes]) => {
    const count = changes.filter(({ after }) => after?.length === 0).length;
    return count === 0 ? [] : [`store "${store}": ${count} empty values are written, which nobody can prove`];
  });
}

/** Plan { string name = 1; Timestamp time = 2 (year 1: unset); int64 height = 3; string info = 4 } */
function planBytes(name: string, height: bigint, info: string): Uint8Array {
  const unset = new WireWriter().int(1, ZERO_TIME.seconds).finish();
  return new WireWriter().string(1, name).message(2, unset).int(3, height).string(4, info).finish();
}
