/**
 * The code of one function, made at random and valid by construction: blocks, loops and ifs with and without values,
 * every kind of branch, dead code after some, calls, memory, bulk memory. Every loop and every function takes one off a
 * global, so that all of it ends.
 */
import { CodeWriter } from "../../../host/upgrade/handler/meter/code-writer.js";
import type { Random } from "./random.js";

export type ValueType = 0x7f | 0x7e;
export const I32 = 0x7f;
export const I64 = 0x7e;

export interface Signature {
  readonly params: readonly ValueType[];
  readonly result: ValueType | undefined;
}

/** What a body may refer to. */
export interface Surroundings {
  /** By function index; the first are imports. */
  readonly functions: readonly Signature[];
  readonly imports: number;
  /** Types, by index: those of the functions. */
  readonly tableSize: number;
  /** Global 0 counts down, the others are two i32 and two i64. */
  readonly globals: readonly ValueType[];
  readonly dataSegments: number;
  /** Without bulk memory, whose price is not that of the instruction alone. */
  readonly isPlain: boolean;
  /** Calls lead to later functions alone, and there are no loops: much is paid for where it is called. */
  readonly isLayered: boolean;
}

const EMPTY = 0x40;
const DEPTH_MAX = 5;
const BODY_BYTES = 1_200;

export class RandomBody {
  readonly out = new CodeWriter(1_024);
  readonly #locals: readonly ValueType[];
  /** Of every open block, what a branch to it takes; the function's own first. */
  readonly #labels: (ValueType | undefined)[] = [];

  constructor(
    private readonly random: Random,
    private readonly world: Surroundings,
    private readonly index: number,
    private readonly signature: Signature,
    locals: readonly ValueType[],
  ) {
    this.#locals = [...signature.params, ...locals];
    this.#labels.push(signature.result);
    // What every call runs is more than the count then.
    if (world.isLayered) for (let i = 0; i < 3; i++) this.#drop(DEPTH_MAX - 3);
    this.#countDown();
    this.#statements(0);
    if (signature.result !== undefined) this.#value(signature.result, 0);
    this.out.bytes(0x0b);
  }

