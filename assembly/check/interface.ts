// The handler interface, version 1: what a module may import and must export, each by name and type. Twin of
// host/upgrade/handler/check/interface.ts.
import { UPG_HANDLER_EXPORT, UPG_HANDLER_IMPORT, UPG_HANDLER_MEMORY } from "./codes";
import { add } from "./findings";
import { begin, put, putBytes, text } from "./text/message";
import { quote, quoteJoined } from "./text/quote";
import * as wasm from "./wasm/module";
import { kindName } from "./wasm/signatures";
import { I32, I64, signatureText } from "./wasm/value-types";

const OFFERED: string =
  "chain.store_get, chain.store_set, chain.store_delete, chain.store_write, chain.store_scan, chain.log, chain.progress, chain.fail, env.abort";
const RESERVED: string = "chain-upgrade:";

/** The type of a function of the interface: how many parameters, all of them of this type, and results (i32). */
let params: u32 = 0;
let paramType: u32 = 0;
let results: u32 = 0;

function expect(count: u32, resultCount: u32, type: u32 = I32): bool {
  params = count;
  paramType = type;
  results = resultCount;
  return true;
}

function isImport(entry: wasm.Import, from: string, name: string): bool {
  return wasm.isNamed(entry.module, entry.moduleLen, from) && wasm.isNamed(entry.name, entry.nameLen, name);
}

/** Parameters and results of what is offered, a digit each, in the order of OFFERED. The ones of `progress` are i64. */
const TYPES: string = "515131217130203040";
const PROGRESS: u32 = 6;

/** The character of `module.name` at an index; 0 after its end. */
function letterOf(entry: wasm.Import, index: u32): u32 {
  if (index < entry.moduleLen) return load<u8>(entry.module + index);
  const rest = index - entry.moduleLen;
  if (rest == 0) return 46;
  return rest <= entry.nameLen ? load<u8>(entry.name + rest - 1) : 0;
}

/** Sets the type that is expected; false: it is not offered. */
function isOffered(entry: wasm.Import): bool {
  const end = <u32>OFFERED.length;
  let from: u32 = 0;
  for (let index: u32 = 0; from < end; index++) {
    let at: u32 = 0;
    while (
      from + at < end &&
      OFFERED.charCodeAt(from + at) != 44 &&
      OFFERED.charCodeAt(from + at) == letterOf(entry, at)
    )
      at++;
    const isWhole = from + at == end || OFFERED.charCodeAt(from + at) == 44;
    if (isWhole && at == entry.moduleLen + 1 + entry.nameLen) {
      const type = index == PROGRESS ? I64 : I32;
      return expect(TYPES.charCodeAt(2 * index) - 48, TYPES.charCodeAt(2 * index + 1) - 48, type);
    }
    while (from < end && OFFERED.charCodeAt(from) != 44) from++;
    from += 2;
  }
  return false;
}

/** Imports that do not return: the run ends there, so nobody looks at the gas. */
export function isEnd(fn: u32): bool {
  if (fn >= wasm.imports) return false;
  const entry = wasm.importAt(fn);
  return isImport(entry, "chain", "fail") || isImport(entry, "env", "abort");
}

function isExpected(type: wasm.Type): bool {
  if (type.paramCount != params || type.resultCount != results) return false;
  for (let i: u32 = 0; i < params; i++) if (load<u8>(type.params + i) != paramType) return false;
  return results == 0 || load<u8>(type.results) == I32;
}

function typeText(type: wasm.Type): void {
  signatureText(type.params, type.paramCount, type.results, type.resultCount);
}

const expectedTypes: usize = memory.data(8);

function expectedText(): void {
  memory.fill(expectedTypes, <u8>paramType, 8);
  if (results == 0) signatureText(expectedTypes, params, expectedTypes, 0);
  else signatureText(expectedTypes, params, expectedTypes, 1);
}

