/**
 * `chaind upgrade rehearse`: the block of an upgrade, made on the state of a home, a copy or a snapshot, while its node goes on.
 * Nothing is written but the temporary folder. What it would do, and how it would end, is a report.
 */

import { existsSync, readFileSync } from "node:fs";
import { isUpgradeError, messageOf, UpgradeError } from "../../base/errors/errors.js";
import { isRefusedByMachine, upgradeErrorOf } from "../../base/errors/machine.js";
import { itemAt } from "../../base/text/checked-index.js";
import { shellWord } from "../../base/text/shell-word.js";
import { formatTime } from "../../base/time/time.js";
import { PLAN_INFO_BYTES_MAX } from "../../base/types/limits.js";
import type { Height, Plan } from "../../base/types/types.js";
import type { Chain } from "../../chain/app/chain.js";
import { Home } from "../../node/home/home.js";
import { requireInputFile } from "../../node/home/input-file.js";
import { Core } from "../../upgrade/core/core.js";
import type { WasmHandler } from "../../upgrade/handler/handler.js";
import type { Failure } from "../../upgrade/test-kit/failure/explain.js";
import { openMappedHandler } from "../author/map/mapped-handler.js";
import { type BlockOptions, Rehearsal } from "./block/rehearse-block.js";
import { timesToTry } from "./block/times.js";
import { firstRun, type RunFacts } from "./first-run.js";
import { gasOf, whyItFailed } from "./handler-runs.js";
import type { RehearseOptions } from "./rehearse-options.js";
import { CheckList } from "./report/checks.js";
import { failedReport, type ReportFacts, reportOf, unfinishedReport } from "./report/make-report.js";
import type { Report } from "./report/report.js";
import { type OpenState, openState } from "./state/open-state.js";
import { choosePlace, type Place, type WantedPlan } from "./state/state-before.js";

/** @throws UpgradeError for what is no end of a block: no home, no such file, a wrong argument */
export async function rehearse(chain: Chain, options: RehearseOptions): Promise<Report> {
  const begun = performance.now();
  const home = new Home(options.home);
  const wanted = wantedPlan(options.plan);
  if (options.snapshot !== undefined) requireInputFile(options.snapshot);
  const core = new Core();
  const handler = options.handler === undefined ? undefined : openHandler(options.handler);
  const state = await openState(chain, { home, snapshot: options.snapshot, isCopied: options.isCopied });
  const { accepted = [] } = options;
  const facts: ReportFacts = {
    program: chain.name,
    ...{ home, state, begun, accepted, place: undefined, handler: wasmOf(handler), failure: undefined },
    ...{ flags: chosenBy(options), givenHandler: options.handler, isKept: options.isKept ?? true },
  };
  try {
    if (isUpgradeError(handler)) return failedReport(handler, facts);
    const place = placeOf(state, core, handler, { at: options.at, wanted });
    return await atPlace(chain, { ...facts, place }, { options, core, handler, place });
  } finally {
    state.close();
  }
}

/** The flags that another rehearsal of the same needs. */
function chosenBy(options: RehearseOptions): string[] {
  const { plan, at, snapshot, isCopied, time, handlers, staged, handlerDiskMax } = options;
  const values = Object.entries({
    "--plan": plan,
    "--at": at?.toString(),
    "--snapshot": snapshot,
    "--time": time && formatTime(time),
    "--handlers": handlers,
    "--handlers-staged": staged,
    "--handler-disk-max": handlerDiskMax?.toString(),
  });
  const flags = values.flatMap(([flag, value]) => (value === undefined ? [] : [flag, shellWord(value)]));
  return isCopied ? [...flags, "--copy"] : flags;
}

interface Wanted {
  readonly options: RehearseOptions;
  readonly core: Core;
  readonly handler: WasmHandler | undefined;
  readonly place: Place;
}

