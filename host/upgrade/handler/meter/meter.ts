/**
 * Puts the count of gas and stack into a handler, and gives its memory a maximum. What it adds is after what was
 * there, so no index changes: globals, a function in place of memory.grow, exports that begin with `chain-upgrade:`.
 * Custom sections are left out. The result depends on the bytes of the original and on the schedule alone.
 *
 * Handlers run as check.wasm meters them. This meter makes the same bytes. It is for the tools of authors, who need to know which byte
 * of the original each byte is from, and which function used how much gas; and it meters modules that are no handlers yet.
 */
import { assert } from "../../../base/errors/errors.js";
import { ByteReader } from "../../wasm/byte-reader.js";
import { InstructionCursor } from "../../wasm/instruction-cursor.js";
import { MEMORY_PAGES_MAX } from "../../wasm/limits.js";
import { EXTERNAL_KINDS, type FunctionBody, SECTION, type WasmModule } from "../../wasm/wasm-module.js";
import { CallGraph } from "./call-graph.js";
import { CodeWriter } from "./code-writer.js";
import type { Entry } from "./edits.js";
import { type FunctionFacts, factsOf } from "./function-facts.js";
import { type Added, Injector, IS_FAR, type MemorySize } from "./injected.js";
import { METER_EXPORTS } from "./meter-exports.js";
import { writeFlat, writeMetered } from "./meter-function.js";
import { NEAR_PAGES, STACK_BUDGET } from "./schedule.js";
import { Segments } from "./segments.js";

const HEADER_BYTES = 8;
const ADDED_GLOBALS = 4;
const ADDED_EXPORTS = 3;
/** Sections of a module in their order, as far as the meter must know it: a missing one is put in before the next. */
const GLOBAL_KIND = EXTERNAL_KINDS.indexOf("global");
const MUTABLE_I64 = [0x7e, 1];
const MUTABLE_I32 = [0x7f, 1];

/**
 * @param module whole and without findings
 * @param code writes the bodies of functions; another one than the usual notes where their bytes are from
 */
export function meterModule(module: WasmModule, code = new CodeWriter(4_096)): Uint8Array<ArrayBuffer> {
  return new Meter(module, code).write();
}

class Meter {
  readonly #module: WasmModule;
  readonly #cursor: InstructionCursor;
  readonly #facts: readonly FunctionFacts[];
  readonly #added: Added;
  readonly #pagesMax: number;
  readonly #hasGrow: boolean;
  readonly #out: CodeWriter;

  constructor(
    module: WasmModule,
    private readonly code: CodeWriter,
  ) {
    this.#module = module;
    this.#cursor = new InstructionCursor(module);
    this.#facts = module.bodies.map((body) => factsOf(this.#cursor, body));
    this.#hasGrow = this.#facts.some(({ hasGrow }) => hasGrow);
    this.#pagesMax = Math.min(module.memories[0]?.max ?? MEMORY_PAGES_MAX, MEMORY_PAGES_MAX);
    this.#added = addedTo(module);
    this.#out = new CodeWriter(2 * module.bytes.length);
  }

  write(): Uint8Array<ArrayBuffer> {
    const { sections, bytes } = this.#module;
    this.#out.copy(bytes, 0, HEADER_BYTES);
    const hasGlobals = sections.some(({ id }) => id === SECTION.global);
    for (const { id, start, end, contentStart } of sections) {
      if (id === SECTION.custom) continue;
      if (id === SECTION.export && !hasGlobals) this.#section(SECTION.global, (out) => this.#globals(out));
      const write = this.#writerOf(id);
      if (write) this.#section(id, (out) => write(out, new ByteReader(bytes, contentStart, end)));
      else this.#out.copy(bytes, start, end);
    }
    return this.#out.finish();
  }

