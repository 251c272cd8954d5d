/** A program that does not fit the state of its home, by its own words: no start of it succeeds, and another program leads out. */
import { UpgradeError } from "../../base/errors/errors.js";
import type { Files } from "../../base/files/files.js";
import { shellWord } from "../../base/text/shell-word.js";
import { chainvisorFor } from "../../node/home/supervised-start.js";
import { Layout } from "../../node/programs/layout.js";
import { placesOf } from "../decide/decision/paths.js";
import { type Plan, planIn } from "../decide/decision/plan-file.js";
import { isSame } from "../decide/decision/queue.js";
import type { Settings } from "../decide/settings.js";
import type { Readiness } from "../decide/status.js";
import { currentLink, currentProblem, linkedPlan } from "./current-link.js";
import { appliedInState } from "./plan-in-state.js";
import { nextCommand, replaceCommand } from "./plan-way.js";
import { askCurrent, CHECK_MILLIS_MAX, type ProbeOptions } from "./probe.js";

const CODES = ["UPG_HALT_HANDLER_MISSING", "UPG_STORE_UPGRADE", "UPG_STORE_VERSION_MISMATCH"] as const;
/** The only one of them whose exit status means that the program is too old (12). */
const TOO_OLD = "UPG_HALT_HANDLER_MISSING";
/** As the Cosmos SDK words it. */
const MISSING = /\bupgrade handler is missing for (.+) upgrade plan\b/;

export const needsOtherProgram = (code: string): boolean => CODES.some((each) => each === code);

interface Home {
  readonly settings: Settings;
  readonly files: Files;
}

/** The places of a plan's programs. */
export const layoutOf = ({ settings: { home, name, isCaseKept }, files }: Home) =>
  new Layout({ home, name, program: undefined, upgrades: new Map(), own: "", isCaseKept, files });

/** The upgrade that a message names, else the one that brought the current program. */
function planFor(message: string, { settings, files }: Home): string | undefined {
  return MISSING.exec(message)?.[1] ?? planIn(files, placesOf(settings).currentPlan, settings.isCaseKept)?.name;
}

/**
 * The command that puts the right program in its place; undefined: the error is about something else, or nobody knows the plan.
 * @param error that the program exited with, in its record or in the file for its last error
 */
export function otherProgram(
  error: { readonly code: string; readonly message: string } | undefined,
  home: Home,
): string | undefined {
  if (!error || !needsOtherProgram(error.code)) return undefined;
  const name = planFor(error.message, home);
  if (name === undefined) return undefined;
  const isThere = home.files.linkFacts(layoutOf(home).of(name).file) !== undefined;
  if (isThere) return replaceCommand({ name }, home.settings);
  return nextCommand({ name, info: "" }, undefined, chainvisorFor(home.settings));
}

interface Fit {
  /** `yes`; `through`: the current program cannot run the state, and the next start links the one that can; `no`. */
  readonly fits: "yes" | "through" | "no";
  /** Row for `through` and `no`. */
  readonly row?: Readiness;
  /** What the current program has said. */
  readonly asked: Readiness;
}

/**
 * May the next start run this state?
 * @param start command that starts the sidecar
 * @param applied reads the upgrade that made the state
 * @returns undefined: the current program cannot be asked
 */
export async function currentFits(
  options: ProbeOptions & Pick<Home, "settings">,
  start: string,
  applied = () => appliedInState(options.files, options.settings),
): Promise<Fit | undefined> {
  const { program, files, settings } = options;
  const report = await askCurrent(options);
  if (!report) return undefined;
  const asked = report.row;
  if (report.isLate) return { fits: "no", row: asked, asked };
  const problem = unfitIn(asked);
  if (!problem) return { fits: "yes", asked };
  const name = planFor(problem.message, options);
  const plans = name === undefined ? undefined : layoutOf(options).of(name);
  const isOther = plans !== undefined && plans.file !== program.file && files.facts(plans.file) !== undefined;
  const detail = `${program.file} cannot run the state of this home: ${problem.message}`;
  const other = isOther ? await askCurrent({ ...options, program: plans }) : undefined;
  // Of a plan that comes next it may lack something; its row says so once it is linked.
  if (plans && other && !unfitIn(other.row)) {
    const isLinked = isLinkedByStart(problem.code, plans.name, { settings, files, applied: await applied() });
    const words = isLinked
      ? `${detail}. The next start links ${plans.file}`
      : `${detail}. ${plans.file} can, and no start links it`;
    const next = isLinked ? start : `ln -sfn ${shellWord(plans.folder ?? "")} ${shellWord(currentLink(settings.root))}`;
    return { fits: isLinked ? "through" : "no", row: { what: "program", state: "wrong", detail: words, next }, asked };
  }
  const next = otherProgram(problem, { settings, files }) ?? null;
  return { fits: "no", row: { what: "program", state: "wrong", detail, next }, asked };
}

/**
 * Does a start switch to the program of `plan` after the current one has exited? As the run loop decides it (decide.ts): the current
 * program must exit because it is too old, the state must name the plan, and `current` must not lead to a later one.
 */
function isLinkedByStart(
  code: string,
  plan: string,
  { settings, files, applied }: Home & { applied: Plan | undefined },
) {
  const isTooOld = code === TOO_OLD;
  const linked = linkedPlan(files, settings);
  if (!isTooOld || !applied || !isSame(applied.name, plan)) return false;
  return currentProblem(files, settings) === undefined && (!linked || applied.height > linked.height);
}

/**
 * Refuses a program that cannot run the state of the home, and one that did not report whether it can.
 * @param back command that makes the state fit the program
 * @throws UpgradeError UPG_STORE_VERSION_MISMATCH
 */
export async function requireFits(options: ProbeOptions, back: string): Promise<void> {
  const { home, program } = options;
  const report = await askCurrent(options);
  if (!report) return;
  const { row, isLate } = report;
  const unfit = unfitIn(row);
  if (unfit) {
    const what = `${program.file} cannot run the state of ${home}: ${unfit.message}. Nothing was changed`;
    const message = `${what}. Take the blocks of the newer program back before: \`${back}\``;
    throw new UpgradeError("UPG_STORE_VERSION_MISMATCH", message);
  }
  if (!isLate && row.state !== "unknown" && row.what !== "program") return;
  const [within, why] = isLate ? [` within ${CHECK_MILLIS_MAX / 1_000} s`, ""] : ["", `: ${row.detail}`];
  const what = `${program.file} did not report${within} whether it fits the state of ${home}${why}`;
  const message = `${what}. Nothing was changed. Find out why with \`${row.next}\`, then try again`;
  throw new UpgradeError("UPG_STORE_VERSION_MISMATCH", message);
}

/** What our `pre-upgrade` prints before an error that only the upgrade of a plan ahead has. Older programs print the error alone. */
const OF_PLAN = /\bthe plan ".*" is due at height \d+, and the next block is \d+: the upgrade cannot be made there: /;

/** What its `pre-upgrade` printed of the state, with one of these codes. */
export function unfitIn({ state, detail }: Readiness): { code: string; message: string } | undefined {
  const code = CODES.find((each) => state === "wrong" && detail.includes(`[${each}]`) && !OF_PLAN.test(detail));
  return code && { code, message: detail.replace(/^pre-upgrade ended with \d+: (Error: )?/, "") };
}
