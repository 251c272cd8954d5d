/**
 * The accounts that the row race is run on: keys of 32 bytes in scattered order, values of 100 bytes, each with one coin.
 * The shape is that of examples/split-balances.
 */

import type { KVStore } from "../../host/base/types/types.js";
import { writeU32 } from "../../host/base/wire/u32.js";
import { OP_PUT } from "../../host/state/branch/kv/frames.js";
import { putScattered } from "../workers/records.js";

export const ACCOUNT_PREFIX = 0x01;
export const BALANCE_PREFIX = 0x02;
export const SUPPLY_PREFIX = 0x00;
/** Account.coins, field 16, length-delimited, as its tag's two bytes make a number. */
export const COINS_TAG = (16 << 3) | 2;

const KEY_BYTES = 32;
const ADDRESS_BYTES = KEY_BYTES - 1;
const VALUE_BYTES = 100;
const PUB_KEY_BYTES = 33;
const FRAME_BYTES = 8 + KEY_BYTES + VALUE_BYTES;
/** The smallest number whose varint has three bytes, so that values are equally long. */
const FIRST_NUMBER = 16_384;
const AMOUNT_DIGITS = 16;
const PER_BATCH = 450;

export function writeAccounts(store: KVStore, count: number): void {
  const frames = new Uint8Array(FRAME_BYTES * PER_BATCH);
  for (let done = 0; done < count; ) {
    const batch = Math.min(PER_BATCH, count - done);
    for (let i = 0; i < batch; i++, done++) putAccount(frames, i * FRAME_BYTES, done);
    store.writeFrames(frames.subarray(0, batch * FRAME_BYTES));
  }
}

function putAccount(frames: Uint8Array, at: number, index: number): void {
  writeU32(frames, at, ((OP_PUT << 30) | KEY_BYTES) >>> 0);
  writeU32(frames, at + 4, VALUE_BYTES);
  const address = at + 9;
  frames[address - 1] = ACCOUNT_PREFIX;
  putScattered(frames, address, ADDRESS_BYTES, index);
  let to = address + ADDRESS_BYTES;
  const put = (...bytes: readonly number[]): void => {
    for (const byte of bytes) frames[to++] = byte;
  };
  put(0x0a, ADDRESS_BYTES);
  frames.copyWithin(to, address, address + ADDRESS_BYTES);
  to += ADDRESS_BYTES;
  put(0x12, PUB_KEY_BYTES);
  frames.fill(index & 255, to, to + PUB_KEY_BYTES);
  to += PUB_KEY_BYTES;
  const number = FIRST_NUMBER + index;
  put(0x18, (number & 127) | 128, ((number >> 7) & 127) | 128, number >> 14);
  put(0x82, 0x01, 7 + 2 + AMOUNT_DIGITS, 0x0a, 5, 0x73, 0x74, 0x61, 0x6b, 0x65, 0x12, AMOUNT_DIGITS);
  let rest = 1_000_000 + index;
  for (let i = AMOUNT_DIGITS - 1; i >= 0; i--, rest = Math.floor(rest / 10)) frames[to + i] = 48 + (rest % 10);
  frames[to] = 49;
}
