/**
 * Tries a handler on the state in a home, as if its plan had been made for the next block: a rehearsal of one handler, whatever
 * is scheduled. It needs no plan and no version that knows it. A node may run in the home meanwhile.
 */

import { performance } from "node:perf_hooks";
import { isUpgradeError, UpgradeError } from "../../base/errors/errors.js";
import { sha256 } from "../../base/native/sha256.js";
import { visible } from "../../base/text/visible.js";
import type { Height, VersionMap } from "../../base/types/types.js";
import type { Chain } from "../../chain/app/chain.js";
import { Home } from "../../node/home/home.js";
import { CommitMultiStore } from "../../state/store/versions/commit-multi-store.js";
import { ReadableVersions } from "../../state/store/versions/readable-versions.js";
import { Core } from "../../upgrade/core/core.js";
import type { WasmHandler } from "../../upgrade/handler/handler.js";
import { type HandlerReport, requireLayout } from "../../upgrade/handler/run/sandbox.js";
import type { Probes } from "../../upgrade/module/hooks.js";
import { UPGRADE_STORE } from "../../upgrade/module/upgrade-store.js";
import type { Failure } from "../../upgrade/test-kit/failure/explain.js";
import type { GasProfile } from "../../upgrade/test-kit/gas/gas-profile.js";
import { watchPeakMemory } from "./block/peak-memory.js";
import { type BlockOptions, Rehearsal, type RehearsedBlock } from "./block/rehearse-block.js";
import { gasOf, whyItFailed } from "./handler-runs.js";
import { openHome } from "./state/open-state.js";
import { choosePlace } from "./state/state-before.js";

export interface TrialOptions {
  readonly handler: WasmHandler;
  readonly home: string;
  /** The committed version to begin with; the last one when left out. */
  readonly height?: Height | undefined;
  /** Bytes that the handler's writes may take on disk besides what the block's trees take. */
  readonly handlerDiskMax?: number | undefined;
  readonly log: (line: string) => void;
  /** Hears why the handler failed, before the error is thrown; for that it runs once more. */
  readonly onFailure?: (failure: Failure) => void;
  /** Say what the gas went to; for that it runs once more, first. */
  readonly gas?: boolean | undefined;
}

export interface Trial {
  readonly report: HandlerReport;
  /** Of the handler, its checks and the guards around it. */
  readonly milliseconds: number;
  /** Of the whole block: stores loaded, handler, checks, commit. */
  readonly blockMilliseconds: number;
  readonly versionMap: VersionMap;
  /** Modules by name. */
  readonly probes: Probes;
  /** App hash that the block would have. */
  readonly appHash: Uint8Array;
  /** Root of every store after it; of `upgrade` none, whose receipt names the handler: so two handlers can be compared. */
  readonly roots: ReadonlyMap<string, Uint8Array>;
  /** Most bytes that the trial took on disk, for the handler's writes and for the trees of the block. */
  readonly diskBytes: number;
  /** Most bytes of memory that the process had meanwhile, pages of files left out. */
  readonly memoryBytes: number;
  /** From the start of the trial to its end, the commit's hashing and writing in it. */
  readonly totalMilliseconds: number;
  /** What the gas went to, where that was asked for. */
  readonly gasProfile: GasProfile | undefined;
}

