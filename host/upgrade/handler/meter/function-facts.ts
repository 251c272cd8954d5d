/** What the meter must know of a function before it can price calls of it: one walk over its instructions. */
import type { InstructionCursor } from "../../wasm/instruction-cursor.js";
import { OP } from "../../wasm/opcodes.js";
import type { FunctionBody, WasmModule } from "../../wasm/wasm-module.js";
import { frameBytes, keptValues } from "./frame-size.js";
import { instructionPrice, isLoad } from "./instruction-prices.js";

export interface FunctionFacts {
  /** Sum of all instructions, each once, without what callees cost. */
  readonly price: number;
  /** Instructions that load, without those of callees. */
  readonly loads: number;
  readonly hasLoop: boolean;
  /** Called functions, imports too, once for each call site. */
  readonly calls: readonly number[];
  /** Types of its indirect calls. */
  readonly indirectTypes: ReadonlySet<number>;
  /** Abstract bytes of stack that one call uses. */
  readonly frame: number;
  readonly hasBulk: boolean;
  readonly hasGrow: boolean;
}

export const MEMORY_GROW = 0x40;
const BULK_FIRST = 0xfc08;
const BULK_LAST = 0xfc0b;
const DATA_DROP = 0xfc09;

/** memory.init, memory.copy, memory.fill. */
export function isBulk(opcode: number): boolean {
  return opcode >= BULK_FIRST && opcode <= BULK_LAST && opcode !== DATA_DROP;
}

/** Imports that do not return: the run ends there, so nobody looks at the gas. */
const ENDS: ReadonlySet<string> = new Set(["chain.fail", "env.abort"]);

export function isEnd(module: WasmModule, index: number): boolean {
  const entry = module.functionImports[index];
  return entry !== undefined && ENDS.has(`${entry.module}.${entry.name}`);
}

export function factsOf(cursor: InstructionCursor, body: FunctionBody): FunctionFacts {
  const calls: number[] = [];
  const indirectTypes = new Set<number>();
  let price = 0;
  let values = 0;
  let loads = 0;
  let hasLoop = false;
  let hasBulk = false;
  let hasGrow = false;
  cursor.open(body);
  while (cursor.step()) {
    const { opcode } = cursor;
    price += instructionPrice(opcode);
    values += keptValues(opcode);
    if (isLoad(opcode)) loads++;
    if (opcode === OP.loop) hasLoop = true;
    else if (opcode === OP.call) calls.push(cursor.immediate);
    else if (opcode === OP.callIndirect) indirectTypes.add(cursor.immediate);
    else if (opcode === MEMORY_GROW) hasGrow = true;
    else if (isBulk(opcode)) hasBulk = true;
  }
  return {
    price,
    loads,
    hasLoop,
    calls,
    indirectTypes,
    frame: frameBytes(body, cursor.control.heightMax, values),
    hasBulk,
    hasGrow,
  };
}
