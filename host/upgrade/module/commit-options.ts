/** How the block of an upgrade is committed: kept for good, with the receipt of a Wasm handler written last. */

import type { Height } from "../../base/types/types.js";
import type { CommitOptions } from "../../state/store/versions/store-options.js";
import type { Core } from "../core/core.js";
import { encodeReceipt } from "../handler/encode-receipt.js";
import type { AppliedUpgrade } from "./hooks.js";
import { UPGRADE_STORE } from "./keeper.js";

/**
 * What a commit multi-store stages the block of `height` with: the version of an upgrade is never pruned, the one
 * before it not until the handler's witness exists or an operator gives it up, and a Wasm handler's receipt names the roots that
 * the block commits, so it is written last of all. Nothing for other blocks.
 *
 * @example
 * console.log(upgradeCommitOptions(new Core(), 7n, undefined)); // → {}
 */
export function upgradeCommitOptions(
  core: Core,
  height: Height,
  applied: AppliedUpgrade | undefined,
): Pick<CommitOptions, "keep" | "holdBefore" | "last"> {
  if (!applied) return {};
  const { handler, report, plan, writes } = applied;
  const { wasm } = handler;
  if (!wasm || !report) return { keep: true, holdBefore: plan.name };
  const write: NonNullable<CommitOptions["last"]>["write"] = (store, roots) =>
    core.setReceipt(store, plan.name, encodeReceipt({ plan: plan.name, height, wasm, report, writes, roots }));
  return { keep: true, holdBefore: plan.name, last: { store: UPGRADE_STORE, write } };
}
