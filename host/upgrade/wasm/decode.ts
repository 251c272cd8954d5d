/**
 * A decoder of WebAssembly modules. Whether a file is a handler is for check.wasm to say; this decoder is for the tools of authors,
 * which show what is inside of a file, find the line of a byte, and run modules that have no manifest yet. It reads by the same
 * rules, since the meter (handler/meter) relies on them; tests hold the two equal.
 *
 * Every byte of a module is read here against an allow-list. It reports all it can: a broken
 * policy is noted and reading goes on; a broken function body ends that body, a broken section what is built on it.
 * Types of operands are left to `WebAssembly.validate`, which must agree before a module is used.
 *
 * Work and memory are linear in the length of the file, whatever it says.
 */

import { ByteReader } from "./byte-reader.js";
import { decodeCode } from "./decode-code.js";
import { decodeExports, decodeFunctions, decodeImports, decodeTypes } from "./decode-signatures.js";
import {
  decodeData,
  decodeDataCount,
  decodeElements,
  decodeGlobals,
  decodeMemories,
  decodeTables,
} from "./decode-storage.js";
import { DraftModule } from "./draft-module.js";
import { attempt, Findings, malformed, Refusal } from "./findings.js";
import { CUSTOM_SECTIONS_MAX } from "./limits.js";
import { SECTION, type Section, type WasmModule } from "./wasm-module.js";

const HEADER_BYTES = 8;
const MAGIC = [0x00, 0x61, 0x73, 0x6d];
const VERSION = [0x01, 0x00, 0x00, 0x00];

type SectionDecoder = (module: DraftModule, reader: ByteReader) => void;

/** Both marked as pure, as the table of opcodes. */
const DECODERS = /* @__PURE__ */ sectionDecoders();
/** Sections are in this order, each at most once; custom sections anywhere. */
const ORDER = /* @__PURE__ */ sectionOrder();

function sectionDecoders(): ReadonlyMap<number, SectionDecoder> {
  return new Map([
    [SECTION.type, decodeTypes],
    [SECTION.import, decodeImports],
    [SECTION.function, decodeFunctions],
    [SECTION.table, decodeTables],
    [SECTION.memory, decodeMemories],
    [SECTION.tag, refuseTags],
    [SECTION.global, decodeGlobals],
    [SECTION.export, decodeExports],
    [SECTION.start, refuseStart],
    [SECTION.element, decodeElements],
    [SECTION.dataCount, decodeDataCount],
    [SECTION.code, decodeCode],
    [SECTION.data, decodeData],
  ]);
}

function sectionOrder(): readonly number[] {
  return [...DECODERS.keys()];
}

export interface Decoded {
  readonly module: WasmModule;
  /** All custom sections were seen: the file's framing is whole. */
  readonly isFramed: boolean;
  /** Every section was read to its end; a body may still be broken. */
  readonly isWhole: boolean;
}

/** What can be read of a module, whatever is wrong with it. */
export const readModule = (bytes: Uint8Array): WasmModule => decodeModule(bytes, new Findings()).module;

export function decodeModule(bytes: Uint8Array, findings: Findings): Decoded {
  const module = new DraftModule(bytes, findings);
  const isFramed = attempt(findings, () => readSections(module));
  let isWhole = isFramed;
  for (const section of module.sections) {
    const decode = DECODERS.get(section.id);
    if (!decode) continue;
    const reader = new ByteReader(bytes, section.contentStart, section.end);
    const isRead = attempt(findings, () => {
      decode(module, reader);
      if (!reader.isDone) throw malformed(reader.at, `section ${section.id} goes on after its content`);
    });
    isWhole &&= isRead;
    // Later sections index what this one makes.
    if (!isRead) break;
  }
  if (isWhole) isWhole = attempt(findings, () => checkCounts(module));
  return { module, isFramed, isWhole };
}

/** Lists the sections that can be framed. @throws Refusal at the first that cannot, or is in the wrong place */
function readSections(module: DraftModule): void {
  const { bytes, sections } = module;
  checkHeader(bytes);
  const reader = new ByteReader(bytes, HEADER_BYTES);
  let last = -1;
  while (!reader.isDone) {
    const start = reader.at;
    const id = reader.byte("a section");
    const size = reader.u32("the size of a section");
    const section: Section = { id, start, contentStart: reader.at, end: reader.at + size };
    reader.skip(size, `section ${id}`);
    if (id === SECTION.custom) {
      readCustom(module, section);
      continue;
    }
    const place = ORDER.indexOf(id);
    if (place < 0) throw malformed(start, `unknown section ${id}`);
    if (place <= last) throw malformed(start, `section ${id} occurs twice or in the wrong order`);
    last = place;
    sections.push(section);
  }
}

function checkHeader(bytes: Uint8Array): void {
  if (MAGIC.some((byte, i) => bytes[i] !== byte))
    throw malformed(0, "not a WebAssembly file: it does not begin with \\0asm");
  if (VERSION.some((byte, i) => bytes[4 + i] !== byte)) {
    throw malformed(4, "not a core WebAssembly module of version 1 (a component cannot be a handler)");
  }
}

function readCustom(module: DraftModule, section: Section): void {
  if (module.customs.length === CUSTOM_SECTIONS_MAX) {
    throw new Refusal("UPG_HANDLER_LIMIT", section.start, `more than ${CUSTOM_SECTIONS_MAX} custom sections`);
  }
  const reader = new ByteReader(module.bytes, section.contentStart, section.end);
  const name = reader.name("the name of a custom section");
  module.customs.push({ name, section, payloadStart: reader.at });
  module.sections.push(section);
}

function refuseStart(module: DraftModule, reader: ByteReader): void {
  const at = reader.at;
  const index = reader.u32("the start function");
  if (index >= module.functionTypes.length) throw malformed(at, `start section: there is no function ${index}`);
  const what = "a start section is not allowed, it would run before gas is counted";
  module.findings.add("UPG_HANDLER_OPCODE", at, `${what}; export the function as _initialize instead`, index);
}

function refuseTags(_module: DraftModule, reader: ByteReader): void {
  throw new Refusal("UPG_HANDLER_OPCODE", reader.at, "tags are not allowed; build without exception handling");
}

function checkCounts(module: DraftModule): void {
  const declared = module.functionTypes.length - module.functionImports.length;
  if (module.bodyCount !== declared)
    throw malformed(0, `${module.bodyCount} function bodies for ${declared} functions`);
  if (module.dataCount !== undefined && module.dataCount !== module.dataSegments) {
    throw malformed(0, `the data count says ${module.dataCount}, there are ${module.dataSegments} data segments`);
  }
}
