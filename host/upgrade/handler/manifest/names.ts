/** Names of plans, modules and stores, by the rule for plan names (specification 2.1, 5.9). */

import { utf8 } from "../../../base/text/bytes.js";
import { isWellFormed } from "../../../base/text/text.js";
import { PLAN_NAME_BYTES_MAX } from "../../../base/types/limits.js";

/** What is wrong with a name; undefined when nothing is. */
export function nameProblem(name: string, bytesMax = PLAN_NAME_BYTES_MAX): string | undefined {
  if (name === "") return "is empty";
  if (!isWellFormed(name)) return "holds half of a surrogate pair";
  const { length } = utf8(name);
  if (length > bytesMax) return `has ${length} bytes, at most ${bytesMax} are allowed`;
  if (/[\u0000-\u001f\u007f-\u009f]/.test(name)) return "holds a control character";
  return undefined;
}
