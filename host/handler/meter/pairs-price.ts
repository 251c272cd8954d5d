/** What pairs cost that the host reads from a store for a guest: each its price, and its bytes. */
import { readU32 } from "../../frames.js";
import { FRAME_HEADER_BYTES } from "../../limits.js";
import { HOST_PRICES } from "./schedule.js";

/** A frame with a key of one byte. */
const PAIR_BYTES_MIN = FRAME_HEADER_BYTES + 1;

/** @param frames whole ones, of a scan */
export function pairsPrice(frames: Uint8Array): number {
  let pairs = 0;
  for (let at = 0; at < frames.length; pairs++)
    at += FRAME_HEADER_BYTES + readU32(frames, at) + readU32(frames, at + 4);
  return pairs * HOST_PRICES.scanPair + frames.length * HOST_PRICES.byte;
}

/**
 * The most that a scan into `bytes` of room can cost.
 *
 * @param deleted keys that the handler deleted: all of them may stand before the first pair
 */
export function scanPriceMax(bytes: number, deleted: number): number {
  const pairs = Math.floor(bytes / PAIR_BYTES_MIN);
  return pairs * HOST_PRICES.scanPair + bytes * HOST_PRICES.byte + deleted * HOST_PRICES.scanPassed;
}
