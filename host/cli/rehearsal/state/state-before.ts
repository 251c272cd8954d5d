/**
 * Puts a state just before the height of an upgrade, in an overlay: as if blocks without content had been made up to there. The
 * record of such a commit differs from the one before in its version alone, and app hashes do not depend on when it was made.
 * A plan that nobody has scheduled yet is written into that state too.
 */

import { assert, UpgradeError } from "../../../base/errors/errors.js";
import { sha256 } from "../../../base/native/sha256.js";
import { equalBytes } from "../../../base/text/bytes.js";
import { HEIGHT_MAX } from "../../../base/types/limits.js";
import type { Height, Plan } from "../../../base/types/types.js";
import type { Database } from "../../../state/store/disk/database.js";
import { commitKey } from "../../../state/store/disk/keys.js";
import { CommitMultiStore } from "../../../state/store/versions/commit-multi-store.js";
import { encodeCommit, readCommit } from "../../../state/store/versions/commit-record.js";
import type { Core } from "../../../upgrade/core/core.js";
import { UPGRADE_STORE } from "../../../upgrade/module/upgrade-store.js";

export interface Place {
  /** Of the committed state that is begun with. */
  readonly stateHeight: Height;
  readonly plan: Plan;
  /** Height of the upgrade block. */
  readonly height: Height;
  /** State holds this very plan. */
  readonly isScheduled: boolean;
}

/** What is rehearsed: the plan that state holds, or one by name, or one as it is. */
export type WantedPlan =
  | { readonly kind: "scheduled" }
  | { readonly kind: "named"; readonly name: string }
  | { readonly kind: "given"; readonly plan: Plan }
  /** Whatever pin a scheduled plan has, and also when it was applied before. */
  | { readonly kind: "forced"; readonly name: string };

/** @throws UpgradeError UPG_NOT_FOUND_PLAN, UPG_INVALID_PLAN_* */
export function choosePlace(database: Database, stateHeight: Height, core: Core, wanted: WantedPlan): Place {
  const stores = new CommitMultiStore(database, { sha256 }).at(stateHeight);
  const scheduled = core.plan(stores.store(UPGRADE_STORE));
  const next = stateHeight + 1n;
  const placed = (plan: Plan, isScheduled: boolean): Place => {
    // The block that schedules a plan cannot be the one that applies it.
    const first = isScheduled ? next : next + 1n;
    const height = plan.height < first ? first : plan.height;
    if (height > HEIGHT_MAX) {
      throw new UpgradeError("UPG_INVALID_PLAN_HEIGHT", `no chain comes to the height ${height} of the plan`);
    }
    return { stateHeight, plan: isScheduled ? plan : { ...plan, height }, height, isScheduled };
  };
  switch (wanted.kind) {
    case "scheduled":
      if (scheduled) return placed(scheduled, true);
      throw new UpgradeError(
        "UPG_NOT_FOUND_PLAN",
        `no plan is scheduled at height ${stateHeight}: name one with --plan, or give its handler with --handler`,
      );
    case "named":
      if (scheduled?.name === wanted.name) return placed(scheduled, true);
      return placed({ name: wanted.name, height: next, info: "" }, false);
    case "given": {
      const isSame = scheduled && equalBytes(core.encodePlan(scheduled), core.encodePlan(wanted.plan));
      return placed(wanted.plan, isSame === true);
    }
    case "forced": {
      const { name } = wanted;
      const isAsIs = scheduled?.name === name && scheduled.height === next && scheduled.info === "";
      return placed({ name, height: next, info: "" }, isAsIs);
    }
  }
}

/** @param isForced a plan of that name may have been applied: that is forgotten @throws UpgradeError UPG_INVALID_PLAN_*, UPG_STORE_* */
export function takePlace(overlay: Database, place: Place, core: Core, isForced: boolean): void {
  const before = place.height - 1n;
  if (place.isScheduled) {
    copyCommit(overlay, place.stateHeight, before);
    return;
  }
  copyCommit(overlay, place.stateHeight, before - 1n);
  writePlan(overlay, place, core, isForced);
}

/** The same commit under the version of a later block. */
function copyCommit(overlay: Database, from: Height, to: Height): void {
  if (from === to) return;
  const state = readCommit(overlay, Number(from));
  assert(state, "the version that is rehearsed on is kept");
  const version = Number(to);
  overlay.transaction((batch) => batch.put(commitKey(version), encodeCommit({ ...state, version })));
}

/** A commit that schedules the plan. */
function writePlan(overlay: Database, { plan, height }: Place, core: Core, isForced: boolean): void {
  const stores = new CommitMultiStore(overlay, { sha256, versionsKept: Number.POSITIVE_INFINITY });
  stores.mount(...stores.storedNames);
  const { time, engine } = stores.lastBlock;
  stores.loadLatestVersion();
  const branch = stores.branch();
  const store = branch.store(UPGRADE_STORE);
  if (isForced) store.delete(core.doneKey(plan.name));
  core.schedule(store, height - 1n, plan);
  branch.write();
  stores.commit({ engine, ...(time ? { time } : {}) });
}
