// Sections that make tables, memories, globals and what they hold at the start. Twin of host/upgrade/wasm/decode-storage.ts.
import { UPG_HANDLER_LIMIT, UPG_HANDLER_MEMORY, UPG_HANDLER_OPCODE } from "../codes";
import { add } from "../findings";
import {
  DATA_SEGMENTS_MAX,
  ELEMENT_SEGMENTS_MAX,
  GLOBALS_MAX,
  MEMORY_INITIAL_PAGES_MAX,
  MEMORY_PAGES_MAX,
  PAGE_BYTES,
  TABLE_ELEMENTS_MAX,
} from "../limits";
import { bad, begin, hex, number, refuse, text, withoutFeature } from "../text/message";
import * as constant from "./constant";
import * as wasm from "./module";
import * as reader from "./reader";
import { FUNCREF, readValueType, requireKnown, typeText } from "./value-types";

const HAS_MAX: u32 = 1;
const SHARED: u32 = 2;
const WIDE: u32 = 4;
/** Above: flags of extensions that are not standard yet. */
const LIMIT_FLAGS_MAX: u32 = 7;

let flags: u32 = 0;
let least: u64 = 0;
/** The greatest number of anything, when none is declared. */
let most: u64 = 0;

function readLimits(what: string): void {
  const at = reader.at;
  flags = reader.boundsFlags(what);
  if (flags > LIMIT_FLAGS_MAX) {
    reader.malformed(at);
    text(what);
    text(": unknown flags 0x");
    hex(flags);
  }
  const bits: u32 = (flags & WIDE) != 0 ? 64 : 32;
  least = reader.bound(bits, what);
  most = (flags & HAS_MAX) != 0 ? reader.bound(bits, what) : u64.MAX_VALUE;
}

export function readTableType(): void {
  const at = reader.at;
  const type = reader.byte("the type of a table");
  if (bad) return;
  if (type != FUNCREF) {
    // 0x40 begins a table with an initial value, an extension.
    if (type != 0x40) requireKnown(type, at);
    refuse(UPG_HANDLER_OPCODE, at);
    if (type == 0x40) text("a table with an initial value");
    else {
      text("a table of ");
      typeText(type);
    }
    text(" is not allowed; a table holds funcref");
    return;
  }
  readLimits("a table");
  if (bad) return;
  if (flags > HAS_MAX) {
    begin();
    text("a shared or 64-bit table is not allowed");
    add(UPG_HANDLER_OPCODE, at);
  }
  const size = (flags & HAS_MAX) != 0 && most > least ? most : least;
  if (size > TABLE_ELEMENTS_MAX) {
    begin();
    text("a table of ");
    number(size);
    text(" elements, at most ");
    number(TABLE_ELEMENTS_MAX);
    text(" are allowed");
    add(UPG_HANDLER_LIMIT, at);
  }
  wasm.addTable(least);
}

export function readMemoryLimits(): void {
  const at = reader.at;
  readLimits("a memory");
  if (bad) return;
  if ((flags & SHARED) != 0) {
    begin();
    text("a shared memory is not allowed; build without threads");
    add(UPG_HANDLER_MEMORY, at);
  }
  if ((flags & WIDE) != 0) {
    begin();
    text("a 64-bit memory is not allowed; build for wasm32");
    add(UPG_HANDLER_MEMORY, at);
  }
  if (least > MEMORY_INITIAL_PAGES_MAX) {
    begin();
    text("the memory begins with ");
    number(least);
    text(" pages, at most ");
    number(MEMORY_INITIAL_PAGES_MAX);
    text(" are allowed; begin with less and grow");
    add(UPG_HANDLER_MEMORY, at);
  }
  wasm.addMemory(least, min(most, <u64>MEMORY_PAGES_MAX));
}

export function readGlobalType(): void {
  readValueType("global ", wasm.globals, "");
  const at = reader.at;
  const mutability = reader.byte("the mutability of a global");
  if (mutability > 3) {
    reader.malformed(at);
    text("0x");
    hex(mutability);
    text(" is not the mutability of a global");
  } else if (mutability > 1) {
    begin();
    text("a shared global is not allowed; build without threads");
    add(UPG_HANDLER_OPCODE, at);
  }
}

export function decodeTables(): void {
  const at = reader.at;
  const count = reader.count("tables", TABLE_ELEMENTS_MAX);
  for (let i: u32 = 0; i < count && !bad; i++) readTableType();
  if (wasm.tables <= 1) return;
  begin();
  text("more than one table is not allowed");
  add(UPG_HANDLER_LIMIT, at);
}

