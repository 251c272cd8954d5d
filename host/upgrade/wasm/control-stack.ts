/**
 * Open blocks of a function and the height of the operand stack inside them. Types of operands are the business of
 * `WebAssembly.validate`; heights are kept here because a price or a budget depends on them.
 */
import { malformed } from "./findings.js";
import { NESTING_MAX } from "./limits.js";
import { OP } from "./opcodes.js";

const FRAMES_MAX = NESTING_MAX + 1;

/** A stack of blocks; level 0 is the function's own body. One object serves many functions. */
export class ControlStack {
  /** Open blocks, the body among them; 0 after the function's last `end`. */
  depth = 0;
  /** Operands on the stack, in the view of the innermost block that is all there is below unreachable code. */
  height = 0;
  /** Greatest height since `open`. */
  heightMax = 0;
  /** Loops among the open blocks. */
  loops = 0;
  /** Byte of the block instruction that the last `end` closed. */
  closedStart = 0;
  readonly #opcodes = new Uint8Array(FRAMES_MAX);
  readonly #starts = new Uint32Array(FRAMES_MAX);
  readonly #bases = new Uint32Array(FRAMES_MAX);
  readonly #results = new Uint8Array(FRAMES_MAX);
  readonly #reachable = new Uint8Array(FRAMES_MAX);

  /** Begins a function that gives `results` values; its body counts as a `block` at `start`. */
  open(start: number, results: number): void {
    this.depth = 0;
    this.height = 0;
    this.heightMax = 0;
    this.loops = 0;
    this.enter(OP.block, start, results);
  }

  /** Callers keep `depth` within its limit. */
  enter(opcode: number, start: number, results: number): void {
    const level = this.depth++;
    if (opcode === OP.loop) this.loops++;
    this.#opcodes[level] = opcode;
    this.#starts[level] = start;
    this.#bases[level] = this.height;
    this.#results[level] = results;
    this.#reachable[level] = 1;
  }

  /** Opcode of the block that a branch to `label` leads to: block, loop, if or else. */
  opcodeAt(label: number): number {
    return this.#opcodes[this.depth - 1 - label] as number;
  }

  /** Byte of the block instruction that a branch to `label` leads to. */
  startAt(label: number): number {
    return this.#starts[this.depth - 1 - label] as number;
  }

  /** Operands that a branch to `label` takes: a loop begins again and takes none. */
  branchOperands(label: number): number {
    const level = this.depth - 1 - label;
    return this.#opcodes[level] === OP.loop ? 0 : (this.#results[level] as number);
  }

  /** False after an unconditional branch, until the block's end. */
  get isReachable(): boolean {
    return this.#reachable[this.depth - 1] === 1;
  }

  pop(count: number, at: number): void {
    const base = this.#bases[this.depth - 1] as number;
    if (this.height - count >= base) this.height -= count;
    else if (!this.isReachable) this.height = base;
    else throw malformed(at, "an instruction takes more operands than there are");
  }

  push(count: number): void {
    this.height += count;
    if (this.height > this.heightMax) this.heightMax = this.height;
  }

  /** After an unconditional branch. */
  leave(): void {
    this.height = this.#bases[this.depth - 1] as number;
    this.#reachable[this.depth - 1] = 0;
  }

  else(at: number): void {
    const level = this.depth - 1;
    if (this.#opcodes[level] !== OP.if) throw malformed(at, "else without its if");
    this.#requireResults(at);
    this.#opcodes[level] = OP.else;
    this.#reachable[level] = 1;
    this.height = this.#bases[level] as number;
  }

  end(at: number): void {
    const level = this.depth - 1;
    const results = this.#results[level] as number;
    if (this.#opcodes[level] === OP.if && results > 0) throw malformed(at, "an if that gives a value needs an else");
    this.#requireResults(at);
    this.height = this.#bases[level] as number;
    this.closedStart = this.#starts[level] as number;
    if (this.#opcodes[level] === OP.loop) this.loops--;
    this.depth--;
    this.push(results);
  }

  #requireResults(at: number): void {
    const level = this.depth - 1;
    const due = (this.#bases[level] as number) + (this.#results[level] as number);
    const fits = this.isReachable ? this.height === due : this.height <= due;
    if (!fits) throw malformed(at, "a block ends with another number of operands than it gives");
  }
}
