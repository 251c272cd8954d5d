/**
 * A metered module that also counts the gas of each of its functions. In the place of each function comes one that calls it,
 * and looks at the gas before and after; the metered functions themselves are as they were, after all others, so the gas of
 * a run is the same.
 *
 * A caller may have paid for a function ahead (call-graph.ts): that much is the function's, not the caller's. What a function
 * took, with what it called, is gas before − gas after + what was paid ahead; its own is that without what it called.
 */

import { itemAt } from "../../../base/text/checked-index.js";
import { CodeWriter } from "../../handler/meter/code-writer.js";
import type { Entry } from "../../handler/meter/edits.js";
import { addedTo, copyList, meterModule, pricesAhead } from "../../handler/meter/meter.js";
import { FAR_LOAD_PRICE } from "../../handler/meter/schedule.js";
import { ByteReader } from "../../wasm/byte-reader.js";
import { EXTERNAL_KINDS, type FunctionBody, SECTION, type WasmModule } from "../../wasm/wasm-module.js";

/** Exported globals of a traced module; of the functions, by the number of the body. */
export const TRACE_EXPORTS = Object.freeze({
  /** i32: functions that are running. */
  depth: "depth",
  own: (body: number) => `own ${body}`,
  total: (body: number) => `total ${body}`,
  calls: (body: number) => `calls ${body}`,
});

const HEADER_BYTES = 8;
/** Globals that are added: two, and then four for each function. */
const SHARED_GLOBALS = 2;
const FUNCTION_GLOBALS = 4;
const METER_GLOBALS = 4;
const GLOBAL_KIND = EXTERNAL_KINDS.indexOf("global");
const I32 = 0x7f;
const I64 = 0x7e;
const EMPTY_BLOCK = 0x40;
const [IF, END, CALL] = [0x04, 0x0b, 0x10];
const [LOCAL_GET, LOCAL_SET, LOCAL_TEE, GLOBAL_GET, GLOBAL_SET] = [0x20, 0x21, 0x22, 0x23, 0x24];
const [I32_CONST, I64_CONST, I32_EQZ] = [0x41, 0x42, 0x45];
const [I32_ADD, I32_SUB, I64_ADD, I64_SUB, I64_MUL, I64_EXTEND_I32_U] = [0x6a, 0x6b, 0x7c, 0x7d, 0x7e, 0xad];

/** @param module whole and without findings */
export function traceModule(module: WasmModule): Uint8Array<ArrayBuffer> {
  return new Tracer(module, meterModule(module), pricesAhead(module)).write();
}

class Tracer {
  readonly #module: WasmModule;
  readonly #metered: Uint8Array;
  readonly #ahead: readonly Entry[];
  /** i64: gas of what the running function called. */
  readonly #below: number;
  readonly #depth: number;
  readonly #out: CodeWriter;
  /** Index of the first metered function, which are all after the others. */
  #moved = 0;

  constructor(module: WasmModule, metered: Uint8Array, ahead: readonly Entry[]) {
    this.#module = module;
    this.#metered = metered;
    this.#ahead = ahead;
    this.#below = module.globals + METER_GLOBALS;
    this.#depth = this.#below + 1;
    this.#out = new CodeWriter(2 * metered.length);
  }

  write(): Uint8Array<ArrayBuffer> {
    const reader = new ByteReader(this.#metered, HEADER_BYTES);
    this.#out.copy(this.#metered, 0, HEADER_BYTES);
    while (reader.at < reader.end) {
      const id = reader.byte("a section");
      const size = reader.u32("its size");
      const content = new CodeWriter(size);
      this.#section(id, content, new ByteReader(this.#metered, reader.at, reader.at + size));
      this.#out.bytes(id).u32(content.length).append(content);
      reader.skip(size, "a section");
    }
    return this.#out.finish();
  }

  #section(id: number, out: CodeWriter, reader: ByteReader): void {
    if (id === SECTION.function) this.#functions(out, reader);
    else if (id === SECTION.global) this.#globals(out, reader);
    else if (id === SECTION.export) this.#exports(out, reader);
    else if (id === SECTION.code) this.#code(out, reader);
    else out.copy(this.#metered, reader.at, reader.end);
  }

  #functions(out: CodeWriter, reader: ByteReader): void {
    const { bodies, functionTypes, functionImports } = this.#module;
    const functions = new ByteReader(this.#metered, reader.at, reader.end).u32("functions");
    this.#moved = functionImports.length + functions;
    copyList(out, reader, bodies.length);
    for (const { functionIndex } of bodies) out.u32(itemAt(functionTypes, functionIndex));
  }

  #globals(out: CodeWriter, reader: ByteReader): void {
    const { bodies } = this.#module;
    copyList(out, reader, SHARED_GLOBALS + FUNCTION_GLOBALS * bodies.length);
    const i64 = () => out.bytes(I64, 1, I64_CONST, 0, END);
    const i32 = () => out.bytes(I32, 1, I32_CONST, 0, END);
    i64();
    i32();
    for (const _ of bodies) {
      for (let i = 1; i < FUNCTION_GLOBALS; i++) i64();
      i32();
    }
  }

