/**
 * Gas counted the slow and plain way: every instruction takes its own price from a global just before it runs. What
 * a run costs must be the same as what the meter, which takes it in sums and ahead, finds.
 */

import { CodeWriter } from "../../../host/upgrade/handler/meter/code-writer.js";
import { instructionPrice, isLoad } from "../../../host/upgrade/handler/meter/instruction-prices.js";
import {
  FAR_LOAD_PRICE,
  FLAT_PRICE_MAX,
  GROW_PAGE_PRICE,
  NEAR_PAGES,
} from "../../../host/upgrade/handler/meter/schedule.js";
import { ByteReader } from "../../../host/upgrade/wasm/byte-reader.js";
import { InstructionCursor } from "../../../host/upgrade/wasm/instruction-cursor.js";
import type { FunctionBody, WasmModule } from "../../../host/upgrade/wasm/wasm-module.js";
import { decoded } from "./metering.js";

export const REFERENCE_GAS = "reference gas";

const LOOP = 0x03;
const CALL = 0x10;
const CALL_INDIRECT = 0x11;
const MEMORY_GROW = 0x40;
/** Globals that are added: the gas, what memory.grow was asked for, what it returned. */
const ADDED_GLOBALS = [0x7e, 1, 0x42, 0, 0x0b, 0x7f, 1, 0x41, 0, 0x0b, 0x7f, 1, 0x41, 0, 0x0b];

export function referenceMetered(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const module = decoded(bytes);
  const out = new CodeWriter(8_192).copy(bytes, 0, 8);
  for (const { id, start, end, contentStart } of module.sections) {
    const part = new CodeWriter(4_096);
    const reader = new ByteReader(bytes, contentStart, end);
    if (id === 6) grown(part, reader, 3).bytes(...ADDED_GLOBALS);
    else if (id === 7) grown(part, reader, 1).string(REFERENCE_GAS).bytes(3).u32(module.globals);
    else if (id === 10) code(module, part);
    else {
      out.copy(bytes, start, end);
      continue;
    }
    out.bytes(id).u32(part.length).append(part);
  }
  return out.finish();
}

function grown(part: CodeWriter, reader: ByteReader, more: number): CodeWriter {
  const count = reader.u32("a length");
  return part.u32(count + more).copy(reader.bytes, reader.at, reader.end);
}

function code(module: WasmModule, part: CodeWriter): void {
  part.u32(module.bodies.length);
  for (const body of module.bodies) {
    const out = new CodeWriter(4_096);
    const isFlat = flatCost(module, body.functionIndex) !== undefined;
    out.copy(module.bytes, body.start, body.codeStart);
    each(module, body, (cursor) => {
      const { opcode, immediate, start, next } = cursor;
      const flat = opcode === CALL ? flatCost(module, immediate) : undefined;
      const price = instructionPrice(opcode) + (flat?.price ?? 0);
      const loads = (flat?.loads ?? 0) + (isLoad(opcode) ? 1 : 0);
      if (!isFlat && opcode !== LOOP) take(out, module.globals, price, loads);
      if (opcode === MEMORY_GROW) grow(out, module.globals);
      else out.copy(module.bytes, start, next);
      if (!isFlat && opcode === LOOP) take(out, module.globals, price, loads);
    });
    part.u32(out.length).append(out);
  }
}

/** By the memory as it is at this moment. */
function take(out: CodeWriter, gas: number, price: number, loads: number): void {
  if (price > 0) out.bytes(0x23).u32(gas).bytes(0x42).signed(price).bytes(0x7c, 0x24).u32(gas);
  if (loads === 0) return;
  out.bytes(0x23).u32(gas).bytes(0x3f, 0, 0x41).signed(NEAR_PAGES).bytes(0x4b, 0xad);
  out
    .bytes(0x42)
    .signed(loads * FAR_LOAD_PRICE)
    .bytes(0x7e, 0x7c, 0x24)
    .u32(gas);
}

/** Pages are paid for when they were added. */
function grow(out: CodeWriter, gas: number): void {
  const [asked, answered] = [gas + 1, gas + 2];
  out.bytes(0x24).u32(asked).bytes(0x23).u32(asked).bytes(MEMORY_GROW, 0, 0x24).u32(answered);
  out.bytes(0x23).u32(gas).bytes(0x23).u32(answered).bytes(0x41).signed(-1).bytes(0x47, 0xad);
  out.bytes(0x23).u32(asked).bytes(0xad, 0x7e, 0x42).signed(GROW_PAGE_PRICE).bytes(0x7e, 0x7c, 0x24).u32(gas);
  out.bytes(0x23).u32(answered);
}

function each(module: WasmModule, body: FunctionBody, work: (cursor: InstructionCursor) => void): void {
  const cursor = new InstructionCursor(module);
  cursor.open(body);
  while (cursor.step()) work(cursor);
}

/** By the words of docs/gas.md; undefined: not flat. */
function flatCost(module: WasmModule, index: number): { price: number; loads: number } | undefined {
  const body = module.bodies[index - module.functionImports.length];
  const isExported = module.exports.some((entry) => entry.kind === "function" && entry.index === index);
  if (!body || isExported || module.tableFunctions.has(index) || meetsCycle(module, index)) return undefined;
  if ([index, ...reachable(module, index)].some((each) => hasGrow(module, each))) return undefined;
  let [price, loads] = [0, 0];
  each(module, body, ({ opcode, immediate }) => {
    const callee = opcode === CALL ? flatCost(module, immediate) : undefined;
    price += opcode === LOOP ? Number.POSITIVE_INFINITY : instructionPrice(opcode) + (callee?.price ?? 0);
    loads += (isLoad(opcode) ? 1 : 0) + (callee?.loads ?? 0);
  });
  return price <= FLAT_PRICE_MAX ? { price, loads } : undefined;
}

function hasGrow(module: WasmModule, index: number): boolean {
  const body = module.bodies[index - module.functionImports.length];
  let found = false;
  if (body) each(module, body, ({ opcode }) => (found ||= opcode === MEMORY_GROW));
  return found;
}

function meetsCycle(module: WasmModule, index: number): boolean {
  return [index, ...reachable(module, index)].some((each) => reachable(module, each).has(each));
}

/** Functions that a call of this one may come to. */
function reachable(module: WasmModule, index: number): Set<number> {
  const found = new Set<number>();
  const pending = [index];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    for (const callee of callees(module, next)) {
      if (!found.has(callee)) pending.push(callee);
      found.add(callee);
    }
  }
  return found;
}

function callees(module: WasmModule, index: number): number[] {
  const body = module.bodies[index - module.functionImports.length];
  const found: number[] = [];
  if (!body) return found;
  const typeOf = (type: number | undefined) => JSON.stringify(module.types[type ?? -1]);
  each(module, body, ({ opcode, immediate }) => {
    if (opcode === CALL) found.push(immediate);
    if (opcode !== CALL_INDIRECT) return;
    found.push(...[...module.tableFunctions].filter((f) => typeOf(module.functionTypes[f]) === typeOf(immediate)));
  });
  return found;
}
