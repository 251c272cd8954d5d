/** What the state of a home says about plans, for the record of an end. */

import type { ErrorDetails } from "../../base/errors/errors.js";
import type { DoneUpgrade, Height, Plan, Sha256 } from "../../base/types/types.js";
import type { Database } from "../../state/store/disk/database.js";
import { CommitMultiStore } from "../../state/store/versions/commit-multi-store.js";
import { Core } from "../core/core.js";
import { UPGRADE_STORE } from "./keeper.js";

/** The plan that the last state holds, and the height of that state. Never throws; without a plan: undefined. */
export function scheduledPlan(database: Database, sha256: Sha256): { plan: Plan; last: Height } | undefined {
  try {
    const stores = new CommitMultiStore(database, { sha256 });
    const { version: last } = stores.lastCommitID;
    const plan = last === 0n ? undefined : new Core().plan(stores.at(last).store(UPGRADE_STORE));
    return plan && { plan, last };
  } catch {
    return undefined;
  }
}

/** The upgrade that the last state was made by. Never throws; undefined: none was applied. */
export function lastUpgrade(database: Database, sha256: Sha256): DoneUpgrade | undefined {
  try {
    const stores = new CommitMultiStore(database, { sha256 });
    const { version: last } = stores.lastCommitID;
    return last === 0n ? undefined : new Core().lastDone(stores.at(last).store(UPGRADE_STORE));
  } catch {
    return undefined;
  }
}

/** The plan that state holds for the next block. Never throws. */
function duePlan(database: Database, sha256: Sha256): Plan | undefined {
  const { plan, last = 0n } = scheduledPlan(database, sha256) ?? {};
  return plan && plan.height <= last + 1n ? plan : undefined;
}

/** What the last block did: `skipped_plan` or `applied_plan`, with the plan's name. Empty: no plan was due there, or the state before is pruned. Never throws. */
export function upgradeOfLastBlock(database: Database, sha256: Sha256): ErrorDetails {
  try {
    const stores = new CommitMultiStore(database, { sha256 });
    const { version } = stores.lastCommitID;
    const core = new Core();
    const plan = version > 1n ? core.plan(stores.at(version - 1n).store(UPGRADE_STORE)) : undefined;
    if (!plan || plan.height > version) return {};
    const isApplied = core.doneHeight(stores.at(version).store(UPGRADE_STORE), plan.name) > 0n;
    return isApplied ? { applied_plan: plan.name } : { skipped_plan: plan.name };
  } catch {
    return {};
  }
}

export interface StoredPlans {
  readonly duePlan: Plan | undefined;
  readonly lastUpgrade: ErrorDetails;
}

export function storedPlans(database: Database | undefined, sha256: Sha256): StoredPlans {
  if (!database) return { duePlan: undefined, lastUpgrade: {} };
  return { duePlan: duePlan(database, sha256), lastUpgrade: upgradeOfLastBlock(database, sha256) };
}
