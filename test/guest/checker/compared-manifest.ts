/** One manifest read twice: by the oracle, whose result or error this is, and by check.wasm, which must give the same. */
import { isUpgradeError } from "../../../host/base/errors/errors.js";
import { concatBytes } from "../../../host/base/text/bytes.js";
import { examineHandler } from "../../../host/upgrade/handler/check/check.js";
import type { Manifest } from "../../../host/upgrade/handler/manifest/manifest-types.js";
import { parseManifest as parseByOracle } from "../../oracle/manifest/manifest.js";
import { manifestSection } from "../build.js";
import { requireSame } from "./compared.js";

/** Its custom section may be all that a module has. */
const EMPTY_MODULE = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);

/** @throws UpgradeError UPG_HANDLER_MANIFEST of the oracle, with the path in `details`; Error where the two differ */
export function parseManifest(json: Uint8Array): Manifest {
  const { manifest, findings } = examineHandler(concatBytes(EMPTY_MODULE, manifestSection(json)));
  const [found] = findings.filter(({ code }) => code === "UPG_HANDLER_MANIFEST");
  try {
    const due = parseByOracle(json);
    requireSame("manifest", { manifest, message: found?.message }, { manifest: due, message: undefined });
    return due;
  } catch (error) {
    // check.wasm adds where the manifest is described.
    if (isUpgradeError(error)) requireSame("manifest", found?.message.slice(0, error.message.length), error.message);
    throw error;
  }
}
