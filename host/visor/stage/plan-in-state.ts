/** The plan that the state of a home holds. Before its height it is in no file; of other chains only their node knows it. */
import type { Files } from "../../base/files/files.js";
import type { Pending } from "../decide/decision/decide.js";
import type { Plan } from "../decide/decision/plan-file.js";
import type { Settings } from "../decide/settings.js";
import { isOurHome } from "./plan-way.js";

export interface PlanInState extends Pending {
  /** Height of that state. */
  readonly last: bigint;
}

/** Undefined: none is scheduled, the home is none of this project's chains, or its database cannot be read now. */
export async function planInState(
  files: Files,
  { home, isCaseKept }: Pick<Settings, "home" | "isCaseKept">,
): Promise<PlanInState | undefined> {
  if (!isOurHome(files, home)) return undefined;
  const { scheduledPlanOf } = await import("./scheduled-plan.js");
  const found = scheduledPlanOf(home);
  if (!found) return undefined;
  const { plan, last } = found;
  return { plan: { ...plan, name: folderCase(plan.name, isCaseKept) }, last, origin: "chain" };
}

/** The upgrade that made the state of a home; undefined as above, and where none was applied. */
export async function appliedInState(
  files: Files,
  { home, isCaseKept }: Pick<Settings, "home" | "isCaseKept">,
): Promise<Plan | undefined> {
  if (!isOurHome(files, home)) return undefined;
  const { lastUpgradeOf } = await import("./scheduled-plan.js");
  const found = lastUpgradeOf(home);
  return found && { ...found, name: folderCase(found.name, isCaseKept), info: "" };
}

const folderCase = (name: string, isCaseKept: boolean) => (isCaseKept ? name : name.toLowerCase());
