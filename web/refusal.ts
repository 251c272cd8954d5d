/** What was thrown in a worker, for the page. */
import { isUpgradeError } from "chain-upgrade/verify";
import { text } from "./json.js";
import type { Refused } from "./messages.js";

export function refusalOf(error: unknown): Refused {
  if (isUpgradeError(error)) {
    const { reason, said } = error.details ?? {};
    return { kind: "refused", code: error.code, message: error.message, reason: text(reason), said: text(said) };
  }
  return { kind: "refused", code: "", message: error instanceof Error ? error.message : String(error) };
}