/** @throws UpgradeError UPG_INVALID_CONFIG, UPG_NOT_FOUND_VERSION, UPG_HANDLER_*, UPG_MIGRATION_*, UPG_STORE_* */
export function tryHandler(chain: Chain, options: TrialOptions): Trial {
  const { handler, handlerDiskMax, log } = options;
  const home = new Home(options.home);
  if (!home.hasDatabase) {
    throw new UpgradeError(
      "UPG_INVALID_CONFIG",
      `${home.path} is no home of a chain that has begun: start the node first`,
    );
  }
  const begun = performance.now();
  const peak = watchPeakMemory();
  const state = openHome(chain, home);
  try {
    const core = new Core();
    const at = options.height ?? state.last;
    const store = new CommitMultiStore(state.database, { sha256 }).at(at).store(UPGRADE_STORE);
    const done = core.doneHeight(store, handler.manifest.name);
    const place = choosePlace(state.database, at, core, { kind: "forced", name: handler.manifest.name });
    const line = (level: string, message: string) => log(`${level}: ${message}`);
    const block = { chain, home, state, core, place, isForced: true, handler, handlerDiskMax, log: line };
    const isKept = ReadableVersions.load(state.database).has(Number(done) - 1);
    const made = withHeightHint({ at, done, isKept, name: handler.manifest.name }, () => {
      requireLayout(handler.manifest, core.versionMap(store));
      return makeBlock(block, options);
    });
    const totalMilliseconds = performance.now() - begun;
    return { ...made, memoryBytes: peak.bytes, totalMilliseconds };
  } finally {
    peak.close();
    state.close();
  }
}

interface TriedAt {
  readonly at: Height;
  /** Where the plan was applied; 0n: nowhere. */
  readonly done: Height;
  /** Can the state before it be read? */
  readonly isKept: boolean;
  readonly name: string;
}

/** A handler that does not fit the last state may be one for an earlier state: that of an upgrade which was made. */
function withHeightHint<T>({ at, done, isKept, name }: TriedAt, run: () => T): T {
  try {
    return run();
  } catch (error) {
    const isUnfit =
      isUpgradeError(error) && (error.code === "UPG_HANDLER_LAYOUT" || error.code === "UPG_STORE_UPGRADE");
    if (!isUnfit || done === 0n) throw error;
    const before = isKept
      ? `Try the state before it: --height ${done - 1n}`
      : "The state before it is pruned here: try a copy of the home from before that height";
    const hint = `"${visible(name)}" was applied at height ${done}, and this is the state of height ${at}. ${before}`;
    throw new UpgradeError(error.code, `${error.template}. ${hint}`, { cause: error, details: error.details });
  }
}

type MadeTrial = Omit<Trial, "memoryBytes" | "totalMilliseconds">;

function makeBlock(block: BlockOptions, { handler, gas, onFailure }: TrialOptions): MadeTrial {
  const rehearsal = new Rehearsal(block);
  try {
    const { app } = rehearsal;
    const { place, core, state } = block;
    const time = app.lastBlockTime;
    const facts = { app, core, handler, chainId: state.genesis.chainId, height: place.height, time };
    const profile = gas ? gasOf(facts) : undefined;
    try {
      return trialOf(rehearsal.run(time), profile);
    } catch (error) {
      const why = isUpgradeError(error) && onFailure ? whyItFailed(facts, error) : undefined;
      if (why) onFailure?.(why);
      throw error;
    }
  } finally {
    rehearsal.close();
  }
}

function trialOf(block: RehearsedBlock, profile: GasProfile | undefined): MadeTrial {
  const { app, result, appHash, phases, millis, growthBytes, spillBytes } = block;
  const { applied } = result;
  if (!applied?.report) throw new UpgradeError("UPG_BUG_ASSERT", "a trial ran no handler");
  const { stores } = app.at();
  const others = stores.names.filter((name) => name !== UPGRADE_STORE);
  return {
    report: applied.report,
    milliseconds: sum(phases.filter(({ phase }) => HANDLER_PHASES.includes(phase)).map((each) => each.millis)),
    blockMilliseconds: millis,
    versionMap: applied.versionsAfter,
    probes: applied.probes ?? { passed: [], skipped: [] },
    appHash,
    roots: new Map(others.map((name) => [name, stores.rootHash(name)])),
    diskBytes: growthBytes + spillBytes,
    gasProfile: profile,
  };
}

const HANDLER_PHASES: readonly string[] = ["handler", "scan"];

const sum = (list: readonly number[]) => list.reduce((whole, each) => whole + each, 0);
