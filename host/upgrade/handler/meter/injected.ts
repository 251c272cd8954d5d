/**
 * The instructions that the meter puts in. While a function runs, the gas that is left is in a local (or, where that
 * is quicker, in the global); the exported global holds it whenever somebody else may look: before a call, at the end,
 * when the gas is gone.
 */
import { OP } from "../../wasm/opcodes.js";
import type { CodeWriter } from "./code-writer.js";
import { BULK_BYTES_LOG2, FAR_LOAD_PRICE, GROW_PAGE_PRICE, NEAR_PAGES } from "./schedule.js";

const I32 = 0x7f;
const I64 = 0x7e;
const EMPTY_BLOCK = 0x40;
const LOCAL_GET = 0x20;
const LOCAL_SET = 0x21;
const LOCAL_TEE = 0x22;
const GLOBAL_GET = 0x23;
const GLOBAL_SET = 0x24;
const MEMORY_SIZE = [0x3f, 0x00];
const MEMORY_GROW = [0x40, 0x00];
const I32_EQ = 0x46;
const I32_LT_S = 0x48;
const I32_GT_U = 0x4b;
const I64_LT_S = 0x53;
const I64_GT_U = 0x56;
const I32_ADD = 0x6a;
const I32_SUB = 0x6b;
const I64_ADD = 0x7c;
const I64_SUB = 0x7d;
const I64_MUL = 0x7e;
const I64_SHR_U = 0x88;
const I64_EXTEND_I32_U = 0xad;

/** Of {@link Added.far}: the memory is large. */
export const IS_FAR = 1;

/** Indices of what the meter adds to a module. */
export interface Added {
  /** i64: the gas that is left; below 0: it is gone. */
  readonly gas: number;
  /** i32: the stack budget that is left; below 0: it is gone. */
  readonly stack: number;
  /** i32: 1 when the engine had no memory for a growth that is allowed. */
  readonly refused: number;
  /** i32: 1 when each load costs FAR_LOAD_PRICE besides its price; 0 while the memory is small. */
  readonly far: number;
  /** The function that replaces memory.grow. */
  readonly grow: number;
}

/** What is known of a module's memory before it runs. */
export type MemorySize = "always near" | "always far" | "may become far";

export class Injector {
  /** A local of the function at hand for its gas; the one after it is for a length (only with bulk memory). */
  local = 0;
  /** Loads' price besides is taken where it may be due. */
  readonly #size: MemorySize;
  /** The gas stays in the global: for functions that call more than they compute. What it costs is the same. */
  isGlobal = false;

  constructor(
    private readonly out: CodeWriter,
    private readonly added: Added,
    size: MemorySize,
  ) {
    this.#size = size;
  }

  /** From the global to the local. */
  load(): void {
    if (!this.isGlobal) this.out.bytes(GLOBAL_GET).u32(this.added.gas).bytes(LOCAL_SET).u32(this.local);
  }

  /** From the local to the global. */
  store(): void {
    if (!this.isGlobal) this.out.bytes(LOCAL_GET).u32(this.local).bytes(GLOBAL_SET).u32(this.added.gas);
  }

  take(gas: number, loads: number): void {
    const price = this.#known(gas, loads);
    if (price > 0) {
      this.#get();
      this.#subtract(price);
      this.#set();
    }
    this.#takeFar(loads);
  }

  /** @param label of the cold path */
  takeAndCheck(gas: number, loads: number, label: number): void {
    this.#get();
    this.#takeAll(gas, loads);
    this.#check(label);
  }

  /**
   * The same where the function begins: the gas comes from the global. Checked in functions that call others or cost
   * much: what others do is bounded by their loops' checks.
   */
  enter(gas: number, loads: number, label: number, isChecked: boolean): void {
    if (this.isGlobal && !isChecked) {
      this.take(gas, loads);
      return;
    }
    this.out.bytes(GLOBAL_GET).u32(this.added.gas);
    this.#takeAll(gas, loads);
    if (isChecked) this.#check(label);
    else this.out.bytes(LOCAL_SET).u32(this.local);
  }

