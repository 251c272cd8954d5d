// Sections that say which functions there are and what the outside sees. Twin of host/upgrade/wasm/decode-signatures.ts.
import { UPG_HANDLER_IMPORT, UPG_HANDLER_LIMIT, UPG_HANDLER_MEMORY, UPG_HANDLER_OPCODE } from "../codes";
import { add } from "../findings";
import {
  EXPORTS_MAX,
  FUNCTIONS_MAX,
  IMPORTS_MAX,
  PARAMS_MAX,
  PARAMS_TOTAL_MAX,
  RESULTS_MAX,
  TYPES_MAX,
} from "../limits";
import { bad, begin, hex, number, put, refuse, text, withoutFeature } from "../text/message";
import { quote, quoteJoined } from "../text/quote";
import * as wasm from "./module";
import * as reader from "./reader";
import { readGlobalType, readMemoryLimits, readTableType } from "./storage";
import { readValueType } from "./value-types";

const FUNCTION_TYPE: u32 = 0x60;

/** Forms of the garbage-collection extension: sub, sub final, rec, array, struct. */
function isGcForm(form: u32): bool {
  return form == 0x50 || form == 0x4f || form == 0x4e || form == 0x5e || form == 0x5f;
}

let paramsTotal: u32 = 0;

export function decodeTypes(): void {
  const count = reader.count("types", TYPES_MAX);
  paramsTotal = 0;
  for (let index: u32 = 0; index < count && !bad; index++) readType(index);
}

function readType(index: u32): void {
  const at = reader.at;
  const form = reader.byte("the form of a type");
  if (bad) return;
  if (isGcForm(form)) {
    refuse(UPG_HANDLER_OPCODE, at);
    text("only function types are allowed");
    withoutFeature("gc");
    return;
  }
  if (form != FUNCTION_TYPE) {
    reader.malformed(at);
    text("0x");
    hex(form);
    text(" is not the form of a type");
    return;
  }
  const paramCount = reader.count("parameters of a type", PARAMS_MAX);
  const params = reader.at;
  for (let i: u32 = 0; i < paramCount && !bad; i++) readValueType("type ", index, " has a parameter");
  const resultsAt = reader.at;
  const resultCount = reader.count("results of a type", PARAMS_MAX);
  const results = reader.at;
  for (let i: u32 = 0; i < resultCount && !bad; i++) readValueType("type ", index, " has a result");
  if (resultCount > RESULTS_MAX) tooManyResults(index, resultCount, resultsAt);
  paramsTotal += paramCount;
  if (paramsTotal > PARAMS_TOTAL_MAX) {
    refuse(UPG_HANDLER_LIMIT, at);
    text("the types have more than ");
    number(PARAMS_TOTAL_MAX);
    text(" parameters together");
  }
  if (bad) return;
  const type = wasm.addType();
  type.params = params;
  type.paramCount = paramCount;
  type.results = results;
  type.resultCount = resultCount;
}

function tooManyResults(index: u32, count: u32, at: usize): void {
  begin();
  text("type ");
  number(index);
  text(" gives ");
  number(count);
  text(" values, at most ");
  number(RESULTS_MAX);
  text(" is allowed");
  withoutFeature("multi-value");
  add(UPG_HANDLER_OPCODE, at);
}

export function decodeImports(): void {
  const count = reader.count("imports", IMPORTS_MAX);
  for (let i: u32 = 0; i < count && !bad; i++) readImport();
}