  #memorySize(): MemorySize {
    const min = this.#module.memories[0]?.min ?? 0;
    if (min > NEAR_PAGES) return "always far";
    return this.#hasGrow && this.#pagesMax > NEAR_PAGES ? "may become far" : "always near";
  }

  #section(id: number, write: (out: CodeWriter) => void): void {
    const content = new CodeWriter(4_096);
    write(content);
    this.#out.bytes(id).u32(content.length).append(content);
  }

  /** Undefined: the section stays as it is. */
  #writerOf(id: number): ((out: CodeWriter, reader: ByteReader) => void) | undefined {
    switch (id) {
      case SECTION.function:
        return this.#hasGrow ? (out, reader) => this.#functions(out, reader) : undefined;
      case SECTION.memory:
        return (out) => this.#memory(out);
      case SECTION.global:
        return (out, reader) => this.#globals(out, reader);
      case SECTION.export:
        return (out, reader) => this.#exports(out, reader);
      case SECTION.code:
        return (out) => this.#code(out);
      default:
        return undefined;
    }
  }

  #functions(out: CodeWriter, reader: ByteReader): void {
    const isGrow = ({ params, results }: { params: readonly number[]; results: readonly number[] }) =>
      params.length === 1 && params[0] === 0x7f && results.length === 1 && results[0] === 0x7f;
    const type = this.#module.types.findIndex(isGrow);
    assert(type >= 0, "a checked handler has no type (i32) -> i32, which handler_run has");
    copyList(out, reader, 1).u32(type);
  }

  /** One memory, with the smaller maximum of what it declares and of what the host allows. */
  #memory(out: CodeWriter): void {
    out
      .bytes(1, 1)
      .u32(this.#module.memories[0]?.min ?? 0)
      .u32(this.#pagesMax);
  }

  #globals(out: CodeWriter, reader?: ByteReader): void {
    if (reader) copyList(out, reader, ADDED_GLOBALS);
    else out.u32(ADDED_GLOBALS);
    out.bytes(...MUTABLE_I64, 0x42, 0, 0x0b);
    out
      .bytes(...MUTABLE_I32, 0x41)
      .signed(STACK_BUDGET)
      .bytes(0x0b);
    out.bytes(...MUTABLE_I32, 0x41, 0, 0x0b);
    const isLarge = (this.#module.memories[0]?.min ?? 0) > NEAR_PAGES;
    out
      .bytes(...MUTABLE_I32, 0x41)
      .signed(isLarge ? IS_FAR : 0)
      .bytes(0x0b);
  }

  #exports(out: CodeWriter, reader: ByteReader): void {
    copyList(out, reader, ADDED_EXPORTS);
    out.string(METER_EXPORTS.gas).bytes(GLOBAL_KIND).u32(this.#added.gas);
    out.string(METER_EXPORTS.stack).bytes(GLOBAL_KIND).u32(this.#added.stack);
    out.string(METER_EXPORTS.refused).bytes(GLOBAL_KIND).u32(this.#added.refused);
  }

  #code(out: CodeWriter): void {
    const { bodies } = this.#module;
    const { graph, segments } = settled(this.#module, this.#cursor, this.#facts);
    const { code } = this;
    const inject = new Injector(code, this.#added, this.#memorySize());
    out.u32(bodies.length + (this.#hasGrow ? 1 : 0));
    bodies.forEach((body, i) => {
      code.clear();
      this.#meter(body, i, graph, segments, code, inject);
      out.u32(code.length).append(code);
    });
    if (!this.#hasGrow) return;
    code.clear();
    inject.growBody(this.#pagesMax);
    out.u32(code.length).append(code);
  }

  #meter(body: FunctionBody, i: number, graph: CallGraph, segments: Segments, out: CodeWriter, inject: Injector): void {
    segments.split(body);
    const facts = this.#facts[i] as FunctionFacts;
    const reserve = graph.reserve(body.functionIndex);
    const isFlat = graph.flatPrice(body.functionIndex) !== undefined;
    const write = isFlat ? writeFlat : writeMetered;
    const isEntryPaid = graph.entryPrice(body.functionIndex) !== undefined;
    write(this.#module.bytes, { body, facts, reserve, edits: segments.edits, isEntryPaid }, out, inject, this.#added);
  }
}

function settled(module: WasmModule, cursor: InstructionCursor, facts: readonly FunctionFacts[]) {
  const graph = new CallGraph(module, facts);
  const segments = new Segments(cursor, graph);
  graph.settle((i) => {
    segments.split(module.bodies[i] as FunctionBody);
    return segments.edits.entry;
  });
  return { graph, segments };
}

/** Where in a metered module is what the meter added. */
export function addedTo({ globals, functionTypes }: WasmModule): Added {
  return { gas: globals, stack: globals + 1, refused: globals + 2, far: globals + 3, grow: functionTypes.length };
}

/** Of each function that the module defines: what its callers pay, besides the call, when they call it. Nothing, where it takes its gas itself. */
export function pricesAhead(module: WasmModule): readonly Entry[] {
  const cursor = new InstructionCursor(module);
  const facts = module.bodies.map((body) => factsOf(cursor, body));
  const { graph } = settled(module, cursor, facts);
  return module.bodies.map(({ functionIndex: index }) => ({
    price: graph.priceAhead(index),
    loads: graph.loadsAhead(index),
  }));
}

/** A list whose length grows by `more` items, which the caller appends. */
export function copyList(out: CodeWriter, reader: ByteReader, more: number): CodeWriter {
  const count = reader.u32("the length of a list");
  return out.u32(count + more).copy(reader.bytes, reader.at, reader.end);
}
