/**
 * The metered module inside the handler's own file (docs/abi.md): custom section `chain-upgrade.metered`. Hosts that have
 * no meter run these bytes, so one hash pins both. This host makes them again from the module, and takes no others.
 */

import { assert, UpgradeError } from "../../base/errors/errors.js";
import { concatBytes } from "../../base/text/bytes.js";
import { HANDLER_BYTES_MAX } from "../../base/types/limits.js";
import { customSection, withoutSections } from "../wasm/custom-section.js";
import { examineHandler } from "./check/check.js";
import { METERED_SECTION } from "./check/metered.js";
import { requireNoFindings } from "./handler.js";
import { meterModule } from "./meter/meter.js";

/**
 * The file with its metered module at its end; one that it has is replaced. The bytes depend on the file's others and on
 * the gas schedule alone.
 *
 * @throws UpgradeError UPG_HANDLER_* for what is no handler; UPG_HANDLER_LIMIT when the file would be too long
 */
export function withMetered(file: Uint8Array): Uint8Array {
  const plain = file.length > HANDLER_BYTES_MAX ? file : withoutSections(file, [METERED_SECTION]);
  const { module, findings } = examineHandler(plain);
  requireNoFindings(findings);
  assert(module, "a file without findings has no module");
  const metered = concatBytes(plain, customSection(METERED_SECTION, meterModule(module)));
  if (metered.length > HANDLER_BYTES_MAX) throw tooLong(metered.length);
  // The section counts as one more.
  requireNoFindings(examineHandler(metered).findings);
  return metered;
}

function tooLong(length: number): UpgradeError {
  const what = `with its metered module the file has ${length} bytes, at most ${HANDLER_BYTES_MAX} are allowed`;
  return new UpgradeError("UPG_HANDLER_LIMIT", `${what}; strip debug sections and build for size`);
}
