/**
 * Walks the instructions of a function, one `step()` at a time: where each is, what its immediates say, which blocks
 * are open and how high the operand stack is. The checker uses it, and code that rewrites functions (byte ranges are exact).
 * It makes no object per instruction.
 */

import { ByteReader } from "./byte-reader.js";
import { ControlStack } from "./control-stack.js";
import { malformed, Refusal } from "./findings.js";
import { BR_TABLE_LABELS_MAX, NESTING_MAX } from "./limits.js";
import { type Immediate, type Instruction, instructionOf, OP, refusedFamily } from "./opcodes.js";
import { isInteger, refusedTypeName } from "./value-types.js";
import type { FunctionBody, FunctionType, WasmModule } from "./wasm-module.js";

const EMPTY_BLOCK = 0x40;
const NOP = instructionOf(0x01) as Instruction;

export class InstructionCursor {
  /** First byte of the current instruction. */
  start = 0;
  /** First byte after it. */
  next = 0;
  /** Its opcode; 0xfc00 + number for the prefixed ones. */
  opcode = 0;
  instruction: Instruction = NOP;
  /** Index of a local, global, function, type or data segment; offset of a load or store; value of an i32.const. */
  immediate = 0;
  /** Of br and br_if the label; of br_table all of them, the default last. */
  readonly labels = new Uint32Array(BR_TABLE_LABELS_MAX + 1);
  labelCount = 0;
  /** A type that is not allowed, as the immediate of the current instruction; its name. */
  refusedType: string | undefined;
  /** Blocks and heights **after** the current instruction. */
  readonly control = new ControlStack();
  readonly #module: WasmModule;
  #body: FunctionBody | undefined;
  #reader = new ByteReader(new Uint8Array(0));

  constructor(module: WasmModule) {
    this.#module = module;
  }

  /** Is before the first instruction of `body`, which must belong to the module. */
  open(body: FunctionBody): void {
    this.#body = body;
    this.#reader = new ByteReader(this.#module.bytes, body.codeStart, body.end);
    this.start = body.codeStart;
    this.next = body.codeStart;
    this.control.open(body.codeStart, body.type.results.length);
  }

  /**
   * Moves to the next instruction; false after the function's last `end`.
   *
   * @throws Refusal for what is malformed, or of an extension whose instructions cannot be measured
   */
  step(): boolean {
    const reader = this.#reader;
    this.start = this.next;
    if (this.control.depth === 0) {
      if (!reader.isDone) throw malformed(this.start, "bytes follow the function's last end");
      return false;
    }
    this.labelCount = 0;
    this.immediate = 0;
    this.refusedType = undefined;
    this.#readOpcode(reader);
    this.#readImmediate(reader);
    this.next = reader.at;
    return true;
  }