  #get(): void {
    if (this.isGlobal) this.out.bytes(GLOBAL_GET).u32(this.added.gas);
    else this.out.bytes(LOCAL_GET).u32(this.local);
  }

  #set(): void {
    if (this.isGlobal) this.out.bytes(GLOBAL_SET).u32(this.added.gas);
    else this.out.bytes(LOCAL_SET).u32(this.local);
  }

  #subtract(gas: number): void {
    if (gas > 0) this.out.bytes(OP.i64Const).signed(gas).bytes(I64_SUB);
  }

  /** From the gas on top of the stack, which stays there. */
  #takeAll(gas: number, loads: number): void {
    this.#subtract(this.#known(gas, loads));
    if (loads === 0 || this.#size !== "may become far") return;
    this.#set();
    this.#takeFar(loads);
    this.#get();
  }

  /** What a segment costs whatever the memory becomes. */
  #known(gas: number, loads: number): number {
    return this.#size === "always far" ? gas + loads * FAR_LOAD_PRICE : gas;
  }

  /** A branch that nearly always goes the same way costs less than a price that is worked out. */
  #takeFar(loads: number): void {
    if (loads === 0 || this.#size !== "may become far") return;
    this.out.bytes(GLOBAL_GET).u32(this.added.far).bytes(OP.if, EMPTY_BLOCK);
    this.#get();
    this.#subtract(loads * FAR_LOAD_PRICE);
    this.#set();
    this.out.bytes(OP.end);
  }

  #check(label: number): void {
    this.out.bytes(LOCAL_TEE).u32(this.local);
    if (this.isGlobal) this.out.bytes(GLOBAL_SET).u32(this.added.gas).bytes(LOCAL_GET).u32(this.local);
    this.out.bytes(OP.i64Const, 0, I64_LT_S, OP.brIf).u32(label);
  }

  /** The length on top of the stack stays there. */
  takeForBytes(label: number): void {
    const length = this.local + 1;
    this.out.bytes(LOCAL_TEE).u32(length);
    this.#get();
    this.out.bytes(LOCAL_GET).u32(length);
    this.out.bytes(I64_EXTEND_I32_U, OP.i64Const).signed(BULK_BYTES_LOG2).bytes(I64_SHR_U, I64_SUB);
    this.#check(label);
  }

  reserveStack(bytes: number, label: number): void {
    const { stack } = this.added;
    this.out.bytes(GLOBAL_GET).u32(stack).bytes(OP.i32Const).signed(bytes).bytes(I32_SUB, GLOBAL_SET).u32(stack);
    this.out.bytes(GLOBAL_GET).u32(stack).bytes(OP.i32Const, 0, I32_LT_S, OP.brIf).u32(label);
  }

  releaseStack(bytes: number): void {
    const { stack } = this.added;
    this.out.bytes(GLOBAL_GET).u32(stack).bytes(OP.i32Const).signed(bytes).bytes(I32_ADD, GLOBAL_SET).u32(stack);
  }

  /** A whole body, from its locals on: (pages: i32) -> i32, for memory.grow. Above the maximum it returns -1, always. */
  growBody(pagesMax: number): void {
    const { gas, refused, far } = this.added;
    const { out } = this;
    const [pages, left] = [0, 1];
    out.bytes(1, 1, I64);
    out.bytes(LOCAL_GET, pages, I64_EXTEND_I32_U, ...MEMORY_SIZE, I64_EXTEND_I32_U, I64_ADD);
    out.bytes(OP.i64Const).signed(pagesMax).bytes(I64_GT_U, OP.if, EMPTY_BLOCK);
    out.bytes(OP.i32Const).signed(-1).bytes(OP.return, OP.end);
    out.bytes(GLOBAL_GET).u32(gas).bytes(LOCAL_GET, pages, I64_EXTEND_I32_U);
    out.bytes(OP.i64Const).signed(GROW_PAGE_PRICE).bytes(I64_MUL, I64_SUB, LOCAL_TEE, left, GLOBAL_SET).u32(gas);
    out.bytes(LOCAL_GET, left, OP.i64Const, 0, I64_LT_S, OP.if, EMPTY_BLOCK, OP.unreachable, OP.end);
    out
      .bytes(LOCAL_GET, pages, ...MEMORY_GROW, LOCAL_TEE, pages, OP.i32Const)
      .signed(-1)
      .bytes(I32_EQ);
    out.bytes(OP.if, EMPTY_BLOCK, OP.i32Const, 1, GLOBAL_SET).u32(refused).bytes(OP.unreachable, OP.end);
    out
      .bytes(...MEMORY_SIZE, OP.i32Const)
      .signed(NEAR_PAGES)
      .bytes(I32_GT_U, OP.if, EMPTY_BLOCK);
    out.bytes(OP.i32Const).signed(IS_FAR).bytes(GLOBAL_SET).u32(far).bytes(OP.end);
    out.bytes(LOCAL_GET, pages, OP.end);
  }

  /** Declarations of the locals that the meter adds. */
  declare(hasBulk: boolean): void {
    this.out.bytes(1, I64);
    if (hasBulk) this.out.bytes(1, I32);
  }
}