  #exports(out: CodeWriter, reader: ByteReader): void {
    const { bodies } = this.#module;
    copyList(out, reader, 1 + 3 * bodies.length);
    const global = (name: string, index: number) => out.string(name).bytes(GLOBAL_KIND).u32(index);
    global(TRACE_EXPORTS.depth, this.#depth);
    bodies.forEach((_, i) => {
      const { own, total, calls } = this.#countersOf(i);
      global(TRACE_EXPORTS.own(i), own);
      global(TRACE_EXPORTS.total(i), total);
      global(TRACE_EXPORTS.calls(i), calls);
    });
  }

  /** Globals of a function; `open`: how many calls of it are running. */
  #countersOf(body: number) {
    const own = this.#depth + 1 + FUNCTION_GLOBALS * body;
    return { own, total: own + 1, calls: own + 2, open: own + 3 };
  }

  #code(out: CodeWriter, reader: ByteReader): void {
    const { bodies } = this.#module;
    const count = reader.u32("functions");
    out.u32(count + bodies.length);
    bodies.forEach((body, i) => {
      const counting = this.#counting(body, i);
      out.u32(counting.length).append(counting);
    });
    const moved = new CodeWriter(reader.end - reader.at);
    for (let i = 0; i < count; i++) {
      const { at } = reader;
      const size = reader.u32("the size of a body");
      reader.skip(size, "a body");
      // What replaces memory.grow keeps its place.
      (i < bodies.length ? moved : out).copy(this.#metered, at, reader.at);
    }
    out.append(moved);
  }

  /** The body of the function that comes in the place of one. */
  #counting({ type }: FunctionBody, body: number): CodeWriter {
    const { own, total, calls, open } = this.#countersOf(body);
    const { gas } = addedTo(this.#module);
    const out = new CodeWriter(128);
    const params = type.params.length;
    const [before, callersBelow, used] = [params, params + 1, params + 2];
    const add32 = (global: number, op: number) =>
      out.bytes(GLOBAL_GET).u32(global).bytes(I32_CONST, 1, op, GLOBAL_SET).u32(global);
    /** To what is on the stack. */
    const add64 = (global: number) => out.bytes(GLOBAL_GET).u32(global).bytes(I64_ADD, GLOBAL_SET).u32(global);
    out.bytes(1, 3, I64);
    add32(this.#depth, I32_ADD);
    add32(open, I32_ADD);
    out.bytes(GLOBAL_GET).u32(this.#below).bytes(LOCAL_SET).u32(callersBelow);
    out.bytes(I64_CONST, 0, GLOBAL_SET).u32(this.#below);
    this.#paidAhead(out, body);
    out.bytes(GLOBAL_GET).u32(gas).bytes(I64_ADD, LOCAL_SET).u32(before);
    for (let i = 0; i < params; i++) out.bytes(LOCAL_GET).u32(i);
    out.bytes(CALL).u32(this.#moved + body);
    out.bytes(LOCAL_GET).u32(before).bytes(GLOBAL_GET).u32(gas).bytes(I64_SUB, LOCAL_TEE).u32(used);
    out.bytes(GLOBAL_GET).u32(this.#below).bytes(I64_SUB);
    add64(own);
    out.bytes(LOCAL_GET).u32(callersBelow).bytes(LOCAL_GET).u32(used).bytes(I64_ADD, GLOBAL_SET).u32(this.#below);
    out.bytes(I64_CONST, 1);
    add64(calls);
    add32(this.#depth, I32_SUB);
    add32(open, I32_SUB);
    // Of a function that called itself the outermost call has what all of them took.
    out.bytes(GLOBAL_GET).u32(open).bytes(I32_EQZ, IF, EMPTY_BLOCK, LOCAL_GET).u32(used);
    add64(total);
    return out.bytes(END, END);
  }

  /** Loads cost more in a large memory, which cannot have grown since they were paid for. */
  #paidAhead(out: CodeWriter, body: number): void {
    const { price, loads } = itemAt(this.#ahead, body);
    const { far } = addedTo(this.#module);
    out
      .bytes(GLOBAL_GET)
      .u32(far)
      .bytes(I64_EXTEND_I32_U, I64_CONST)
      .signed(loads * FAR_LOAD_PRICE);
    out.bytes(I64_MUL, I64_CONST).signed(price).bytes(I64_ADD);
  }
}