export function checkImports(): void {
  for (let i: u32 = 0; i < wasm.imports; i++) {
    const entry = wasm.importAt(i);
    const type = wasm.typeAt(entry.type);
    if (!isOffered(entry)) {
      begin();
      text("import ");
      quoteJoined(entry.module, entry.moduleLen, entry.name, entry.nameLen);
      text(" is not offered; ");
      adviceText(entry);
    } else if (!isExpected(type)) {
      begin();
      text("import ");
      putBytes(entry.module, entry.moduleLen);
      put(0x2e);
      putBytes(entry.name, entry.nameLen);
      text(" has type ");
      typeText(type);
      text(", it is offered as ");
      expectedText();
    } else continue;
    add(UPG_HANDLER_IMPORT, entry.at);
  }
}

function startsWith(ptr: usize, len: u32, start: string): bool {
  const length = <u32>start.length;
  return len >= length && wasm.isNamed(ptr, length, start);
}

function adviceText(entry: wasm.Import): void {
  const from = entry.module;
  const fromLen = entry.moduleLen;
  if (startsWith(from, fromLen, "wasi")) text("build for a freestanding target (wasm32-unknown-unknown), not for WASI");
  else if (isImport(entry, "env", "seed")) text("random numbers differ between nodes: do without Math.random");
  else if (wasm.isNamed(from, fromLen, "env")) {
    if (startsWith(entry.name, entry.nameLen, "console.")) text("a handler has no console: use log() of the kit");
    else text("a handler has no clock, console or other environment: do without it");
  } else if (startsWith(from, fromLen, "__wbindgen") || wasm.isNamed(from, fromLen, "wbg"))
    text("build without wasm-bindgen");
  else {
    text("a handler may import ");
    text(OFFERED);
  }
}

/** @param hasScans the manifest could be read, and lists scans */
export function checkExports(hasScans: bool): void {
  checkMemory();
  due("handler_abi_1", 0, 0, true, false);
  due("handler_in", 1, 1, true, false);
  due("handler_out", 1, 1, true, false);
  due("handler_run", 1, 1, true, false);
  due("handler_batch", 3, 1, false, hasScans);
  due("handler_check", 1, 1, false, false);
  due("handler_err", 0, 1, false, false);
  due("_initialize", 0, 0, false, false);
  for (let i: u32 = 0; i < wasm.exports; i++) {
    const entry = wasm.exportAt(i);
    if (!startsWith(entry.name, entry.nameLen, RESERVED)) continue;
    begin();
    text("export ");
    quote(entry.name, entry.nameLen);
    text(": names that begin with chain-upgrade: are the host's");
    add(UPG_HANDLER_EXPORT, entry.at);
  }
}

function due(name: string, count: u32, resultCount: u32, isRequired: bool, isScan: bool): void {
  expect(count, resultCount);
  const entry = wasm.exportNamed(name);
  if (entry) {
    checkFunction(name, entry);
    return;
  }
  if (!isRequired && !isScan) return;
  begin();
  text("the module does not export ");
  text(name);
  put(0x20);
  expectedText();
  if (isScan) text(", since the manifest lists scans");
  add(UPG_HANDLER_EXPORT, 0);
}

function checkMemory(): void {
  const entry = wasm.exportNamed("memory");
  begin();
  if (wasm.memories == 0) {
    text("the module has no memory; define one and export it as memory");
    add(UPG_HANDLER_MEMORY, 0);
  } else if (!entry) {
    text("the module does not export its memory as memory");
    add(UPG_HANDLER_EXPORT, 0);
  } else if (entry.kind != wasm.MEMORY_KIND) {
    text("export memory is a ");
    text(kindName(entry.kind));
    text(", it must be the memory");
    add(UPG_HANDLER_EXPORT, entry.at);
  }
}

function checkFunction(name: string, entry: wasm.Export): void {
  begin();
  text("export ");
  text(name);
  if (entry.kind != wasm.FUNCTION_KIND) {
    text(" is a ");
    text(kindName(entry.kind));
    text(", it must be a function ");
    expectedText();
    add(UPG_HANDLER_EXPORT, entry.at);
    return;
  }
  if (entry.index < wasm.imports) {
    text(" is an import handed on; it must be the module's own");
    add(UPG_HANDLER_EXPORT, entry.at);
    return;
  }
  const type = wasm.typeAt(wasm.typeOf(entry.index));
  if (isExpected(type)) return;
  text(" has type ");
  typeText(type);
  text(", it must be ");
  expectedText();
  add(UPG_HANDLER_EXPORT, entry.at, <i32>entry.index);
}
