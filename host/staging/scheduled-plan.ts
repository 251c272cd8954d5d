/** The plan that the state of a home holds, for commands that run while its node does not. */
import { Home } from "../engine/home/home.js";
import { openShared } from "../engine/home/home-database.js";
import { sha256 } from "../native/sha256.js";
import type { Height, Plan } from "../types.js";
import { scheduledPlan } from "../upgrade/stored-plans.js";

/** Undefined: no plan is scheduled, no block was made, or the database is not free or not whole. Writes nothing. */
export function scheduledPlanOf(path: string): { readonly plan: Plan; readonly last: Height } | undefined {
  const home = new Home(path);
  if (!home.hasDatabase) return undefined;
  try {
    const reader = openShared(home);
    try {
      return scheduledPlan(reader.database, sha256);
    } finally {
      reader.close();
    }
  } catch {
    return undefined;
  }
}
