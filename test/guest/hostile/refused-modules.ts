/** Modules that are refused: features that engines do not share, limits, interfaces, bytes that are no module. */
import { concatBytes } from "../../../host/base/text/bytes.js";
import { HANDLER_BYTES_MAX } from "../../../host/base/types/limits.js";
import { assemble, build, customSection, guest, leb, MINIMAL_MANIFEST, manifestSection, section } from "../build.js";
import type { RefusedGuest } from "./hostile-guest.js";

const OPCODE = "UPG_HANDLER_OPCODE";
const LIMIT = "UPG_HANDLER_LIMIT";
const MEMORY = "UPG_HANDLER_MEMORY";
const IMPORT = "UPG_HANDLER_IMPORT";
const EXPORT = "UPG_HANDLER_EXPORT";
const FORMAT = "UPG_HANDLER_FORMAT";

const more = (fields: string) => () => build(guest({ more: fields }));
const run = (body: string) => () => build(guest({ run: `${body} (i32.const 0)` }));
const imports = (text: string) => () => build(guest({ imports: text }));
const memory = (text: string) => () => build(guest({ memory: text }));
const good = () => build(guest());
const table = "(table 1 funcref)";

/** Offset of the first section with this id. */
function sectionAt(bytes: Uint8Array, id: number): number {
  for (let at = 8; at < bytes.length; ) {
    if (bytes[at] === id) return at;
    let size = 0;
    let next = at + 1;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[next++] as number;
      size |= (byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    at = next + size;
  }
  return bytes.length;
}

/** A section put in before the first of another kind. */
function inserted(bytes: Uint8Array, before: number, extra: Uint8Array): Uint8Array {
  const at = sectionAt(bytes, before);
  return concatBytes(bytes.subarray(0, at), extra, bytes.subarray(at));
}

/** A handler whose last function is these bytes of code, between no locals and `end`. */
function withCode(code: readonly number[]): Uint8Array {
  // Enough of them to be found.
  const nops = Math.max(16, code.length);
  const bytes = build(guest({ more: `(func ${"nop ".repeat(nops)})` }));
  const at = bytes.findIndex((_, i) => bytes.subarray(i, i + nops).every((byte) => byte === 0x01) && i > 8);
  bytes.set(code, at);
  return bytes;
}

const nested = (levels: number) => [...Array(levels).fill([0x02, 0x40]).flat(), ...Array(levels).fill(0x0b)];
/** Ten million labels are claimed, a handful is present. */
const brTable = [0x41, 0x00, 0x0e, ...leb(10_000_000), 0x00, 0x00, 0x00, 0x00];
/** Takes the index that the meter's counter will have. */
const forgedGlobal = [0x42, 0xff, 0xff, 0xff, 0xff, 0x07, 0x24, 0x00];
const endless = Array(12).fill(0x80);

export const REFUSED_MODULES: readonly RefusedGuest[] = [
  { what: "a float instruction", code: OPCODE, bytes: run("(drop (f32.add (f32.const 1) (f32.const 2)))") },
  { what: "a float parameter", code: OPCODE, bytes: more("(func (param f64))") },
  { what: "a float local", code: OPCODE, bytes: more("(func (local f32))") },
  { what: "a float global", code: OPCODE, bytes: more("(global f64 (f64.const 0))") },
  { what: "SIMD", code: OPCODE, bytes: run("(drop (i8x16.extract_lane_u 0 (v128.const i64x2 0 0)))") },
  { what: "atomics", code: OPCODE, bytes: run("(drop (i32.atomic.rmw.add (i32.const 0) (i32.const 1)))") },
  { what: "a start section", code: OPCODE, bytes: more("(func $go) (start $go)") },
  { what: "a tail call", code: OPCODE, bytes: more("(func $f (return_call $f))") },
  { what: "exception handling: a tag", code: OPCODE, bytes: more("(tag $e)") },
  { what: "exception handling: try", code: OPCODE, bytes: more("(func (try (do) (catch_all)))") },
  { what: "several results", code: OPCODE, bytes: more("(func (result i32 i32) unreachable)") },
  { what: "a block with parameters", code: OPCODE, bytes: run("(i32.const 1) (block (param i32) (drop))") },
  {
    what: "table.grow",
    code: OPCODE,
    bytes: more(`${table} (func (drop (table.grow (ref.null func) (i32.const 1))))`),
  },
  { what: "table.set", code: OPCODE, bytes: more(`${table} (func (table.set (i32.const 0) (ref.null func)))`) },
  { what: "externref", code: OPCODE, bytes: more("(func (param externref))") },
  { what: "an extended constant", code: OPCODE, bytes: more("(global i32 (i32.add (i32.const 1) (i32.const 2)))") },
  {
    what: "a garbage-collected type",
    code: OPCODE,
    bytes: () => inserted(good().subarray(0, 8), 0, section(1, [1, 0x5f, 0])),
  },
  { what: "an unknown import", code: IMPORT, bytes: imports('(import "chain" "exec" (func))') },
  { what: "a clock", code: IMPORT, bytes: imports('(import "env" "Date.now" (func (result i64)))') },
  { what: "randomness", code: IMPORT, bytes: imports('(import "env" "seed" (func (result i64)))') },
  { what: "WASI", code: IMPORT, bytes: imports('(import "wasi_snapshot_preview1" "fd_write" (func))') },
  { what: "an import of the wrong type", code: IMPORT, bytes: imports('(import "chain" "fail" (func (param i32)))') },
  { what: "an imported table", code: IMPORT, bytes: imports('(import "env" "t" (table 1 funcref))') },
  { what: "an imported global", code: IMPORT, bytes: imports('(import "chain-upgrade" "gas" (global (mut i64)))') },
  { what: "a name of every object", code: IMPORT, bytes: imports('(import "chain" "__proto__" (func))') },
  {
    what: "an imported memory",
    code: MEMORY,
    bytes: () => build(guest({ imports: '(import "env" "m" (memory 1))', memory: "" })),
  },
  { what: "no memory", code: MEMORY, bytes: memory("") },
  { what: "a second memory", code: MEMORY, bytes: more("(memory 1)") },
  { what: "a shared memory", code: MEMORY, bytes: memory('(memory (export "memory") 1 2 shared)') },
  { what: "a 64-bit memory", code: MEMORY, bytes: memory('(memory (export "memory") i64 1)') },
  { what: "a memory that begins with 32 MiB", code: MEMORY, bytes: memory('(memory (export "memory") 512)') },
  { what: "data outside the memory", code: MEMORY, bytes: more('(data (i32.const -1) "x")') },
  { what: "a huge table", code: LIMIT, bytes: more("(table 10000000 funcref)") },
  { what: "a second table", code: LIMIT, bytes: more(`${table} ${table}`) },
  { what: "elements outside the table", code: LIMIT, bytes: more(`${table} (elem (i32.const 5) $run)`) },
  { what: "80,000 nested blocks", code: LIMIT, bytes: () => withCode(nested(80_000)) },
  { what: "a br_table of ten million entries", code: LIMIT, bytes: () => withCode(brTable) },
  { what: "257 locals", code: LIMIT, bytes: more(`(func (local ${"i64 ".repeat(257)}))`) },
  { what: "four billion locals in nine bytes", code: LIMIT, bytes: () => manyLocals() },
  { what: "33 parameters", code: LIMIT, bytes: more(`(func (param ${"i32 ".repeat(33)}))`) },
  { what: "20,001 functions", code: LIMIT, bytes: more("(func)".repeat(20_001)) },
  { what: "a body of over 256 KiB", code: LIMIT, bytes: more(`(func ${"nop ".repeat(262_144)})`) },
  {
    what: "65 custom sections",
    code: LIMIT,
    bytes: () => concatBytes(good(), ...Array(65).fill(customSection("x", new Uint8Array(0)))),
  },
  { what: "a file of over 1 MiB", code: LIMIT, bytes: () => new Uint8Array(HANDLER_BYTES_MAX + 1) },
  {
    what: "the host's names among its exports",
    code: EXPORT,
    bytes: more('(global (export "chain-upgrade:gas") (mut i64) (i64.const 0))'),
  },
  { what: "a metered module, metered again", code: EXPORT, bytes: more('(func (export "chain-upgrade:stack"))') },
  { what: "no marker", code: EXPORT, bytes: () => build(guest().replace('(export "handler_abi_1")', "")) },
  {
    what: "handler_run of another type",
    code: EXPORT,
    bytes: () =>
      build(
        guest().replace("(param $len i32) (result i32) (i32.const 0)", "(param $len i64) (result i32) (i32.const 0)"),
      ),
  },
  {
    what: "an import handed on as handler_err",
    code: EXPORT,
    bytes: () =>
      build(
        guest({
          imports: '(import "chain" "log" (func $l (param i32 i32 i32)))',
          more: '(export "handler_err" (func $l))',
        }),
      ),
  },
  { what: "two exports of one name", code: FORMAT, bytes: () => twoExports() },
  {
    what: "index capture: global 0, which only the meter will make",
    code: FORMAT,
    bytes: () => withCode(forgedGlobal),
  },
  { what: "index capture: a function behind the last", code: FORMAT, bytes: () => withCode([0x10, 0x05]) },
  { what: "an operand of the wrong type", code: FORMAT, bytes: () => withCode([0x42, 0x00, 0x45, 0x1a]) },
  { what: "an operand too few", code: FORMAT, bytes: () => withCode([0x1a]) },
  { what: "a LEB without end", code: FORMAT, bytes: () => concatBytes(good(), Uint8Array.from([0, ...endless])) },
  {
    what: "a LEB of five bytes with bits beyond 32",
    code: FORMAT,
    bytes: () => withCode([0x41, 0xff, 0xff, 0xff, 0xff, 0x4f, 0x1a]),
  },
  { what: "a truncated section", code: FORMAT, bytes: () => assemble(guest()).slice(0, -5) },
  { what: "sections in the wrong order", code: FORMAT, bytes: () => inserted(good(), 10, section(1, [0])) },
  { what: "a section of an unknown kind", code: FORMAT, bytes: () => concatBytes(good(), section(77, [])) },
  { what: "an opcode that does not exist", code: FORMAT, bytes: () => withCode([0xff]) },
  { what: "a component", code: FORMAT, bytes: () => Uint8Array.from([0, 0x61, 0x73, 0x6d, 0x0d, 0, 1, 0]) },
  { what: "no WebAssembly at all", code: FORMAT, bytes: () => new TextEncoder().encode("#!/bin/sh\necho hello\n") },
  { what: "nothing", code: FORMAT, bytes: () => new Uint8Array(0) },
];

/** The local declarations of the last function say 4,294,967,295 of i64. */
function manyLocals(): Uint8Array {
  const wat = guest({ more: `(func (local i64) ${"nop ".repeat(8)})` });
  const bytes = concatBytes(assemble(wat), manifestSection(MINIMAL_MANIFEST));
  const at = bytes.findIndex(
    (_, i) => bytes.subarray(i, i + 11).every((b, k) => b === ([1, 1, 0x7e][k] ?? 1)) && i > 8,
  );
  // One group: a length of five bytes, the type, the end.
  bytes.set([1, 0xff, 0xff, 0xff, 0xff, 0x0f, 0x7e, 1, 1, 1, 1], at);
  return bytes;
}

function twoExports(): Uint8Array {
  const bytes = build(guest({ more: '(func (export "handler_rum"))' }));
  const at = bytes.findIndex((_, i) => String.fromCharCode(...bytes.subarray(i, i + 11)) === "handler_rum");
  bytes[at + 10] = "n".charCodeAt(0);
  return bytes;
}