  /** Takes one off global 0; when it is used up, leaves the function. */
  #countDown(): void {
    this.out.bytes(0x23, 0, 0x41, 1, 0x6b, 0x24, 0, 0x23, 0, 0x41, 0, 0x48, 0x04, EMPTY);
    if (this.signature.result === I32) this.out.bytes(0x41, 7);
    if (this.signature.result === I64) this.out.bytes(0x42, 9);
    this.out.bytes(0x0f, 0x0b);
  }

  #statements(depth: number): void {
    for (let i = this.random.below(4) + 1; i > 0; i--) this.#statement(depth);
  }

  #statement(depth: number): void {
    const { random, out } = this;
    const flat = [
      () => this.#setLocal(depth),
      () => this.#setGlobal(depth),
      () => this.#store(depth),
      () => this.#drop(depth),
      () => out.bytes(0x01),
    ];
    const nested = [
      () => this.#block(undefined, depth),
      () => this.#loop(undefined, depth),
      () => this.#if(undefined, depth),
      () => this.#branch(depth),
      () => this.#branchIf(depth),
      () => this.#bulk(depth),
      () => this.#branchTable(depth),
      () => this.#call(undefined, depth),
    ];
    random.pick<() => unknown>(this.#isDeep(depth) ? flat : [...flat, ...nested])();
  }

  #isDeep(depth: number): boolean {
    return depth >= DEPTH_MAX || this.out.length > BODY_BYTES;
  }

  #drop(depth: number): void {
    this.#value(this.random.pick([I32, I64]), depth + 1);
    this.out.bytes(0x1a);
  }

  #setLocal(depth: number): void {
    const index = this.random.below(this.#locals.length);
    this.#value(this.#locals[index] as ValueType, depth + 1);
    this.out.bytes(0x21).u32(index);
  }

  #setGlobal(depth: number): void {
    const index = 1 + this.random.below(this.world.globals.length - 1);
    this.#value(this.world.globals[index] as ValueType, depth + 1);
    this.out.bytes(0x24).u32(index);
  }

  /** Nearly always inside the memory. */
  #address(depth: number): void {
    this.#value(I32, depth + 1);
    if (!this.random.once(200)) this.out.bytes(0x41).signed(0x7fff).bytes(0x71);
  }

  #store(depth: number): void {
    const [opcode, type] = this.random.pick([
      [0x36, I32],
      [0x37, I64],
      [0x3a, I32],
      [0x3e, I64],
    ] as const);
    this.#address(depth);
    this.#value(type, depth + 1);
    this.out.bytes(opcode, 0).u32(this.random.below(64));
  }

  #open(opcode: number, type: ValueType | undefined, label: ValueType | undefined): void {
    this.out.bytes(opcode, type ?? EMPTY);
    this.#labels.push(label);
  }

  #close(): void {
    this.out.bytes(0x0b);
    this.#labels.pop();
  }

  #block(type: ValueType | undefined, depth: number): void {
    this.#open(0x02, type, type);
    this.#statements(depth + 1);
    if (type !== undefined) this.#value(type, depth + 1);
    this.#close();
  }

  #loop(type: ValueType | undefined, depth: number): void {
    if (this.world.isLayered) {
      this.#block(type, depth);
      return;
    }
    this.#open(0x03, type, undefined);
    this.#countDown();
    this.#statements(depth + 1);
    if (this.random.once(2)) {
      this.#value(I32, depth + 1);
      this.out.bytes(0x0d, 0);
    }
    if (type !== undefined) this.#value(type, depth + 1);
    this.#close();
  }

  #if(type: ValueType | undefined, depth: number): void {
    this.#value(I32, depth + 1);
    this.#open(0x04, type, type);
    this.#statements(depth + 1);
    if (type !== undefined) this.#value(type, depth + 1);
    if (type !== undefined || this.random.once(2)) {
      this.out.bytes(0x05);
      this.#statements(depth + 1);
      if (type !== undefined) this.#value(type, depth + 1);
    }
    this.#close();
  }

  /** Out of an `if`, so that what follows is mostly alive; after the branch there is dead code at times. */
  #branch(depth: number): void {
    const { random, out } = this;
    this.#value(I32, depth + 1);
    this.#open(0x04, undefined, undefined);
    const choice = random.below(12);
    if (choice === 0) out.bytes(0x00);
    else if (choice < 4) {
      if (this.signature.result !== undefined) this.#value(this.signature.result, depth + 1);
      out.bytes(0x0f);
    } else {
      const label = random.below(this.#labels.length);
      const type = this.#labels.at(-1 - label);
      if (type !== undefined) this.#value(type, depth + 1);
      out.bytes(0x0c).u32(label);
    }
    if (random.once(3)) this.#statements(depth + 1);
    this.#close();
  }

  #branchIf(depth: number): void {
    const label = this.random.below(this.#labels.length);
    const type = this.#labels.at(-1 - label);
    if (type !== undefined) this.#value(type, depth + 1);
    this.#value(I32, depth + 1);
    this.out.bytes(0x0d).u32(label);
    if (type !== undefined) this.out.bytes(0x1a);
  }

  #branchTable(depth: number): void {
    const { random, out } = this;
    const plain = this.#labels.flatMap((type, i) => (type === undefined ? [this.#labels.length - 1 - i] : []));
    if (plain.length === 0) return;
    const isInside = random.once(2);
    if (isInside) this.#open(0x02, undefined, undefined);
    const shift = isInside ? 1 : 0;
    this.#value(I32, depth + 1);
    this.#open(0x04, undefined, undefined);
    this.#value(I32, depth + 1);
    const count = random.below(4);
    out.bytes(0x0e).u32(count);
    for (let i = 0; i <= count; i++) out.u32(1 + shift + random.pick(plain));
    this.#close();
    if (!isInside) return;
    this.#statements(depth + 1);
    this.#close();
  }

  #bulk(depth: number): void {
    const { random, out, world } = this;
    if (world.isPlain) {
      this.#store(depth);
      return;
    }
    this.#address(depth);
    const kind = random.below(3);
    if (kind === 2 && world.dataSegments > 0) {
      out.bytes(0x41, 0, 0x41).signed(random.below(9)).bytes(0xfc, 0x08).u32(random.below(world.dataSegments)).bytes(0);
      return;
    }
    if (kind === 0) this.#address(depth);
    else this.#value(I32, depth + 1);
    this.#value(I32, depth + 1);
    out.bytes(0x41).signed(0x3ff).bytes(0x71);
    if (kind === 0) out.bytes(0xfc, 0x0a, 0, 0);
    else out.bytes(0xfc, 0x0b, 0);
  }

  /** Any function of that result, straight or by the table, whose entries may be of another type: a trap. */
  #call(result: ValueType | undefined, depth: number): void {
    const { random, out, world } = this;
    const isAllowed = (index: number) => !world.isLayered || index < world.imports || index > this.index;
    const fitting = world.functions.flatMap((each, i) => (each.result === result && isAllowed(i) ? [i] : []));
    if (fitting.length === 0 && result !== undefined) {
      this.#constant(result);
      return;
    }
    const index = random.pick(fitting);
    for (const param of world.functions[index]?.params ?? []) this.#value(param, depth + 1);
    if (random.once(4) && index >= world.imports && !world.isLayered) {
      this.#value(I32, depth + 1);
      out.bytes(0x41).signed(world.tableSize).bytes(0x70, 0x11).u32(index).bytes(0);
    } else out.bytes(0x10).u32(index);
  }

  #value(type: ValueType, depth: number): void {
    const flat = [
      () => this.#constant(type),
      () => this.#get(0x20, this.#locals, type),
      () => this.#get(0x23, this.world.globals, type),
    ];
    const nested = [
      () => this.#binary(type, depth),
      () => this.#binary(type, depth),
      () => this.#load(type, depth),
      () => this.#select(type, depth),
      () => this.#block(type, depth),
      () => this.#loop(type, depth),
      () => this.#if(type, depth),
      () => this.#call(type, depth),
      () => this.#convert(type, depth),
      () => this.#compareOrGrow(type, depth),
    ];
    this.random.pick(this.#isDeep(depth) ? flat : [...flat, ...nested])();
  }

  #constant(type: ValueType): void {
    const { random, out } = this;
    out.bytes(type === I32 ? 0x41 : 0x42).signed(random.once(3) ? random.next() | 0 : random.below(100) - 50);
  }

  #load(type: ValueType, depth: number): void {
    const { random, out } = this;
    this.#address(depth);
    out.bytes(random.pick(type === I32 ? [0x28, 0x2c, 0x2d, 0x2f] : [0x29, 0x30, 0x33, 0x35]), 0).u32(random.below(64));
  }

  #select(type: ValueType, depth: number): void {
    this.#value(type, depth + 1);
    this.#value(type, depth + 1);
    this.#value(I32, depth + 1);
    this.out.bytes(0x1b);
  }

  #get(opcode: number, list: readonly ValueType[], type: ValueType): void {
    const fitting = list.flatMap((each, index) => (each === type ? [index] : []));
    if (fitting.length > 0) this.out.bytes(opcode).u32(this.random.pick(fitting));
    else this.out.bytes(type === I32 ? 0x41 : 0x42, 3);
  }

  /** Divisors are odd but for a few. */
  #binary(type: ValueType, depth: number): void {
    const first = type === I32 ? 0x6a : 0x7c;
    const operation = this.random.below(15);
    this.#value(type, depth + 1);
    this.#value(type, depth + 1);
    const isDivision = operation >= 3 && operation <= 6;
    if (isDivision && !this.random.once(50)) this.out.bytes(type === I32 ? 0x41 : 0x42, 1, type === I32 ? 0x72 : 0x84);
    this.out.bytes(first + operation);
  }

  #convert(type: ValueType, depth: number): void {
    const other = type === I32 ? I64 : I32;
    this.#value(other, depth + 1);
    this.out.bytes(type === I32 ? 0xa7 : this.random.pick([0xac, 0xad]));
  }

  #compareOrGrow(type: ValueType, depth: number): void {
    const { random, out } = this;
    if (type === I64) {
      this.#value(I64, depth + 1);
      out.bytes(random.pick([0x79, 0x7a, 0x7b, 0xc2, 0xc3, 0xc4]));
    } else if (random.once(6)) {
      out.bytes(0x41).signed(random.below(4)).bytes(0x40, 0);
    } else if (random.once(2)) {
      this.#value(I64, depth + 1);
      this.#value(I64, depth + 1);
      out.bytes(0x51 + random.below(10));
    } else {
      this.#value(I32, depth + 1);
      out.bytes(random.pick([0x45, 0x67, 0x68, 0x69, 0xc0, 0xc1]));
    }
  }
}
