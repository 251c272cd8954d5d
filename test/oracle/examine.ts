/**
 * Is this file a handler? An independent reading, in TypeScript, of the rules that check.wasm decides by. Tests compare the two. What the
 * tools of authors use as well (the decoder, the meter) is in host/.
 */
import { isUpgradeError } from "../../host/base/errors/errors.js";
import { cutText } from "../../host/base/text/text.js";
import { HANDLER_BYTES_MAX, MANIFEST_BYTES_MAX } from "../../host/base/types/limits.js";
import { MANIFEST_SECTION, type Manifest } from "../../host/upgrade/handler/manifest/manifest-types.js";
import { decodeModule } from "../../host/upgrade/wasm/decode.js";
import { type Finding, Findings } from "../../host/upgrade/wasm/findings.js";
import { functionNamer } from "../../host/upgrade/wasm/function-names.js";
import type { WasmModule } from "../../host/upgrade/wasm/wasm-module.js";
import { checkExports, checkImports } from "./interface.js";
import { parseManifest } from "./manifest/manifest.js";
import { type MeteredModule, readMetered } from "./metered.js";

/** The most that check.wasm keeps of a message; a path in a manifest can make one longer. */
const MESSAGE_BYTES_MAX = 16_384;

/** With findings, `module` and `manifest` say what could be read. */
export interface OracleExamination {
  readonly module: WasmModule | undefined;
  readonly manifest: Manifest | undefined;
  /** Undefined with findings. */
  readonly metered: MeteredModule | undefined;
  readonly findings: readonly Finding[];
}

export function examineByOracle(bytes: Uint8Array<ArrayBuffer>): OracleExamination {
  const findings = new Findings();
  if (bytes.length > HANDLER_BYTES_MAX) {
    const what = `the file is longer than the ${HANDLER_BYTES_MAX} bytes that are allowed`;
    findings.add("UPG_HANDLER_LIMIT", null, `${what}; strip debug sections and build for size`);
    return { module: undefined, manifest: undefined, metered: undefined, findings: findings.list(String) };
  }
  const { module, isFramed, isWhole } = decodeModule(bytes, findings);
  const manifest = isFramed ? readManifest(module, findings) : undefined;
  if (isWhole) {
    checkImports(module, findings);
    checkExports(module, manifest, findings);
  }
  // On the original: an index that is invalid there could become valid once the meter has added to the module.
  if (findings.isEmpty && !WebAssembly.validate(bytes)) {
    const what = "operands have the wrong type or number (the engine refuses the module)";
    findings.add("UPG_HANDLER_FORMAT", null, `${what}; rebuild it, and check it with wasm-validate`);
  }
  const metered = isFramed ? readMetered(module, findings) : undefined;
  return { module, manifest, metered, findings: findings.list(functionNamer(module)) };
}

function readManifest(module: WasmModule, findings: Findings): Manifest | undefined {
  const sections = module.customs.filter(({ name }) => name === MANIFEST_SECTION);
  const [first, second] = sections;
  const at = (second ?? first)?.section.start ?? null;
  if (!first || second) {
    const what = first ? `there are ${sections.length} custom sections` : "there is no custom section";
    findings.add("UPG_HANDLER_MANIFEST", at, `manifest: ${what} ${MANIFEST_SECTION}; exactly one is due`);
    return undefined;
  }
  const { payloadStart, section } = first;
  try {
    // A manifest above the limit is refused by its length, so one byte more than the limit is enough to read.
    const end = Math.min(section.end, payloadStart + MANIFEST_BYTES_MAX + 1);
    return parseManifest(module.bytes.subarray(payloadStart, end));
  } catch (error) {
    if (!isUpgradeError(error)) throw error;
    findings.add("UPG_HANDLER_MANIFEST", payloadStart, cutText(error.message, MESSAGE_BYTES_MAX));
    return undefined;
  }
}
