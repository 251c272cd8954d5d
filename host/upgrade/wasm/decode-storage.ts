/** Sections that make tables, memories, globals and what they hold at the start. */

import type { ByteReader } from "./byte-reader.js";
import { readConstant, readOffset } from "./constant.js";
import type { DraftModule } from "./draft-module.js";
import { malformed, Refusal } from "./findings.js";
import {
  DATA_SEGMENTS_MAX,
  ELEMENT_SEGMENTS_MAX,
  GLOBALS_MAX,
  MEMORY_INITIAL_PAGES_MAX,
  PAGE_BYTES,
  TABLE_ELEMENTS_MAX,
} from "./limits.js";
import { FUNCREF, readValueType, refusedTypeName } from "./value-types.js";
import type { Limits } from "./wasm-module.js";

const HAS_MAX = 1;
const SHARED = 2;
const WIDE = 4;
/** Above: flags of extensions that are not standard yet. */
const LIMIT_FLAGS_MAX = 7;

interface FlaggedLimits extends Limits {
  readonly flags: number;
}

function readLimits(reader: ByteReader, what: string): FlaggedLimits {
  const at = reader.at;
  const flags = reader.byte(`the limits of ${what}`);
  if (flags > LIMIT_FLAGS_MAX) throw malformed(at, `${what}: unknown flags 0x${flags.toString(16)}`);
  const read = () => (flags & WIDE ? reader.u64(`the size of ${what}`) : reader.u32(`the size of ${what}`));
  const min = read();
  return { flags, min, max: flags & HAS_MAX ? read() : undefined };
}

export function readTableType(module: DraftModule, reader: ByteReader): Limits {
  const at = reader.at;
  const type = reader.byte("the type of a table");
  if (type !== FUNCREF) {
    // 0x40 begins a table with an initial value, an extension.
    const name = type === 0x40 ? "a table with an initial value" : `a table of ${refusedTypeName(type, at)}`;
    throw new Refusal("UPG_HANDLER_OPCODE", at, `${name} is not allowed; a table holds funcref`);
  }
  const limits = readLimits(reader, "a table");
  if (limits.flags > HAS_MAX) module.refuse("UPG_HANDLER_OPCODE", at, "a shared or 64-bit table is not allowed");
  const size = Math.max(limits.min, limits.max ?? 0);
  if (size > TABLE_ELEMENTS_MAX) {
    module.refuse("UPG_HANDLER_LIMIT", at, `a table of ${size} elements, at most ${TABLE_ELEMENTS_MAX} are allowed`);
  }
  return limits;
}

export function readMemoryLimits(module: DraftModule, reader: ByteReader): Limits {
  const at = reader.at;
  const limits = readLimits(reader, "a memory");
  if (limits.flags & SHARED) {
    module.refuse("UPG_HANDLER_MEMORY", at, "a shared memory is not allowed; build without threads");
  }
  if (limits.flags & WIDE) module.refuse("UPG_HANDLER_MEMORY", at, "a 64-bit memory is not allowed; build for wasm32");
  if (limits.min > MEMORY_INITIAL_PAGES_MAX) {
    const what = `the memory begins with ${limits.min} pages, at most ${MEMORY_INITIAL_PAGES_MAX} are allowed`;
    module.refuse("UPG_HANDLER_MEMORY", at, `${what}; begin with less and grow`);
  }
  return limits;
}

export function readGlobalType(module: DraftModule, reader: ByteReader): void {
  readValueType(reader, module.findings, `global ${module.globals}`);
  const at = reader.at;
  const flags = reader.byte("the mutability of a global");
  if (flags > 3) throw malformed(at, `0x${flags.toString(16)} is not the mutability of a global`);
  if (flags > 1) module.refuse("UPG_HANDLER_OPCODE", at, "a shared global is not allowed; build without threads");
}

