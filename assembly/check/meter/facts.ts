// What the meter must know of each function before it can price calls of it: one walk over its instructions. Twin of function-facts.ts
// and frame-size.ts below host/upgrade/handler/meter.
import { allocZeros, getTop, reach, setTop } from "../arena";
import * as control from "../wasm/control";
import * as cursor from "../wasm/cursor";
import * as wasm from "../wasm/module";
import { CALL, CALL_INDIRECT, IS_KEPT, isBulk, isLoad, LOOP, MEMORY_GROW, traitsOf } from "../wasm/opcodes";
import { FRAME_BYTES, priceOf, SLOT_BYTES } from "./schedule";

@unmanaged
export class Facts {
  /** Sum of all instructions, each once, without what callees cost. */
  price: u32;
  /** Instructions that load, without those of callees. */
  loads: u32;
  /** Calls in the order of the code, one u32 each: a function, or INDIRECT and the first type of that signature. */
  calls: usize;
  callCount: u32;
  /** Abstract bytes of stack that one call uses. */
  frame: u32;
  hasLoop: bool;
  hasIndirect: bool;
  hasBulk: bool;
  hasGrow: bool;
}

export const INDIRECT: u32 = 0x8000_0000;

let rows: usize = 0;
/** Of each type: the first one with the same parameters and results. */
const firstTypes: usize = memory.data(4 * 2_000, 4);
/** Some function grows the memory. */
export let anyGrow: bool = false;
/** The longest body. */
export let bodyBytesMax: u32 = 0;

export function factsAt(body: u32): Facts {
  return changetype<Facts>(rows + body * offsetof<Facts>());
}

export function firstType(type: u32): u32 {
  return load<u32>(firstTypes + type * 4);
}

/** Byte by byte: a function type without its form is the two lists with their lengths. */
function isSameType(a: wasm.Type, b: wasm.Type): bool {
  if (a.paramCount != b.paramCount || a.resultCount != b.resultCount) return false;
  if (a.resultCount > 0 && load<u8>(a.results) != load<u8>(b.results)) return false;
  return memory.compare(a.params, b.params, a.paramCount) == 0;
}

function findFirstTypes(): void {
  for (let type: u32 = 0; type < wasm.types; type++) {
    let first: u32 = 0;
    while (!isSameType(wasm.typeAt(first), wasm.typeAt(type))) first++;
    store<u32>(firstTypes + type * 4, first);
  }
}

export function findFacts(): void {
  anyGrow = false;
  bodyBytesMax = 0;
  findFirstTypes();
  rows = allocZeros(wasm.bodies * offsetof<Facts>());
  for (let i: u32 = 0; i < wasm.bodies; i++) {
    const facts = factsAt(i);
    walk(facts, wasm.bodyAt(i));
    anyGrow = anyGrow || facts.hasGrow;
  }
}

function walk(facts: Facts, body: wasm.Body): void {
  let values: u32 = 0;
  const calls = getTop();
  let to = calls;
  cursor.openBody(body);
  while (cursor.step()) {
    const slot = cursor.slot;
    facts.price += priceOf(slot);
    if ((traitsOf(slot) & IS_KEPT) != 0) values++;
    if (isLoad(slot)) facts.loads++;
    if (slot == LOOP) facts.hasLoop = true;
    else if (slot == CALL || slot == CALL_INDIRECT) {
      if (slot == CALL_INDIRECT) facts.hasIndirect = true;
      reach(to + 4);
      store<u32>(to, slot == CALL ? cursor.immediate : INDIRECT | firstType(cursor.immediate));
      to += 4;
    } else if (slot == MEMORY_GROW) facts.hasGrow = true;
    else if (isBulk(slot)) facts.hasBulk = true;
  }
  facts.calls = calls;
  facts.callCount = <u32>(to - calls) >> 2;
  setTop(to);
  // Parameters: where they came in, and where they are kept.
  const parameters = wasm.typeAt(body.type).paramCount;
  facts.frame = FRAME_BYTES + SLOT_BYTES * (2 * parameters + body.locals + control.heightMax + values);
  bodyBytesMax = max(bodyBytesMax, <u32>(body.end - body.start));
}
