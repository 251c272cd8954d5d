/**
 * The metered module inside the handler's own file (docs/abi.md), a custom section. Hosts that have no meter run these bytes, so one
 * hash pins both. check.wasm makes them again from the module, and takes no others.
 */

import { assert, UpgradeError } from "../../base/errors/errors.js";
import { concatBytes } from "../../base/text/bytes.js";
import { HANDLER_BYTES_MAX } from "../../base/types/limits.js";
import { customSection, withoutSections } from "../wasm/custom-section.js";
import { examineHandler } from "./check/check.js";
import { requireNoFindings } from "./handler.js";

export const METERED_SECTION = "chain-upgrade.metered";

/**
 * The file with its metered module at its end; one that it has is replaced. The bytes depend on the file's others and on
 * the gas schedule alone.
 *
 * @throws UpgradeError UPG_HANDLER_* for what is no handler; UPG_HANDLER_LIMIT when the file would be too long
 */
export function withMetered(file: Uint8Array): Uint8Array {
  const plain = file.length > HANDLER_BYTES_MAX ? file : withoutSections(file, [METERED_SECTION]);
  const { metered, findings } = examineHandler(plain);
  requireNoFindings(findings);
  assert(metered, "a file without findings has no metered module");
  const whole = concatBytes(plain, customSection(METERED_SECTION, metered));
  if (whole.length > HANDLER_BYTES_MAX) throw tooLong(whole.length);
  // The section counts as one more.
  requireNoFindings(examineHandler(whole).findings);
  return whole;
}

function tooLong(length: number): UpgradeError {
  const what = `with its metered module the file has ${length} bytes, at most ${HANDLER_BYTES_MAX} are allowed`;
  return new UpgradeError("UPG_HANDLER_LIMIT", `${what}; strip debug sections and build for size`);
}
