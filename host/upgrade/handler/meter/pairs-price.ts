/** What pairs cost that the host reads from a store for a guest: each its price, and its bytes. */

import { FRAME_HEADER_BYTES } from "../../../base/types/limits.js";
import { readU32 } from "../../../base/wire/u32.js";
import { HOST_PRICES } from "./schedule.js";

/** @param frames whole ones, of a scan */
export function pairsPrice(frames: Uint8Array): number {
  let pairs = 0;
  for (let at = 0; at < frames.length; pairs++)
    at += FRAME_HEADER_BYTES + readU32(frames, at) + readU32(frames, at + 4);
  return pairs * HOST_PRICES.scanPair + frames.length * HOST_PRICES.byte;
}
