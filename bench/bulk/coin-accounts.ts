/** Accounts as the example chain's first version has them: what examples/split-balances takes apart. */

import type { KVStore } from "../../host/base/types/types.js";
import { writeU32 } from "../../host/base/wire/u32.js";
import { OP_PUT } from "../../host/state/branch/kv/frames.js";

/** Accounts of version 1, each with one coin, as protobuf in frames. */
export function writeCoinAccounts(store: KVStore, count: number): void {
  const frames = new Uint8Array(65_536);
  let at = 0;
  for (let i = 0; i < count; i++) {
    if (at + 128 > frames.length) {
      store.writeFrames(frames.subarray(0, at));
      at = 0;
    }
    at = putAccount(frames, at, i);
  }
  store.writeFrames(frames.subarray(0, at));
}

const encoder = new TextEncoder();

function putAccount(frames: Uint8Array, at: number, index: number): number {
  const amount = encoder.encode(String(1_000_000 + index));
  const coinBytes = 2 + 6 + 2 + amount.length;
  const valueAt = at + 8 + 21;
  const scattered = Math.imul(index, 0x9e37_79b1) >>> 0;
  frames[at + 8] = 1;
  for (let i = 0; i < 20; i++) frames[at + 9 + i] = scattered >>> ((i & 3) * 8);
  writeU32(frames, at + 9, scattered);
  let to = valueAt;
  frames[to++] = 0x0a;
  frames[to++] = 20;
  frames.copyWithin(to, at + 9, at + 29);
  to += 20;
  frames[to++] = 0x18; // account number
  for (let rest = index + 2; ; rest = Math.floor(rest / 128)) {
    frames[to++] = rest >= 128 ? (rest % 128) | 128 : rest;
    if (rest < 128) break;
  }
  frames.set([0x82, 0x01, coinBytes, 0x0a, 6], to);
  frames.set(encoder.encode("ustake"), to + 5);
  frames.set([0x12, amount.length], to + 11);
  frames.set(amount, to + 13);
  to += 13 + amount.length;
  writeU32(frames, at, ((OP_PUT << 30) | 21) >>> 0);
  writeU32(frames, at + 4, to - valueAt);
  return to;
}
