/**
 * Abstract bytes of stack that one call of a function uses: an upper bound, up to a factor, of what any compiler's code
 * for it needs. What the code itself keeps (parameters, locals, operands) is not all: a compiler that sees the same
 * computation twice does it once and keeps the result, over calls too. So each instruction whose result depends on its
 * operands alone counts as if it were kept to the end, and so does the address of each load and store. Results of calls,
 * loads and globals are kept only while the code keeps them: something in between may have changed them. Constants of
 * 32 bits are made again; those of 64 bits are kept by Cranelift.
 */
import { type Instruction, numbersByOpcode, slotOf } from "../../wasm/opcodes.js";
import type { FunctionBody } from "../../wasm/wasm-module.js";
import { FRAME_BYTES, SLOT_BYTES } from "./schedule.js";

/** By opcode: values that a compiler may keep of one instruction. */
const kept = /* @__PURE__ */ numbersByOpcode((instruction) => (isKept(instruction) ? 1 : 0));

function isKept({ immediate, pops, pushes }: Instruction): boolean {
  if (immediate === "memory-access" || immediate === "i64") return true;
  return immediate === "none" && pops > 0 && pushes > 0;
}

/** @param opcode of an allowed instruction */
export function keptValues(opcode: number): number {
  return kept[slotOf(opcode)] as number;
}

/**
 * @param heightMax greatest number of operands at once
 * @param values sum of {@link keptValues} over the function
 */
export function frameBytes({ type, locals }: FunctionBody, heightMax: number, values: number): number {
  // Parameters: where they came in, and where they are kept.
  return FRAME_BYTES + SLOT_BYTES * (2 * type.params.length + locals + heightMax + values);
}
