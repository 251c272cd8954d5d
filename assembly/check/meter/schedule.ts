// The prices of instructions: twin of host/upgrade/handler/meter/schedule.ts, which says how they were found. A test holds the two equal.
import { SLOTS } from "../wasm/opcodes";

export const GAS_SCHEDULE: string = "gas-2";

export const BULK_BYTES_LOG2: u32 = 3;
export const GROW_PAGE_PRICE: u32 = 90_000;
export const NEAR_PAGES: u32 = 16;
export const FAR_LOAD_PRICE: u32 = 400;
export const FLAT_PRICE_MAX: u32 = 1_000;
export const STACK_BUDGET: i32 = 262_144;
export const FRAME_BYTES: u32 = 144;
export const SLOT_BYTES: u32 = 8;

const prices: usize = memory.data(2 * 268, 2);

function price(first: u32, last: u32, gas: u32): void {
  for (let slot = first; slot <= last; slot++) store<u16>(prices + slot * 2, gas);
}

/** Floats stay at 0: nothing with a float is metered. */
price(0x00, 0x01, 1);
price(0x03, 0x04, 3);
price(0x0c, 0x0c, 1);
price(0x0d, 0x0d, 3);
price(0x0e, 0x0e, 6);
price(0x0f, 0x0f, 1);
price(0x10, 0x10, 6);
price(0x11, 0x11, 12);
price(0x1a, 0x1b, 1);
price(0x20, 0x24, 1);
price(0x28, 0x29, 30);
price(0x2c, 0x35, 30);
price(0x36, 0x37, 2);
price(0x3a, 0x3e, 2);
price(0x3f, 0x3f, 1);
price(0x40, 0x40, 600);
price(0x41, 0x42, 1);
price(0x45, 0x5a, 1);
price(0x67, 0x6c, 1);
price(0x6d, 0x70, 8);
price(0x71, 0x7e, 1);
price(0x7f, 0x82, 8);
price(0x83, 0x8a, 1);
price(0xa7, 0xa7, 1);
price(0xac, 0xad, 1);
price(0xc0, 0xc4, 1);
price(SLOTS - 4, SLOTS - 4, 400);
price(SLOTS - 3, SLOTS - 3, 1);
price(SLOTS - 2, SLOTS - 1, 400);

export function priceOf(slot: u32): u32 {
  return load<u16>(prices + slot * 2);
}
