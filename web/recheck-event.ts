/** When the page collects evidence again. */
import type { Checked } from "./messages.js";
import { contradictionOf } from "./report.js";
import type { ChainStatus } from "./status.js";

/**
 * Names what happened: the page collects evidence again when this changes. A block more is no event. Another plan or phase is
 * one, and so is a plan whose height is reached. While the evidence is outdated, each block is.
 * @param isOwn the page's own node reports the status
 */
export function eventOf(status: ChainStatus | undefined, checked: Checked | undefined, isOwn: boolean): string {
  const { phase, plan, height, last } = status ?? {};
  const isPast = plan !== undefined && height !== undefined && height > plan.height;
  const since = isOutdated(status, checked, isOwn) ? height : "";
  return `${phase} ${plan?.name} ${plan?.height} ${isPast} ${last?.height} ${since}`;
}

/** Is the evidence from before what is reported? A newer report may be right. */
function isOutdated(status: ChainStatus | undefined, checked: Checked | undefined, isOwn: boolean): boolean {
  if (!status || !checked || status.height <= checked.height) return false;
  // The block after an upgrade proves it. Evidence that was collected between the two blocks does not show it.
  const isBefore = status.last !== undefined && status.last.height > checked.height;
  return isBefore || contradictionOf(status, checked, isOwn) !== undefined;
}
