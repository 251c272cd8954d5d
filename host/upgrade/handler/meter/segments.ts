/**
 * Splits a function into segments: instructions that run as often as each other, so that their gas is taken at once,
 * where the first of them is. Code after a block belongs to the segment before it unless something inside may jump
 * past its end. Where the memory may have grown loads may have another price from there on: what they cost besides is
 * taken there, for the loads up to the next such place. Code that nothing leads to costs nothing.
 */

import type { InstructionCursor } from "../../wasm/instruction-cursor.js";
import { NESTING_MAX } from "../../wasm/limits.js";
import { OP } from "../../wasm/opcodes.js";
import type { FunctionBody } from "../../wasm/wasm-module.js";
import type { CallGraph } from "./call-graph.js";
import { EDIT, Edits } from "./edits.js";
import { isBulk, MEMORY_GROW } from "./function-facts.js";
import { instructionPrice, isLoad } from "./instruction-prices.js";

const LEVELS = NESTING_MAX + 2;

/** One object serves many functions. */
export class Segments {
  readonly edits = new Edits();
  readonly #cursor: InstructionCursor;
  readonly #graph: CallGraph;
  /** Per open block: its instruction; the segment it is in; the edit that takes what its loads cost besides. */
  readonly #opcodes = new Uint8Array(LEVELS);
  readonly #segments = new Uint32Array(LEVELS);
  readonly #loadings = new Uint32Array(LEVELS);
  /** Per open block: a way leads to it; a branch leads to its end; the outermost level that a branch inside leads to. */
  readonly #isLive = new Uint8Array(LEVELS);
  readonly #isTarget = new Uint8Array(LEVELS);
  readonly #outermost = new Uint16Array(LEVELS);
  /** Per open block: something inside may grow the memory. */
  readonly #grows = new Uint8Array(LEVELS);
  #level = 0;
  #segment = 0;
  #loading = 0;
  #live = true;
  #loops = 0;

  constructor(cursor: InstructionCursor, graph: CallGraph) {
    this.#cursor = cursor;
    this.#graph = graph;
  }

  /** Fills `edits`; number 0 is the entry, a check. */
  split(body: FunctionBody): void {
    const cursor = this.#cursor;
    this.edits.clear();
    this.#level = -1;
    this.#live = true;
    this.#loops = 0;
    this.#segment = this.edits.add(EDIT.check, body.codeStart, body.codeStart, 0, 0);
    this.#loading = this.#segment;
    this.#open(OP.block);
    cursor.open(body);
    while (cursor.step()) {
      const { opcode } = cursor;
      if (opcode === OP.end) this.#end();
      else if (opcode === OP.else) this.#else();
      else if (opcode === OP.block || opcode === OP.loop || opcode === OP.if) this.#enter();
      else if (this.#live) this.#plain();
    }
  }

  #enter(): void {
    const { opcode } = this.#cursor;
    if (opcode === OP.if) this.#charge(instructionPrice(opcode));
    this.#open(opcode);
    if (opcode === OP.if) this.#begin(EDIT.settle);
    if (opcode === OP.loop) {
      this.#begin(EDIT.check);
      this.#charge(instructionPrice(opcode));
    }
  }

  #open(opcode: number): void {
    const level = ++this.#level;
    if (opcode === OP.loop) this.#loops++;
    this.#opcodes[level] = opcode;
    this.#segments[level] = this.#segment;
    this.#loadings[level] = this.#loading;
    this.#isLive[level] = this.#live ? 1 : 0;
    this.#isTarget[level] = 0;
    this.#outermost[level] = level;
    this.#grows[level] = 0;
  }

  #else(): void {
    const level = this.#level;
    if (this.#live) this.#isTarget[level] = 1;
    this.#opcodes[level] = OP.else;
    this.#live = this.#isLive[level] === 1;
    if (this.#live) this.#begin(EDIT.settle);
  }

  #end(): void {
    const level = this.#level--;
    if (this.#opcodes[level] === OP.loop) this.#loops--;
    if (level === 0) return;
    const parent = level - 1;
    const outermost = this.#outermost[level] as number;
    if (outermost < (this.#outermost[parent] as number)) this.#outermost[parent] = outermost;
    const grows = this.#grows[level] === 1;
    if (grows) this.#grows[parent] = 1;
    if (!this.#isLive[level]) return;
    const opcode = this.#opcodes[level];
    const isMerged = opcode === OP.if || (opcode !== OP.loop && this.#isTarget[level] === 1);
    if (!isMerged && !this.#live) return;
    this.#live = true;
    if (outermost === level) {
      this.#segment = this.#segments[level] as number;
      if (grows) this.#beginLoads();
      else this.#loading = this.#loadings[level] as number;
    } else if (isMerged) this.#begin(EDIT.settle);
  }

  #plain(): void {
    const { opcode, start, next, immediate } = this.#cursor;
    this.#charge(instructionPrice(opcode));
    if (isLoad(opcode)) this.#load(1);
    if (opcode === OP.call) {
      this.#charge(this.#graph.priceAhead(immediate));
      this.#load(this.#graph.loadsAhead(immediate));
      if (this.#graph.touchesGas(immediate)) this.#edit(EDIT.call, start, next);
      if (this.#graph.mayGrow(immediate)) this.#grown();
    } else if (opcode === OP.callIndirect) {
      this.#edit(EDIT.call, start, next);
      if (this.#graph.mayTableGrow) this.#grown();
    } else if (opcode === MEMORY_GROW) {
      this.#edit(EDIT.grow, start, next);
      this.#grown();
    } else if (isBulk(opcode)) this.#edit(EDIT.bulk, start, next);
    else if (opcode === OP.return) {
      this.#edit(EDIT.leave, start, next);
      this.#jump(0);
    } else if (opcode === OP.br || opcode === OP.brIf || opcode === OP.brTable) this.#branch();
    else if (opcode === OP.unreachable) this.#live = false;
  }

  /** Loads after this are paid for by the memory as it is now. */
  #grown(): void {
    this.#grows[this.#level] = 1;
    this.#beginLoads();
  }

  #branch(): void {
    const { labels, labelCount, opcode } = this.#cursor;
    for (let i = 0; i < labelCount; i++) this.#jump(this.#level - (labels[i] as number));
    if (opcode === OP.brIf) {
      this.#live = true;
      this.#begin(EDIT.settle);
    }
  }

  #jump(target: number): void {
    const level = this.#level;
    this.#isTarget[target] = 1;
    if (target < (this.#outermost[level] as number)) this.#outermost[level] = target;
    this.#live = false;
  }

  #charge(gas: number): void {
    if (this.#live) (this.edits.costs[this.#segment] as number) += gas;
  }

  #load(count: number): void {
    (this.edits.loads[this.#loading] as number) += count;
  }

  #begin(kind: number): void {
    if (!this.#live) return;
    this.#segment = this.#edit(kind, this.#cursor.next, this.#cursor.next);
    this.#loading = this.#segment;
  }

  /** The segment goes on. */
  #beginLoads(): void {
    this.#loading = this.#edit(EDIT.settle, this.#cursor.next, this.#cursor.next);
  }

  #edit(kind: number, at: number, to: number): number {
    return this.edits.add(kind, at, to, this.#level + 1, this.#loops);
  }
}
