/** What each instruction costs in the schedule (schedule.ts). Only the meter needs them: a host that runs handlers does not. */
import { numbersByOpcode, slotOf } from "../../wasm/opcodes.js";

interface InstructionRow {
  readonly gas: number;
  /** Of one, at its worst. */
  readonly nanoseconds: number;
  readonly names: string;
}

/** Every instruction that is allowed, by its name. */
const INSTRUCTIONS: readonly InstructionRow[] = [
  // No work of their own.
  { gas: 0, nanoseconds: 0, names: "block else end" },
  { gas: 1, nanoseconds: 1, names: "unreachable nop br return drop select local.get local.set local.tee" },
  { gas: 1, nanoseconds: 1, names: "global.get global.set memory.size data.drop i32.const i64.const" },
  { gas: 1, nanoseconds: 1, names: "i32.eqz i32.eq i32.ne i32.lt_s i32.lt_u i32.gt_s i32.gt_u i32.le_s i32.le_u" },
  { gas: 1, nanoseconds: 1, names: "i32.ge_s i32.ge_u i64.eqz i64.eq i64.ne i64.lt_s i64.lt_u i64.gt_s i64.gt_u" },
  { gas: 1, nanoseconds: 1, names: "i64.le_s i64.le_u i64.ge_s i64.ge_u i32.clz i32.ctz i32.popcnt i64.clz i64.ctz" },
  { gas: 1, nanoseconds: 1, names: "i64.popcnt i32.add i32.sub i32.mul i32.and i32.or i32.xor i32.shl i32.shr_s" },
  { gas: 1, nanoseconds: 1, names: "i32.shr_u i32.rotl i32.rotr i64.add i64.sub i64.mul i64.and i64.or i64.xor" },
  { gas: 1, nanoseconds: 1, names: "i64.shl i64.shr_s i64.shr_u i64.rotl i64.rotr i32.wrap_i64 i64.extend_i32_s" },
  { gas: 1, nanoseconds: 1, names: "i64.extend_i32_u i32.extend8_s i32.extend16_s i64.extend8_s i64.extend16_s" },
  { gas: 1, nanoseconds: 1, names: "i64.extend32_s" },
  // A branch that nobody foresees.
  { gas: 3, nanoseconds: 4, names: "if br_if" },
  // Each time a loop begins again; the check of the gas is made there.
  { gas: 3, nanoseconds: 1, names: "loop" },
  { gas: 6, nanoseconds: 8, names: "br_table" },
  { gas: 6, nanoseconds: 3, names: "call" },
  { gas: 12, nanoseconds: 11, names: "call_indirect" },
  // Each waits for the one before it, over a memory of a mebibyte; larger memories: FAR_LOAD_PRICE.
  {
    gas: 30,
    nanoseconds: 8,
    names: "i32.load i64.load i32.load8_s i32.load8_u i32.load16_s i32.load16_u i64.load8_s",
  },
  { gas: 30, nanoseconds: 8, names: "i64.load8_u i64.load16_s i64.load16_u i64.load32_s i64.load32_u" },
  // Nothing waits for a store.
  { gas: 2, nanoseconds: 2, names: "i32.store i64.store i32.store8 i32.store16 i64.store8 i64.store16 i64.store32" },
  { gas: 8, nanoseconds: 4, names: "i32.div_s i32.div_u i32.rem_s i32.rem_u i64.div_s i64.div_u i64.rem_s i64.rem_u" },
  // Before their bytes. A fill of nothing takes longest; a copy or an init of a few bytes takes 4.
  { gas: 400, nanoseconds: 168, names: "memory.copy memory.fill memory.init" },
  // Before its pages.
  { gas: 600, nanoseconds: 220, names: "memory.grow" },
];

const LOAD_FIRST = 0x28;
const LOAD_LAST = 0x35;

const PRICES = /* @__PURE__ */ prices();

function prices(): Uint16Array {
  const byName = new Map(
    INSTRUCTIONS.flatMap(({ gas, names }) => names.split(" ").map((name) => [name, gas] as const)),
  );
  return numbersByOpcode(({ name }) => byName.get(name) ?? 0);
}

/** @param opcode of an allowed instruction; 0xfc00 + number for the prefixed ones */
export function instructionPrice(opcode: number): number {
  return PRICES[slotOf(opcode)] as number;
}

export function isLoad(opcode: number): boolean {
  return opcode >= LOAD_FIRST && opcode <= LOAD_LAST;
}
