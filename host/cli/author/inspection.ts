/** What is inside a handler file, as far as it can be read: also of one that is refused. */

import { decodeText } from "../../base/text/text.js";
import { examineHandler } from "../../upgrade/handler/check/check.js";
import { MANIFEST_SECTION } from "../../upgrade/handler/manifest/manifest-types.js";
import type { ModuleTable } from "../../upgrade/module/module-table.js";
import { readModule } from "../../upgrade/wasm/decode.js";
import type { Finding } from "../../upgrade/wasm/findings.js";
import { functionNamer } from "../../upgrade/wasm/function-names.js";
import { signatureText } from "../../upgrade/wasm/value-types.js";
import { SECTION, type WasmModule } from "../../upgrade/wasm/wasm-module.js";
import { type Consequences, consequencesOf } from "./consequences/consequences.js";
import { carriedBytes } from "./metered-file.js";
import { readWasmFile } from "./wasm-file.js";

export interface InspectedFunction {
  readonly index: number;
  readonly name: string;
  readonly type: string;
  /** First byte of its body in the file, and how many there are. */
  readonly offset: number;
  readonly bytes: number;
}

export interface Inspection {
  readonly manifest: unknown;
  readonly imports: readonly { readonly name: string; readonly type: string }[];
  readonly exports: readonly { readonly name: string; readonly kind: string; readonly type?: string }[];
  readonly sections: readonly { readonly name: string; readonly bytes: number }[];
  readonly functions: readonly InspectedFunction[];
  /** The metered module that it carries, for hosts that cannot make it; null: none, or one that is refused. */
  readonly metered: { readonly bytes: number } | null;
  readonly memory: { readonly pages: number; readonly pages_max: number | null } | null;
  readonly findings: readonly Finding[];
}

/** A handler file, and what is inside. */
export interface InspectedFile extends Inspection {
  readonly file: string;
  readonly sha256: string;
  readonly size: number;
  readonly ok: boolean;
  /** Undefined when its manifest cannot be read. */
  readonly does: Consequences | undefined;
}

/** @throws UpgradeError UPG_INVALID_ARGUMENT, UPG_STORE_IO when the file cannot be read */
export function inspectFile(file: string, table?: ModuleTable): InspectedFile {
  const { bytes, sha256, size } = readWasmFile(file);
  const inspection = inspectHandler(bytes);
  const { manifest } = examineHandler(bytes);
  const does = manifest ? consequencesOf(manifest, readModule(bytes), table) : undefined;
  return { file, sha256, size, ok: inspection.findings.length === 0, ...inspection, does };
}

const SECTION_NAMES: ReadonlyMap<number, string> = new Map(Object.entries(SECTION).map(([name, id]) => [id, name]));

export function inspectHandler(file: Uint8Array): Inspection {
  const { bytes, findings, ...examined } = examineHandler(file);
  const module = readModule(bytes);
  const metered = carriedBytes(examined);
  const nameOf = functionNamer(module);
  const [memory] = module.memories;
  return {
    manifest: manifestJson(module),
    imports: module.functionImports.map(({ module: from, name, typeIndex }) => ({
      name: `${from}.${name}`,
      type: typeText(module, typeIndex),
    })),
    exports: module.exports.map(({ name, kind, index }) =>
      kind === "function" ? { name, kind, type: typeText(module, module.functionTypes[index]) } : { name, kind },
    ),
    sections: module.sections.map(({ id, start, end }) => ({
      name: sectionName(module, id, start),
      bytes: end - start,
    })),
    functions: module.bodies.map(({ functionIndex, type, start, end }) => ({
      index: functionIndex,
      name: nameOf(functionIndex),
      type: signatureText(type),
      offset: start,
      bytes: end - start,
    })),
    metered: metered === null ? null : { bytes: metered },
    memory: memory ? { pages: memory.min, pages_max: memory.max ?? null } : null,
    findings,
  };
}

function typeText(module: WasmModule, typeIndex: number | undefined): string {
  const type = typeIndex === undefined ? undefined : module.types[typeIndex];
  return type ? signatureText(type) : "unknown";
}

function sectionName(module: WasmModule, id: number, start: number): string {
  const custom = module.customs.find(({ section }) => section.start === start);
  return custom ? `custom "${custom.name}"` : (SECTION_NAMES.get(id) ?? `section ${id}`);
}

/** As it is in the file; null when there is none that can be read. */
function manifestJson({ customs, bytes }: WasmModule): unknown {
  const custom = customs.find(({ name }) => name === MANIFEST_SECTION);
  if (!custom) return null;
  try {
    return JSON.parse(decodeText(bytes.subarray(custom.payloadStart, custom.section.end)));
  } catch {
    return null;
  }
}
