/** What a block has to do about the plan in state: the core decides, and a halt is thrown with the facts that it needs. */
import { assert, type ErrorDetails, UpgradeError } from "../../base/errors/errors.js";
import type { Decision, DoneUpgrade, Height, KVReader, Plan } from "../../base/types/types.js";
import { failureOf, Halt, handlerDetails } from "./halt.js";
import type { FoundHandler } from "./handler-set.js";
import type { Keeper } from "./keeper.js";
import type { RegisteredHandler } from "./upgrade-handler.js";
import { crossCheckUpgradeInfo } from "./upgrade-info.js";

/** The block, as far as a decision needs it. */
export interface DecisionFacts {
  readonly height: Height;
  /** Consensus app version, for the message of a downgrade halt; 0n when unset. */
  readonly appVersion: bigint;
}

export type Verdict =
  | { readonly decision: "Idle" | "Pending"; readonly plan: Plan | undefined }
  | { readonly decision: "Skip"; readonly plan: Plan; readonly message: string }
  | {
      readonly decision: "Apply";
      readonly plan: Plan;
      readonly planBytes: Uint8Array;
      readonly handler: RegisteredHandler;
    };

/** @throws Halt; UpgradeError UPG_HANDLER_HASH, UPG_HANDLER_DUPLICATE, UPG_STORE_CORRUPT, UPG_STORE_IO */
export function decide(keeper: Keeper, store: KVReader, block: DecisionFacts, isFirstBlock: boolean): Verdict {
  const { core } = keeper;
  const planBytes = core.planBytes(store);
  const plan = planBytes && core.decodePlan(planBytes);
  const isDue = plan !== undefined && plan.height <= block.height;
  const isSkipHeight = keeper.isSkipHeight(block.height);
  // A file may have been staged since the last look.
  if (plan && isDue && keeper.handlerState(plan) !== "ready") keeper.lookForStaged();
  const found = plan && keeper.findHandler(plan);
  if (plan && found?.handler && found.state !== "ready") reportUnfit(keeper, plan, found, isDue && !isSkipHeight);
  const last = isFirstBlock ? core.lastDone(store) : undefined;
  const decision = core.preBlock(store, block.height, {
    hasHandler: found?.state === "ready" && (isDue || !found.waits),
    hasLastHandler: last !== undefined && keeper.knowsUpgrade(last.name),
    isSkipHeight,
    isFirstBlock,
  });
  if (decision === "Idle" || decision === "Pending") return { decision, plan };
  if (decision === "HaltHandlerMissing") throw downgradeHalt(keeper, block, last, plan);
  assert(plan && planBytes, `the core decided ${decision} without a plan`);
  if (decision === "Apply") {
    assert(found?.handler, "a plan is applied by a handler that is here");
    return { decision, plan, planBytes, handler: found.handler };
  }
  const message = core.haltText(decision, block.height, block.appVersion, planBytes);
  if (decision === "Skip") return { decision, plan, message };
  throw planHalt(keeper, block, { decision, plan, planBytes, message, details: found?.details ?? {} });
}

/**
 * Throws the halt of a program that does not know the version of a state, before any other store is opened.
 * @throws Halt; UpgradeError UPG_HANDLER_HASH, UPG_STORE_IO
 */
export function haltBeforeStores(keeper: Keeper, store: KVReader, block: DecisionFacts): never {
  decide(keeper, store, block, true);
  assert(false, "state asks for a version that this process does not know, and the state table does not halt");
}

/** Warns when `upgrade-info.json` does not agree with the plan that is due. */
export function warnAboutInfoFile({ files, log }: Pick<Keeper, "files" | "log">, plan: Plan, height: Height): void {
  const warning = files && crossCheckUpgradeInfo(files, plan, height);
  if (warning) log("warn", warning);
}

interface PlanHalt {
  readonly decision: Extract<Decision, "HaltUpgradeNeeded" | "HaltBinaryTooEarly">;
  readonly plan: Plan;
  readonly planBytes: Uint8Array;
  readonly message: string;
  /** What was found in place of the handler. */
  readonly details: ErrorDetails;
}

function planHalt(
  keeper: Keeper,
  { height, appVersion }: DecisionFacts,
  { decision, plan, planBytes, message, details }: PlanHalt,
): Halt {
  if (decision === "HaltUpgradeNeeded") {
    keeper.writeUpgradeInfo(height, planBytes);
    return new Halt("UPG_HALT_UPGRADE_NEEDED", message, height, plan, details);
  }
  return new Halt("UPG_HALT_BINARY_TOO_EARLY", message, height, plan, {
    ...handlerDetails(keeper.handler(plan.name)?.wasm),
    app_version: String(appVersion),
  });
}

function downgradeHalt(
  { core }: Pick<Keeper, "core">,
  { height, appVersion }: DecisionFacts,
  last: DoneUpgrade | undefined,
  plan: Plan | undefined,
): Halt {
  assert(last, "a downgrade halt names the last upgrade");
  const message = core.haltText("HaltHandlerMissing", height, appVersion, last.name);
  return new Halt("UPG_HALT_HANDLER_MISSING", message, height, plan, { last_upgrade: last.name });
}

function reportUnfit(keeper: Keeper, plan: Plan, found: FoundHandler, isApplying: boolean): void {
  const { state, problem, handler, details } = found;
  if (!isApplying) {
    keeper.warnOnce(`${problem}; before the height it counts as no handler`);
    return;
  }
  const code = state === "ambiguous" ? "UPG_HANDLER_DUPLICATE" : "UPG_HANDLER_HASH";
  throw failureOf(new UpgradeError(code, problem, { details }), plan, handler?.wasm);
}
