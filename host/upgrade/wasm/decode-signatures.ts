/** Sections that say which functions there are and what the outside sees: type, import, function, export. */

import type { ByteReader } from "./byte-reader.js";
import { readGlobalType, readMemoryLimits, readTableType } from "./decode-storage.js";
import type { DraftModule } from "./draft-module.js";
import { malformed, Refusal } from "./findings.js";
import { quote } from "./guest-text.js";
import {
  EXPORTS_MAX,
  FUNCTIONS_MAX,
  IMPORTS_MAX,
  PARAMS_MAX,
  PARAMS_TOTAL_MAX,
  RESULTS_MAX,
  TYPES_MAX,
} from "./limits.js";
import { readValueType } from "./value-types.js";
import { EXTERNAL_KINDS, type ExternalKind } from "./wasm-module.js";

const FUNCTION_TYPE = 0x60;
/** Forms of the garbage-collection extension: sub, sub final, rec, array, struct. */
const GC_TYPES = new Set([0x50, 0x4f, 0x4e, 0x5e, 0x5f]);

export function decodeTypes(module: DraftModule, reader: ByteReader): void {
  const count = reader.count("types", TYPES_MAX);
  let paramsTotal = 0;
  for (let index = 0; index < count; index++) {
    const at = reader.at;
    const form = reader.byte("the form of a type");
    if (GC_TYPES.has(form)) {
      throw new Refusal("UPG_HANDLER_OPCODE", at, "only function types are allowed; build without the gc feature");
    }
    if (form !== FUNCTION_TYPE) throw malformed(at, `0x${form.toString(16)} is not the form of a type`);
    const params = readTypes(
      module,
      reader,
      reader.count("parameters of a type", PARAMS_MAX),
      `type ${index} has a parameter`,
    );
    const resultsAt = reader.at;
    const results = readTypes(
      module,
      reader,
      reader.count("results of a type", PARAMS_MAX),
      `type ${index} has a result`,
    );
    if (results.length > RESULTS_MAX) {
      const what = `type ${index} gives ${results.length} values, at most ${RESULTS_MAX} is allowed`;
      module.refuse("UPG_HANDLER_OPCODE", resultsAt, `${what}; build without the multi-value feature`);
    }
    paramsTotal += params.length;
    if (paramsTotal > PARAMS_TOTAL_MAX) {
      const what = `the types have more than ${PARAMS_TOTAL_MAX} parameters together`;
      throw new Refusal("UPG_HANDLER_LIMIT", at, what);
    }
    module.types.push({ params, results });
  }
}

function readTypes(module: DraftModule, reader: ByteReader, count: number, what: string): number[] {
  const types: number[] = [];
  for (let i = 0; i < count; i++) types.push(readValueType(reader, module.findings, what));
  return types;
}

export function decodeImports(module: DraftModule, reader: ByteReader): void {
  const count = reader.count("imports", IMPORTS_MAX);
  for (let i = 0; i < count; i++) {
    const offset = reader.at;
    const from = reader.name("an import's module");
    const name = reader.name("an import's name");
    const kind = readKind(reader);
    if (kind === "function") {
      const typeIndex = readTypeIndex(module, reader);
      module.functionImports.push({ module: from, name, typeIndex, offset });
      module.functionTypes.push(typeIndex);
      continue;
    }
    skipImportType(module, reader, kind);
    const code = kind === "memory" ? "UPG_HANDLER_MEMORY" : "UPG_HANDLER_IMPORT";
    const advice = kind === "memory" ? "define it and export it as memory" : "only functions can be imported";
    module.refuse(code, offset, `the ${kind} ${quote(`${from}.${name}`)} is imported; ${advice}`);
  }
}

function skipImportType(module: DraftModule, reader: ByteReader, kind: ExternalKind): void {
  if (kind === "table") module.tables.push(readTableType(module, reader));
  else if (kind === "memory") module.memories.push(readMemoryLimits(module, reader));
  else if (kind === "global") {
    readGlobalType(module, reader);
    module.globals++;
  } else {
    reader.byte("the attribute of a tag");
    readTypeIndex(module, reader);
  }
}

export function decodeFunctions(module: DraftModule, reader: ByteReader): void {
  const count = reader.count("functions", FUNCTIONS_MAX);
  for (let i = 0; i < count; i++) module.functionTypes.push(readTypeIndex(module, reader));
}

export function decodeExports(module: DraftModule, reader: ByteReader): void {
  const count = reader.count("exports", EXPORTS_MAX);
  const seen = new Set<string>();
  for (let i = 0; i < count; i++) {
    const offset = reader.at;
    const name = reader.name("an export's name");
    if (seen.has(name)) throw malformed(offset, `two exports are named ${quote(name)}`);
    seen.add(name);
    const kind = readKind(reader);
    const index = reader.u32("an export's index");
    const there = countOf(module, kind);
    if (there !== undefined && index >= there) {
      throw malformed(offset, `export ${quote(name)}: there is no ${kind} ${index}`);
    }
    module.exports.push({ name, kind, index, offset });
  }
}

/** How many things of a kind there are; undefined for tags, which are refused where they are made. */
function countOf(module: DraftModule, kind: ExternalKind): number | undefined {
  switch (kind) {
    case "function":
      return module.functionTypes.length;
    case "table":
      return module.tables.length;
    case "memory":
      return module.memories.length;
    case "global":
      return module.globals;
    case "tag":
      return undefined;
  }
}

function readKind(reader: ByteReader): ExternalKind {
  const at = reader.at;
  const byte = reader.byte("the kind of an import or export");
  const kind = EXTERNAL_KINDS[byte];
  if (!kind) throw malformed(at, `0x${byte.toString(16)} is not a kind of import or export`);
  return kind;
}

function readTypeIndex(module: DraftModule, reader: ByteReader): number {
  const at = reader.at;
  const index = reader.u32("the type of a function");
  if (index >= module.types.length) throw malformed(at, `there is no type ${index}`);
  return index;
}
