/** Attaches a manifest to a module of any language's compiler, in the place of one that it has. */

import { isUpgradeError, UpgradeError } from "../../base/errors/errors.js";
import { sha256 } from "../../base/native/sha256.js";
import { usage } from "../../base/terminal/usage.js";
import { concatBytes, utf8 } from "../../base/text/bytes.js";
import { HANDLER_BYTES_MAX, MANIFEST_BYTES_MAX } from "../../base/types/limits.js";
import { examineHandler } from "../../upgrade/handler/check/check.js";
import { loadHandler } from "../../upgrade/handler/handler.js";
import { MANIFEST_SECTION } from "../../upgrade/handler/manifest/manifest-types.js";
import { METERED_SECTION } from "../../upgrade/handler/metered-section.js";
import { customSection, withoutSections } from "../../upgrade/wasm/custom-section.js";
import { C_DECLARATION_SECTION, cManifest } from "./c-declaration.js";
import { meteredText, putMetered } from "./metered-file.js";
import { writeOutFile } from "./out-file.js";
import { manifestWarnings } from "./semantics.js";
import { readWasmFile } from "./wasm-file.js";

export interface PackOptions {
  readonly file: string;
  /** A file of JSON, as docs/abi.md describes it; left out where the module has its declaration in it (C). */
  readonly manifest?: string | undefined;
  readonly out: string;
}

export interface PackAnswer {
  readonly file: string;
  readonly name: string;
  readonly sha256: string;
  readonly size: number;
  /** Bytes of the metered module that is in it; null: there is no room for it. */
  readonly metered: number | null;
  readonly gas_limit: string;
  readonly warnings: readonly string[];
}

/**
 * @throws UpgradeError UPG_HANDLER_* when the manifest is none, or nodes would refuse the file; UPG_INVALID_ARGUMENT and
 *   UPG_STORE_IO when one cannot be read. Nothing is written then.
 */
export function packHandler({ file, manifest, out }: PackOptions): PackAnswer {
  const module = readWasmFile(file).bytes;
  if (module.length > HANDLER_BYTES_MAX) {
    throw new UpgradeError(
      "UPG_HANDLER_LIMIT",
      `${file} is longer than the ${HANDLER_BYTES_MAX} bytes that are allowed`,
    );
  }
  const json = manifestOf(file, module, manifest);
  const { handler, metered, warnings } = named(file, () => {
    const bare = withoutSections(module, [MANIFEST_SECTION, METERED_SECTION, C_DECLARATION_SECTION]);
    return putMetered(loadHandler(concatBytes(bare, customSection(MANIFEST_SECTION, json)), { sha256 }));
  });
  writeOutFile(out, handler.bytes, manifest === undefined ? [] : [manifest]);
  return {
    file: out,
    name: handler.manifest.name,
    sha256: handler.hash,
    size: handler.bytes.length,
    metered,
    gas_limit: String(handler.manifest.gasLimit),
    warnings: [...manifestWarnings(handler.manifest), ...warnings],
  };
}

/** Of the file that has it, or of the declaration in the module: one of the two, so that nothing is said twice. */
function manifestOf(file: string, module: Uint8Array, manifest: string | undefined): Uint8Array {
  const declared = named(file, () => cManifest(module));
  if (manifest === undefined) {
    if (declared) return utf8(JSON.stringify(declared));
    throw usage(`${file} has no declaration in it: name its manifest with --manifest`);
  }
  if (declared) throw usage(`${file} declares its manifest itself: leave --manifest out`);
  const json = named(manifest, () => trimmed(readWasmFile(manifest).bytes));
  named(manifest, () => requireManifest(json));
  return json;
}

/** Before it is in a file, so that an error is about the manifest's own file: it is checked in a module that has nothing else. */
function requireManifest(json: Uint8Array): void {
  if (json.length > MANIFEST_BYTES_MAX) {
    const what = `manifest: $: has ${json.length} bytes, at most ${MANIFEST_BYTES_MAX} are allowed`;
    throw new UpgradeError("UPG_HANDLER_MANIFEST", what);
  }
  const module = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);
  const { findings } = examineHandler(concatBytes(module, customSection(MANIFEST_SECTION, json)));
  const found = findings.find(({ code }) => code === "UPG_HANDLER_MANIFEST");
  if (found) throw new UpgradeError(found.code, found.message);
}

export function packText({ file, name, sha256: hash, size, metered, gas_limit, warnings }: PackAnswer): string {
  const head = `${file}  ${size} bytes, for plan ${JSON.stringify(name)}, at most ${gas_limit} gas`;
  return [
    head,
    `sha256  ${hash}`,
    `metered ${meteredText(metered)}`,
    ...warnings.map((warning) => `warning ${warning}`),
  ].join("\n");
}

/** Which of the two files an error is about. */
function named<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (!isUpgradeError(cause) || cause.message.includes(path)) throw cause;
    throw new UpgradeError(cause.code, `${path}: ${cause.template}`, { cause, details: cause.details });
  }
}

/** Without the blanks and line ends around it: editors end a file with one. */
function trimmed(bytes: Uint8Array): Uint8Array {
  const isBlank = (byte: number | undefined) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
  let [start, end] = [0, bytes.length];
  while (start < end && isBlank(bytes[start])) start++;
  while (end > start && isBlank(bytes[end - 1])) end--;
  return bytes.subarray(start, end);
}