async function atPlace(chain: Chain, facts: ReportFacts, { options, core, handler, place }: Wanted): Promise<Report> {
  const { home, state } = facts;
  const { handlers, staged, handlerDiskMax, appVersion, log, onProgress, onBegin } = options;
  const block: BlockOptions = {
    ...{ chain, home, state, core, place, handler, handlers, staged, handlerDiskMax, appVersion, log },
    ...(onProgress ? { onProgress } : {}),
  };
  let rehearsal: Rehearsal | undefined;
  let failure: Failure | undefined;
  let found: WasmHandler | undefined;
  onBegin?.(unfinishedReport(facts));
  try {
    rehearsal = new Rehearsal(block);
    const { lastBlockTime, nextEndTime } = rehearsal.app;
    const times = timesToTry(lastBlockTime, options.time, nextEndTime);
    const time = itemAt(times, 0);
    const wasm = rehearsal.app.keeper.findHandler(place.plan).handler?.wasm;
    found = wasm;
    if (wasm) onBegin?.(unfinishedReport({ ...facts, handler: wasm }));
    const runs = wasm && { app: rehearsal.app, core, handler: wasm, chainId: state.genesis.chainId, time };
    const onHandler = runs && { ...runs, height: place.height };
    const profile = options.gas && onHandler ? gasOf(onHandler) : undefined;
    const checks = new CheckList();
    const run: RunFacts = { ...{ options, block, rehearsal, time, times, checks, profile }, handler: wasm };
    try {
      return reportOf(await firstRun(run), { ...facts, handler: wasm }, checks);
    } catch (thrown) {
      // The block ends for a node as well, whatever ended it.
      const error = isRefusedByMachine(thrown) ? thrown : upgradeErrorOf(thrown);
      if (isUpgradeError(error) && onHandler) failure = whyItFailed(onHandler, error);
      throw error;
    }
  } catch (error) {
    if (!isUpgradeError(error)) throw error;
    // Who reads a kept report asks which handler failed.
    return failedReport(error, { ...facts, handler: found ?? facts.handler, failure });
  } finally {
    rehearsal?.close();
  }
}

/** A file that nodes refuse is a result; one that is absent is a mistake. @throws UpgradeError UPG_INVALID_ARGUMENT, UPG_STORE_IO */
function openHandler(file: string): WasmHandler | UpgradeError {
  try {
    return openMappedHandler(file);
  } catch (error) {
    if (isUpgradeError(error) && error.code.startsWith("UPG_HANDLER_")) return error;
    throw error;
  }
}

const wasmOf = (handler: WasmHandler | UpgradeError | undefined) => (isUpgradeError(handler) ? undefined : handler);

function placeOf(
  state: OpenState,
  core: Core,
  handler: WasmHandler | undefined,
  { at = state.last, wanted }: { readonly at: Height | undefined; readonly wanted: WantedPlan },
): Place {
  const name = handler?.manifest.name;
  let place: Place;
  try {
    place = choosePlace(state.database, at, core, wanted);
  } catch (error) {
    const isMissing = isUpgradeError(error) && error.code === "UPG_NOT_FOUND_PLAN" && name !== undefined;
    if (!isMissing) throw error;
    place = choosePlace(state.database, at, core, { kind: "named", name });
  }
  if (name === undefined || name === place.plan.name) return place;
  throw new UpgradeError(
    "UPG_INVALID_ARGUMENT",
    `the handler is for the plan "${name}", and the plan to rehearse is "${place.plan.name}": give the handler of that plan, or --plan ${name}`,
  );
}

function wantedPlan(text: string | undefined): WantedPlan {
  if (text === undefined) return { kind: "scheduled" };
  if (!text.endsWith(".json") && !(existsSync(text) && text.includes("/"))) return { kind: "named", name: text };
  return { kind: "given", plan: readPlan(text) };
}

/** As `upgrade-info.json` and `query upgrade plan -o json` have it. @throws UpgradeError UPG_INVALID_ARGUMENT */
function readPlan(file: string): Plan {
  requireInputFile(file);
  const wrong = (why: string) => new UpgradeError("UPG_INVALID_ARGUMENT", `--plan ${file}: ${why}`);
  let json: unknown;
  try {
    const text = readFileSync(file, "utf8");
    if (text.length > 2 * PLAN_INFO_BYTES_MAX) throw new RangeError("it is too long for a plan");
    json = JSON.parse(text);
  } catch (cause) {
    throw wrong(messageOf(cause));
  }
  const outer = (json ?? {}) as { readonly plan?: unknown };
  const { name, height, info = "" } = (outer.plan ?? outer) as Record<string, unknown>;
  const isHeight = /^[0-9]{1,19}$/.test(String(height));
  if (typeof name !== "string" || typeof info !== "string" || !isHeight) {
    throw wrong('it has no "name", "height" and "info" of a plan');
  }
  return { name, height: BigInt(String(height)), info };
}
