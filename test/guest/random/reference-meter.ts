/**
 * Gas counted the slow and plain way: every instruction takes its own price from a global just before it runs. What
 * a run costs must be the same as what the meter, which takes it in sums and ahead, finds.
 */
import { ByteReader } from "../../../host/handler/byte-reader.js";
import { InstructionCursor } from "../../../host/handler/instruction-cursor.js";
import { CodeWriter } from "../../../host/handler/meter/code-writer.js";
import { FLAT_PRICE_MAX, instructionPrice } from "../../../host/handler/meter/schedule.js";
import type { FunctionBody, WasmModule } from "../../../host/handler/wasm-module.js";
import { decoded } from "./metering.js";

export const REFERENCE_GAS = "reference gas";

const LOOP = 0x03;
const CALL = 0x10;
const CALL_INDIRECT = 0x11;

export function referenceMetered(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const module = decoded(bytes);
  const out = new CodeWriter(8_192).copy(bytes, 0, 8);
  for (const { id, start, end, contentStart } of module.sections) {
    const part = new CodeWriter(4_096);
    const reader = new ByteReader(bytes, contentStart, end);
    if (id === 6) grown(part, reader).bytes(0x7e, 1, 0x42, 0, 0x0b);
    else if (id === 7) grown(part, reader).string(REFERENCE_GAS).bytes(3).u32(module.globals);
    else if (id === 10) code(module, part);
    else {
      out.copy(bytes, start, end);
      continue;
    }
    out.bytes(id).u32(part.length).append(part);
  }
  return out.finish();
}

function grown(part: CodeWriter, reader: ByteReader): CodeWriter {
  const count = reader.u32("a length");
  return part.u32(count + 1).copy(reader.bytes, reader.at, reader.end);
}

function code(module: WasmModule, part: CodeWriter): void {
  part.u32(module.bodies.length);
  for (const body of module.bodies) {
    const out = new CodeWriter(4_096);
    const isFlat = flatPrice(module, body.functionIndex) !== undefined;
    out.copy(module.bytes, body.start, body.codeStart);
    each(module, body, (cursor) => {
      let price = instructionPrice(cursor.opcode);
      if (cursor.opcode === CALL) price += flatPrice(module, cursor.immediate) ?? 0;
      const take = () => {
        if (isFlat || price === 0) return;
        out.bytes(0x23).u32(module.globals).bytes(0x42).signed(price).bytes(0x7c, 0x24).u32(module.globals);
      };
      if (cursor.opcode !== LOOP) take();
      out.copy(module.bytes, cursor.start, cursor.next);
      if (cursor.opcode === LOOP) take();
    });
    part.u32(out.length).append(out);
  }
}

function each(module: WasmModule, body: FunctionBody, work: (cursor: InstructionCursor) => void): void {
  const cursor = new InstructionCursor(module);
  cursor.open(body);
  while (cursor.step()) work(cursor);
}

/** By the words of docs/gas.md; undefined: not flat. */
function flatPrice(module: WasmModule, index: number): number | undefined {
  const body = module.bodies[index - module.functionImports.length];
  const isExported = module.exports.some((entry) => entry.kind === "function" && entry.index === index);
  if (!body || isExported || module.tableFunctions.has(index) || meetsCycle(module, index)) return undefined;
  let sum = 0;
  each(module, body, ({ opcode, immediate }) => {
    const callee = opcode === CALL ? (flatPrice(module, immediate) ?? 0) : 0;
    sum += opcode === LOOP ? Number.POSITIVE_INFINITY : instructionPrice(opcode) + callee;
  });
  return sum <= FLAT_PRICE_MAX ? sum : undefined;
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