export function decodeMemories(): void {
  const at = reader.at;
  const count = reader.count("memories", MEMORY_INITIAL_PAGES_MAX, UPG_HANDLER_MEMORY);
  for (let i: u32 = 0; i < count && !bad; i++) readMemoryLimits();
  if (wasm.memories <= 1) return;
  begin();
  text("more than one memory is not allowed");
  add(UPG_HANDLER_MEMORY, at);
}

export function decodeGlobals(): void {
  const count = reader.count("globals", GLOBALS_MAX);
  for (let i: u32 = 0; i < count && !bad; i++) {
    readGlobalType();
    constant.readConstant("a global");
    if (!bad) wasm.addGlobal();
  }
}

/** Only active segments of plain function indices: whatever else there is serves changes of a table. */
export function decodeElements(): void {
  const count = reader.count("element segments", ELEMENT_SEGMENTS_MAX);
  for (let i: u32 = 0; i < count && !bad; i++) readElements();
}

function readElements(): void {
  const at = reader.at;
  const kind = reader.u32Of("the flags of an element segment");
  if (bad) return;
  if (kind > 7) {
    reader.malformed(at);
    text("0x");
    hex(kind);
    text(" are not the flags of an element segment");
    return;
  }
  if (kind != 0 && kind != 2) refusedElements(at);
  if (kind == 2 && reader.u32Of("the table of an element segment") != 0) refusedElements(at);
  constant.readConstant("an element segment");
  const hasOffset = constant.isI32;
  const offset = <u64>constant.value;
  if (kind == 2 && !bad && reader.byte("the kind of elements") != 0) {
    reader.malformed(at);
    text("unknown kind of elements");
  }
  const length = reader.count("elements of a segment", TABLE_ELEMENTS_MAX);
  for (let i: u32 = 0; i < length && !bad; i++) readElement(at);
  if (bad || !hasOffset || offset + length <= wasm.tableMin) return;
  begin();
  text("elements ");
  number(offset);
  text(" to ");
  number(offset + length);
  text(" lie outside the table of ");
  number(wasm.tableMin);
  add(UPG_HANDLER_LIMIT, at);
}

function readElement(segmentAt: usize): void {
  const fn = reader.u32Of("a function in an element segment");
  if (bad) return;
  if (fn < wasm.functions) {
    wasm.addToTable(fn);
    return;
  }
  reader.malformed(segmentAt);
  text("element segment: there is no function ");
  number(fn);
}

function refusedElements(at: usize): void {
  refuse(UPG_HANDLER_OPCODE, at);
  text("element segments other than plain function indices of table 0 are not allowed");
  withoutFeature("reference-types");
}

export function decodeDataCount(): void {
  const count = reader.count("data segments", DATA_SEGMENTS_MAX);
  if (!bad) wasm.setDataCount(count);
}

export function decodeData(): void {
  const count = reader.count("data segments", DATA_SEGMENTS_MAX);
  if (!bad) wasm.setDataSegments(count);
  for (let i: u32 = 0; i < count && !bad; i++) readData();
}

function readData(): void {
  const at = reader.at;
  const kind = reader.u32Of("the flags of a data segment");
  if (bad) return;
  if (kind > 2) {
    reader.malformed(at);
    text("0x");
    hex(kind);
    text(" are not the flags of a data segment");
    return;
  }
  if (kind == 2 && reader.u32Of("the memory of a data segment") != 0) {
    refuse(UPG_HANDLER_MEMORY, at);
    text("a data segment of a second memory is not allowed");
  }
  if (kind != 1) constant.readConstant("a data segment");
  const hasOffset = kind != 1 && constant.isI32;
  const offset = <u64>constant.value;
  const length = reader.u32Of("the length of a data segment");
  reader.skip(length, "a data segment");
  if (bad || !hasOffset) return;
  // More pages than any address needs are as many as all of them.
  const size = min(wasm.memoryMin, <u64>u32.MAX_VALUE) * PAGE_BYTES;
  if (offset + length <= size) return;
  begin();
  text("data for bytes ");
  number(offset);
  text(" to ");
  number(offset + length);
  text(" lies outside the initial memory of ");
  number(size);
  text(" bytes");
  add(UPG_HANDLER_MEMORY, at);
}