  #readOpcode(reader: ByteReader): void {
    const first = reader.byte("an instruction");
    // All numbers of instructions fit in one byte; engines differ on a longer form of the same number.
    this.opcode = first === OP.prefix ? 0xfc00 + reader.byte("an instruction") : first;
    const instruction = instructionOf(this.opcode);
    if (!instruction) {
      const family = refusedFamily(this.opcode);
      if (family)
        throw new Refusal("UPG_HANDLER_OPCODE", this.start, `opcode 0x${this.opcode.toString(16)}: ${family}`);
      const why = this.opcode >= 0xfc80 ? ": the number after 0xfc has one byte" : "";
      throw malformed(this.start, `unknown opcode 0x${this.opcode.toString(16)}${why}`);
    }
    this.instruction = instruction;
  }

  /** Reads the immediate and applies the effect on blocks and heights. */
  #readImmediate(reader: ByteReader): void {
    const { immediate } = this.instruction;
    if (immediate === "none") this.#plain();
    else if (immediate === "block") this.#enter(reader);
    else if (immediate === "label") this.#branch(reader);
    else if (immediate === "labels") this.#branchTable(reader);
    else if (immediate === "function") this.#call(reader);
    else if (immediate === "type-and-table") this.#callIndirect(reader);
    else {
      this.#readOperand(reader, immediate);
      this.#effect();
    }
  }

  /** Immediates that have nothing to do with control. */
  #readOperand(reader: ByteReader, immediate: Immediate): void {
    const { name } = this.instruction;
    if (immediate === "local") {
      const { type, locals } = this.#current();
      this.immediate = this.#index(reader, "local", type.params.length + locals);
    } else if (immediate === "global") this.immediate = this.#index(reader, "global", this.#module.globals);
    else if (immediate === "memory-access") this.#memoryAccess(reader);
    else if (immediate === "i32") this.immediate = reader.s32(name);
    else if (immediate === "i64") reader.skipS64(name);
    else if (immediate === "four-bytes") reader.skip(4, name);
    else if (immediate === "eight-bytes") reader.skip(8, name);
    else if (immediate === "data" || immediate === "data-and-memory") {
      this.immediate = this.#index(reader, "data segment", this.#module.dataCount ?? 0);
      if (immediate === "data-and-memory") this.#onlyMemory(reader);
    } else {
      this.#onlyMemory(reader);
      if (immediate === "two-memories") this.#onlyMemory(reader);
    }
  }

  #effect(): void {
    this.control.pop(this.instruction.pops, this.start);
    this.control.push(this.instruction.pushes);
  }

  #plain(): void {
    const { control } = this;
    if (this.opcode === OP.end) control.end(this.start);
    else if (this.opcode === OP.else) control.else(this.start);
    else if (this.opcode === OP.unreachable) control.leave();
    else if (this.opcode === OP.return) {
      control.pop(this.#current().type.results.length, this.start);
      control.leave();
    } else this.#effect();
  }

  #enter(reader: ByteReader): void {
    const at = reader.at;
    const type = reader.s33("the type of a block");
    const byte = type & 0x7f;
    if (type >= 0) {
      const what = `${this.instruction.name} with a function type: blocks of several values are not allowed`;
      throw new Refusal("UPG_HANDLER_OPCODE", this.start, `${what}; build without the multi-value feature`);
    }
    // A type of values is one byte; engines differ on a longer form of the same number.
    if (type < -64 || reader.at > at + 1) throw malformed(this.start, "unknown type of a block");
    if (byte !== EMPTY_BLOCK && !isInteger(byte)) this.refusedType = refusedTypeName(byte, this.start);
    if (this.opcode === OP.if) this.control.pop(1, this.start);
    if (this.control.depth > NESTING_MAX) {
      throw new Refusal("UPG_HANDLER_LIMIT", this.start, `blocks are nested deeper than ${NESTING_MAX} levels`);
    }
    this.control.enter(this.opcode, this.start, byte === EMPTY_BLOCK ? 0 : 1);
  }

  #branch(reader: ByteReader): void {
    const label = this.#index(reader, "label", this.control.depth);
    this.labels[0] = label;
    this.labelCount = 1;
    this.immediate = label;
    const operands = this.control.branchOperands(label);
    if (this.opcode === OP.brIf) this.control.pop(1, this.start);
    this.control.pop(operands, this.start);
    if (this.opcode === OP.br) this.control.leave();
    else this.control.push(operands);
  }

  #branchTable(reader: ByteReader): void {
    const count = reader.count("labels of a br_table", BR_TABLE_LABELS_MAX);
    for (let i = 0; i <= count; i++) this.labels[i] = this.#index(reader, "label", this.control.depth);
    this.labelCount = count + 1;
    this.control.pop(1 + this.control.branchOperands(this.labels[count] as number), this.start);
    this.control.leave();
  }

  #call(reader: ByteReader): void {
    this.immediate = this.#index(reader, "function", this.#module.functionTypes.length);
    this.#invoke(this.#module.functionTypes[this.immediate] as number, 0);
  }

  #callIndirect(reader: ByteReader): void {
    this.immediate = this.#index(reader, "type", this.#module.types.length);
    if (this.#index(reader, "table", this.#module.tables.length) > 0) {
      throw new Refusal("UPG_HANDLER_OPCODE", this.start, "call_indirect through a second table is not allowed");
    }
    this.#invoke(this.immediate, 1);
  }

  #invoke(typeIndex: number, extraOperands: number): void {
    const type = this.#module.types[typeIndex] as FunctionType;
    this.control.pop(type.params.length + extraOperands, this.start);
    this.control.push(type.results.length);
  }

  #memoryAccess(reader: ByteReader): void {
    const align = reader.u32("an alignment");
    if (align >= 64 && align < 128) throw this.#secondMemory();
    if (align > this.instruction.alignMax) {
      throw malformed(this.start, `${this.instruction.name}: alignment 2^${align} is above the natural one`);
    }
    this.immediate = reader.u32("an offset in memory");
    if (this.#module.memories.length === 0) throw malformed(this.start, `${this.instruction.name} without a memory`);
  }

  #onlyMemory(reader: ByteReader): void {
    const at = reader.at;
    if (this.#index(reader, "memory", this.#module.memories.length) > 0) throw this.#secondMemory();
    // Before there were several memories this was a byte 0, and engines that know only one still want it so.
    if (reader.at > at + 1) throw malformed(this.start, `${this.instruction.name}: the memory is named by one byte, 0`);
  }

  #secondMemory(): Refusal {
    return new Refusal("UPG_HANDLER_MEMORY", this.start, `${this.instruction.name}: only memory 0 may be used`);
  }

  #index(reader: ByteReader, what: string, count: number): number {
    const index = reader.u32(`${what} index`);
    if (index >= count) throw malformed(this.start, `${this.instruction.name}: there is no ${what} ${index}`);
    return index;
  }

  #current(): FunctionBody {
    if (!this.#body) throw malformed(0, "no function is open");
    return this.#body;
  }
}
