/** Is this file a handler? Everything that can be said before it runs, by rules that no engine and no version of one changes. */
import { isUpgradeError } from "../../../base/errors/errors.js";
import { HANDLER_BYTES_MAX, MANIFEST_BYTES_MAX } from "../../../base/types/limits.js";
import { decodeModule } from "../../wasm/decode.js";
import { type Finding, Findings } from "../../wasm/findings.js";
import { functionNamer } from "../../wasm/function-names.js";
import type { WasmModule } from "../../wasm/wasm-module.js";
import { MANIFEST_SECTION, parseManifest } from "../manifest/manifest.js";
import type { Manifest } from "../manifest/manifest-types.js";
import { checkExports, checkImports } from "./interface.js";
import { readMetered } from "./metered.js";

export interface HandlerCheck {
  /** The plan's name; null when the manifest could not be read. */
  readonly name: string | null;
  readonly gasLimit: bigint | null;
  /** What is wrong, in the order of the checks; none: the file is a handler. */
  readonly findings: readonly Finding[];
}

/** The same with what it was found out from. With findings, `module` and `manifest` say what could be read. */
export interface Examination {
  /** A copy: what was checked is what runs. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly module: WasmModule | undefined;
  readonly manifest: Manifest | undefined;
  /** What custom section `chain-upgrade.metered` holds, found to be right; undefined without that section. */
  readonly metered: Uint8Array<ArrayBuffer> | undefined;
  readonly findings: readonly Finding[];
}

/**
 * Never throws, crashes or hangs, whatever the bytes; work is linear in their length.
 *
 * @internal what tests look at: findings alone
 */
export function checkHandler(bytes: Uint8Array): HandlerCheck {
  const { manifest, findings } = examineHandler(bytes);
  return { name: manifest?.name ?? null, gasLimit: manifest?.gasLimit ?? null, findings };
}

export function examineHandler(input: Uint8Array): Examination {
  const findings = new Findings();
  if (input.length > HANDLER_BYTES_MAX) {
    const what = `the file is longer than the ${HANDLER_BYTES_MAX} bytes that are allowed`;
    findings.add("UPG_HANDLER_LIMIT", null, `${what}; strip debug sections and build for size`);
    const list = findings.list(String);
    const nothing = { module: undefined, manifest: undefined, metered: undefined };
    return { bytes: new Uint8Array(0), ...nothing, findings: list };
  }
  const bytes = new Uint8Array(input);
  const { module, isFramed, isWhole } = decodeModule(bytes, findings);
  const manifest = isFramed ? readManifest(module, findings) : undefined;
  if (isWhole) {
    checkImports(module, findings);
    checkExports(module, manifest, findings);
  }
  // Our own findings name the place and do not depend on the engine, so its word is only needed when there are none; its
  // parser never meets a file that ours refuses. On the original: an index that is invalid there could become valid once
  // the host has added to the module.
  if (findings.isEmpty && !WebAssembly.validate(bytes)) {
    const what = "operands have the wrong type or number (WebAssembly.validate refuses the module)";
    findings.add("UPG_HANDLER_FORMAT", null, `${what}; rebuild it, and check it with wasm-validate`);
  }
  const metered = isFramed ? readMetered(module, findings) : undefined;
  return { bytes, module, manifest, metered, findings: findings.list(functionNamer(module)) };
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
    findings.add("UPG_HANDLER_MANIFEST", payloadStart, error.message);
    return undefined;
  }
}
