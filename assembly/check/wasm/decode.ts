// The decoder of WebAssembly modules: every byte is read against an allow-list, and all that can be found is reported. Twin of
// host/upgrade/wasm/decode.ts.
import { UPG_HANDLER_LIMIT, UPG_HANDLER_OPCODE } from "../codes";
import { add, isDone } from "../findings";
import { CUSTOM_SECTIONS_MAX } from "../limits";
import { bad, begin, number, refuse, text } from "../text/message";
import { bodiesFor, decodeCode } from "./code";
import * as wasm from "./module";
import * as reader from "./reader";
import { decodeExports, decodeFunctions, decodeImports, decodeTypes } from "./signatures";
import { decodeData, decodeDataCount, decodeElements, decodeGlobals, decodeMemories, decodeTables } from "./storage";

const CUSTOM: u32 = 0;
export const TYPE_SECTION: u32 = 1;
export const IMPORT_SECTION: u32 = 2;
export const FUNCTION_SECTION: u32 = 3;
export const TABLE_SECTION: u32 = 4;
export const MEMORY_SECTION: u32 = 5;
export const GLOBAL_SECTION: u32 = 6;
export const EXPORT_SECTION: u32 = 7;
const START_SECTION: u32 = 8;
const ELEMENT_SECTION: u32 = 9;
export const CODE_SECTION: u32 = 10;
const DATA_SECTION: u32 = 11;
const DATA_COUNT_SECTION: u32 = 12;
const TAG_SECTION: u32 = 13;

/** All custom sections were seen: the file's framing is whole. */
export let isFramed: bool = false;
/** Every section was read to its end; a body may still be broken. */
export let isWhole: bool = false;

export function decodeModule(): void {
  readSections();
  isFramed = isDone();
  isWhole = isFramed;
  for (let i: u32 = 0; i < wasm.sections; i++) {
    const section = wasm.sectionAt(i);
    if (section.id == CUSTOM) continue;
    reader.open(section.content, section.end);
    decodeSection(section.id);
    if (!bad && reader.at < reader.end) {
      reader.malformed(reader.at);
      text("section ");
      number(section.id);
      text(" goes on after its content");
    }
    // Later sections index what this one makes.
    if (isDone()) continue;
    isWhole = false;
    break;
  }
  if (!isWhole) return;
  checkCounts();
  isWhole = isDone();
}

function decodeSection(id: u32): void {
  switch (id) {
    case TYPE_SECTION:
      return decodeTypes();
    case IMPORT_SECTION:
      return decodeImports();
    case FUNCTION_SECTION:
      return decodeFunctions();
    case TABLE_SECTION:
      return decodeTables();
    case MEMORY_SECTION:
      return decodeMemories();
    case TAG_SECTION:
      return refuseTags();
    case GLOBAL_SECTION:
      return decodeGlobals();
    case EXPORT_SECTION:
      return decodeExports();
    case START_SECTION:
      return refuseStart();
    case ELEMENT_SECTION:
      return decodeElements();
    case DATA_COUNT_SECTION:
      return decodeDataCount();
    case CODE_SECTION:
      return decodeCode();
    default:
      return decodeData();
  }
}

/** Where a section comes in a module: the data count before the code, tags after the memory. */
function placeOf(id: u32): i32 {
  if (id == TAG_SECTION) return 11;
  if (id == DATA_COUNT_SECTION) return 19;
  return id == CUSTOM || id > DATA_SECTION ? -1 : <i32>id * 2;
}

/** Lists the sections that can be framed; fails at the first that cannot, or is in the wrong place. */
function readSections(): void {
  checkHeader();
  reader.open(wasm.fileStart + 8, wasm.fileEnd);
  let last = -1;
  while (!bad && reader.at < reader.end) {
    const start = reader.at;
    const id = reader.byte("a section");
    const size = reader.u32Of("the size of a section");
    const content = reader.at;
    skipSection(size, id);
    if (bad) return;
    if (id == CUSTOM) {
      readCustom(start, content, content + size);
      reader.open(content + size, wasm.fileEnd);
      continue;
    }
    const place = placeOf(id);
    if (place <= last) {
      reader.malformed(start);
      text(place < 0 ? "unknown section " : "section ");
      number(id);
      if (place >= 0) text(" occurs twice or in the wrong order");
      return;
    }
    last = place;
    addSection(id, start, content, content + size);
  }
}

function skipSection(size: u32, id: u32): void {
  if (bad || size <= <u32>(reader.end - reader.at)) {
    reader.skip(size, "");
    return;
  }
  reader.malformed(reader.at);
  text("cut short: section ");
  number(id);
  text(" needs ");
  number(size);
  text(" bytes");
}

function addSection(id: u32, start: usize, content: usize, end: usize): void {
  const section = wasm.addSection();
  section.id = id;
  section.start = start;
  section.content = content;
  section.end = end;
}

/** `\0asm`, then version 1. */
function checkHeader(): void {
  const start = wasm.fileStart;
  const length = <u32>(wasm.fileEnd - start);
  if (length < 4 || load<u32>(start) != 0x6d736100) {
    reader.malformed(start);
    text("not a WebAssembly file: it does not begin with \\0asm");
  } else if (length < 8 || load<u32>(start, 4) != 1) {
    reader.malformed(start + 4);
    text("not a core WebAssembly module of version 1 (a component cannot be a handler)");
  }
}

function readCustom(start: usize, content: usize, end: usize): void {
  if (wasm.customs == CUSTOM_SECTIONS_MAX) {
    refuse(UPG_HANDLER_LIMIT, start);
    text("more than ");
    number(CUSTOM_SECTIONS_MAX);
    text(" custom sections");
    return;
  }
  reader.open(content, end);
  reader.name("the name of a custom section");
  if (bad) return;
  const custom = wasm.addCustom();
  custom.name = reader.namePtr;
  custom.nameLen = reader.nameLen;
  custom.start = start;
  custom.payload = reader.at;
  custom.end = end;
  addSection(CUSTOM, start, content, end);
}

function refuseStart(): void {
  const at = reader.at;
  const fn = reader.u32Of("the start function");
  if (bad) return;
  if (fn >= wasm.functions) {
    reader.malformed(at);
    text("start section: there is no function ");
    number(fn);
    return;
  }
  begin();
  text(
    "a start section is not allowed, it would run before gas is counted; export the function as _initialize instead",
  );
  add(UPG_HANDLER_OPCODE, at, fn);
}

function refuseTags(): void {
  refuse(UPG_HANDLER_OPCODE, reader.at);
  text("tags are not allowed; build without exception handling");
}

function checkCounts(): void {
  const declared = wasm.functions - wasm.imports;
  if (wasm.bodyCount != declared) {
    reader.malformed(wasm.fileStart);
    bodiesFor(wasm.bodyCount, declared);
  } else if (wasm.dataCount >= 0 && <u32>wasm.dataCount != wasm.dataSegments) {
    reader.malformed(wasm.fileStart);
    text("the data count says ");
    number(<u32>wasm.dataCount);
    text(", there are ");
    number(wasm.dataSegments);
    text(" data segments");
  }
}
