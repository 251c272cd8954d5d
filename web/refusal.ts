/** What was thrown in a worker, for the page. */
import { isUpgradeError } from "chain-upgrade/verify";
import type { Refused } from "./messages.js";

export function refusalOf(error: unknown): Refused {
  if (isUpgradeError(error)) return { kind: "refused", code: error.code, message: error.message };
  return { kind: "refused", code: "", message: error instanceof Error ? error.message : String(error) };
}
