/** The plans that the state of a home names, for commands that run while its node does not. */

import { sha256 } from "../../base/native/sha256.js";
import type { DoneUpgrade, Height, Plan } from "../../base/types/types.js";
import { Home } from "../../node/home/home.js";
import { openShared } from "../../node/open/home-database.js";
import { lastUpgrade, scheduledPlan } from "../../upgrade/module/stored-plans.js";

/** Undefined: no plan is scheduled, no block was made, or the database is not free or not whole. Writes nothing. */
export const scheduledPlanOf = (path: string): { readonly plan: Plan; readonly last: Height } | undefined =>
  read(path, (database) => scheduledPlan(database, sha256));

/** Undefined: no upgrade was applied, or the database is not free or not whole. Writes nothing. */
export const lastUpgradeOf = (path: string): DoneUpgrade | undefined =>
  read(path, (database) => lastUpgrade(database, sha256));

type Database = ReturnType<typeof openShared>["database"];

function read<T>(path: string, use: (database: Database) => T): T | undefined {
  const home = new Home(path);
  if (!home.hasDatabase) return undefined;
  try {
    const reader = openShared(home);
    try {
      return use(reader.database);
    } finally {
      reader.close();
    }
  } catch {
    return undefined;
  }
}
