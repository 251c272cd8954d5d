/** The link `current`, and the program that it leads to: without them a sidecar starts nothing, and switches nothing. */
import { join, relative, resolve } from "node:path";
import type { Files } from "../../base/files/files.js";
import { shellWord } from "../../base/text/shell-word.js";
import { rollbackOf } from "../../node/home/supervised-start.js";
import { type MachineName, programProblem } from "../../node/programs/executable.js";
import { lastSwitch, lostLink } from "../../node/programs/lost-link.js";
import { type Plan, planIn } from "../decide/decision/plan-file.js";
import { isSame } from "../decide/decision/queue.js";
import type { Settings } from "../decide/settings.js";

export interface CurrentProblem {
  /** `current`: the link; `program`: what it leads to. */
  readonly what: "current" | "program";
  readonly problem: string;
  readonly next: string | null;
}

export const currentLink = (root: string): string => join(root, "current");

/** Undefined: the next start finds its program. @throws what the system says */
export function currentProblem(
  files: Files,
  { root, name }: Pick<Settings, "root" | "name">,
  machine?: MachineName,
): CurrentProblem | undefined {
  const link = currentLink(root);
  const found = files.linkFacts(link);
  const lost = lostLink(files, root);
  if (lost) return { what: "current", ...lost };
  if (!found) {
    const problem = programProblem(files, join(root, "genesis", "bin", name), machine);
    if (problem === undefined) return undefined;
    return { what: "current", problem: `there is no ${link}, and ${problem}`, next: "chainvisor init PROGRAM" };
  }
  if (found.kind !== "link")
    return { what: "current", problem: `${link} must be a link, and is a ${found.kind}`, next: null };
  const target = files.readLink(link);
  const folder = relative(root, resolve(root, target));
  const next = `ln -sfn ${shellWord(lastSwitch(files, root)?.folder ?? "genesis")} ${shellWord(link)}`;
  if (!/^(genesis|upgrades\/[^/]+)$/.test(folder))
    return { what: "current", problem: `${link} leads out of ${root}: ${target}`, next };
  if (!files.facts(link)) return { what: "current", problem: `${link} leads to ${target}, where nothing is`, next };
  const problem = programProblem(files, join(root, folder, "bin", name), machine);
  return problem === undefined ? undefined : { what: "program", problem, next: null };
}

/** The plan of the program that `current` leads to; null: none brought it. */
export const linkedPlan = (files: Files, { root, isCaseKept }: Pick<Settings, "root" | "isCaseKept">): Plan | null =>
  planIn(files, join(currentLink(root), "upgrade-info.json"), isCaseKept) ?? null;

/**
 * A link that leads to the program of a plan whose height is not reached: the data was restored from before the upgrade, or somebody
 * made the link by hand. A switch leaves the plan's file in the folder; a link by hand is known by the folder's name.
 * @param reached the last block of the data; undefined: not known
 * @param chain the plan that comes next: an operator may have switched to its program before its height
 * @param linked what `linkedPlan` returned before the height was read: a switch in between is no early one
 */
export function earlyProblem(
  files: Files,
  settings: Pick<Settings, "home" | "name" | "root" | "isCaseKept">,
  reached: bigint | undefined,
  chain?: Pick<Plan, "name" | "height">,
  linked = linkedPlan(files, settings),
): CurrentProblem | undefined {
  const { root } = settings;
  const link = currentLink(root);
  const name = linked?.name ?? linkedByHand(files, settings);
  const plan = name !== undefined && chain && isSame(name, chain.name) ? chain : linked;
  // At the height before, the program may be about to make the block.
  if (!plan || reached === undefined || reached + 1n >= plan.height) return undefined;
  const problem = `${link} leads to the program of "${plan.name}", whose height is ${plan.height}, and the data is at ${reached}: it comes too early`;
  return {
    what: "current",
    problem,
    next: (linked ? rollbackOf(settings) : undefined) ?? linkBefore(files, root, reached),
  };
}

/** Of the plan whose folder is linked; undefined: a switch, which leaves the plan's file, has made the link meanwhile. */
function linkedByHand(files: Files, settings: Pick<Settings, "root" | "isCaseKept">): string | undefined {
  const { root } = settings;
  const link = currentLink(root);
  if (linkedPlan(files, settings) || files.linkFacts(link)?.kind !== "link") return undefined;
  const [folder, name, ...deeper] = relative(root, resolve(root, files.readLink(link))).split("/");
  if (folder !== "upgrades" || name === undefined || deeper.length > 0) return undefined;
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** To the program of the last switch that the data has passed. */
function linkBefore(files: Files, root: string, reached: bigint): string {
  const before = lastSwitch(files, root, Number(reached) + 1)?.folder ?? "genesis";
  return `ln -sfn ${shellWord(before)} ${shellWord(currentLink(root))}`;
}