function readImport(): void {
  const at = reader.at;
  reader.name("an import's module");
  const from = reader.namePtr;
  const fromLen = reader.nameLen;
  reader.name("an import's name");
  const name = reader.namePtr;
  const nameLen = reader.nameLen;
  const kind = readKind();
  if (bad) return;
  if (kind == wasm.FUNCTION_KIND) {
    const type = readTypeIndex();
    if (bad) return;
    const entry = wasm.addImport();
    entry.module = from;
    entry.moduleLen = fromLen;
    entry.name = name;
    entry.nameLen = nameLen;
    entry.type = type;
    entry.at = at;
    wasm.addFunction(type);
    return;
  }
  skipImportType(kind);
  if (bad) return;
  begin();
  text("the ");
  text(kindName(kind));
  put(0x20);
  quoteJoined(from, fromLen, name, nameLen);
  text(" is imported; ");
  const isMemory = kind == wasm.MEMORY_KIND;
  text(isMemory ? "define it and export it as memory" : "only functions can be imported");
  add(isMemory ? UPG_HANDLER_MEMORY : UPG_HANDLER_IMPORT, at);
}

function skipImportType(kind: u32): void {
  if (kind == wasm.TABLE_KIND) readTableType();
  else if (kind == wasm.MEMORY_KIND) readMemoryLimits();
  else if (kind == wasm.GLOBAL_KIND) {
    readGlobalType();
    if (!bad) wasm.addGlobal();
  } else {
    reader.byte("the attribute of a tag");
    readTypeIndex();
  }
}

export function decodeFunctions(): void {
  const count = reader.count("functions", FUNCTIONS_MAX);
  for (let i: u32 = 0; i < count; i++) {
    const type = readTypeIndex();
    if (bad) return;
    wasm.addFunction(type);
  }
}

export function decodeExports(): void {
  const count = reader.count("exports", EXPORTS_MAX);
  for (let i: u32 = 0; i < count && !bad; i++) readExport();
}

function readExport(): void {
  const at = reader.at;
  reader.name("an export's name");
  if (bad) return;
  const name = reader.namePtr;
  const nameLen = reader.nameLen;
  const hash = wasm.hashOf(name, nameLen);
  if (isExported(name, nameLen, hash)) {
    reader.malformed(at);
    text("two exports are named ");
    quote(name, nameLen);
    return;
  }
  const kind = readKind();
  const index = reader.u32Of("an export's index");
  if (bad) return;
  if (kind != wasm.TAG_KIND && index >= countOf(kind)) {
    reader.malformed(at);
    text("export ");
    quote(name, nameLen);
    text(": there is no ");
    text(kindName(kind));
    put(0x20);
    number(index);
    return;
  }
  const entry = wasm.addExport();
  entry.name = name;
  entry.nameLen = nameLen;
  entry.kind = kind;
  entry.index = index;
  entry.at = at;
  entry.hash = hash;
}

function isExported(name: usize, len: u32, hash: u32): bool {
  for (let i: u32 = 0; i < wasm.exports; i++) {
    const each = wasm.exportAt(i);
    if (each.hash == hash && each.nameLen == len && memory.compare(each.name, name, len) == 0) return true;
  }
  return false;
}

function countOf(kind: u32): u32 {
  if (kind == wasm.FUNCTION_KIND) return wasm.functions;
  if (kind == wasm.TABLE_KIND) return wasm.tables;
  return kind == wasm.MEMORY_KIND ? wasm.memories : wasm.globals;
}

export function kindName(kind: u32): string {
  switch (kind) {
    case wasm.FUNCTION_KIND:
      return "function";
    case wasm.TABLE_KIND:
      return "table";
    case wasm.MEMORY_KIND:
      return "memory";
    case wasm.GLOBAL_KIND:
      return "global";
    default:
      return "tag";
  }
}

function readKind(): u32 {
  const at = reader.at;
  const kind = reader.byte("the kind of an import or export");
  if (kind <= wasm.TAG_KIND) return kind;
  reader.malformed(at);
  text("0x");
  hex(kind);
  text(" is not a kind of import or export");
  return 0;
}

function readTypeIndex(): u32 {
  const at = reader.at;
  const index = reader.u32Of("the type of a function");
  if (bad || index < wasm.types) return index;
  reader.malformed(at);
  text("there is no type ");
  number(index);
  return 0;
}