export function decodeTables(module: DraftModule, reader: ByteReader): void {
  const at = reader.at;
  const count = reader.count("tables", TABLE_ELEMENTS_MAX);
  for (let i = 0; i < count; i++) module.tables.push(readTableType(module, reader));
  if (module.tables.length > 1) module.refuse("UPG_HANDLER_LIMIT", at, "more than one table is not allowed");
}

export function decodeMemories(module: DraftModule, reader: ByteReader): void {
  const at = reader.at;
  const count = reader.count("memories", MEMORY_INITIAL_PAGES_MAX, "UPG_HANDLER_MEMORY");
  for (let i = 0; i < count; i++) module.memories.push(readMemoryLimits(module, reader));
  if (module.memories.length > 1) module.refuse("UPG_HANDLER_MEMORY", at, "more than one memory is not allowed");
}

export function decodeGlobals(module: DraftModule, reader: ByteReader): void {
  const count = reader.count("globals", GLOBALS_MAX);
  for (let i = 0; i < count; i++) {
    readGlobalType(module, reader);
    readConstant(module, reader, "a global");
    module.globals++;
  }
}

/** Only active segments of plain function indices: whatever else there is serves changes of a table. */
export function decodeElements(module: DraftModule, reader: ByteReader): void {
  const count = reader.count("element segments", ELEMENT_SEGMENTS_MAX);
  for (let segment = 0; segment < count; segment++) {
    const at = reader.at;
    const flags = reader.u32("the flags of an element segment");
    if (flags > 7) throw malformed(at, `0x${flags.toString(16)} are not the flags of an element segment`);
    if (flags !== 0 && flags !== 2) throw refusedElements(at);
    if (flags === 2 && reader.u32("the table of an element segment") !== 0) throw refusedElements(at);
    const offset = readOffset(module, reader, "an element segment");
    if (flags === 2 && reader.byte("the kind of elements") !== 0) throw malformed(at, "unknown kind of elements");
    const length = reader.count("elements of a segment", TABLE_ELEMENTS_MAX);
    for (let i = 0; i < length; i++) {
      const index = reader.u32("a function in an element segment");
      if (index >= module.functionTypes.length) throw malformed(at, `element segment: there is no function ${index}`);
      module.tableFunctions.add(index);
    }
    const size = module.tables[0]?.min ?? 0;
    if (offset !== undefined && offset + length > size) {
      const what = `elements ${offset} to ${offset + length} lie outside the table of ${size}`;
      module.refuse("UPG_HANDLER_LIMIT", at, what);
    }
  }
}

function refusedElements(at: number): Refusal {
  const what = "element segments other than plain function indices of table 0 are not allowed";
  return new Refusal("UPG_HANDLER_OPCODE", at, `${what}; build without the reference-types feature`);
}

export function decodeDataCount(module: DraftModule, reader: ByteReader): void {
  module.dataCount = reader.count("data segments", DATA_SEGMENTS_MAX);
}

export function decodeData(module: DraftModule, reader: ByteReader): void {
  const count = reader.count("data segments", DATA_SEGMENTS_MAX);
  module.dataSegments = count;
  for (let segment = 0; segment < count; segment++) {
    const at = reader.at;
    const flags = reader.u32("the flags of a data segment");
    if (flags > 2) throw malformed(at, `0x${flags.toString(16)} are not the flags of a data segment`);
    if (flags === 2 && reader.u32("the memory of a data segment") !== 0) {
      throw new Refusal("UPG_HANDLER_MEMORY", at, "a data segment of a second memory is not allowed");
    }
    const offset = flags === 1 ? undefined : readOffset(module, reader, "a data segment");
    const length = reader.u32("the length of a data segment");
    reader.skip(length, "a data segment");
    const size = (module.memories[0]?.min ?? 0) * PAGE_BYTES;
    if (offset !== undefined && offset + length > size) {
      const what = `data for bytes ${offset} to ${offset + length} lies outside the initial memory of ${size} bytes`;
      module.refuse("UPG_HANDLER_MEMORY", at, what);
    }
  }
}
