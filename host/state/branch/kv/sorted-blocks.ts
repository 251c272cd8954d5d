/** Blocks of a sorted map: addresses of records in ascending order of keys. */

import { FRAME_HEADER_BYTES } from "../../../base/types/limits.js";
import { readU32 } from "../../../base/wire/u32.js";
import { compareKeys } from "./address-sort.js";
import type { Records } from "./records.js";

export const BLOCK_RECORDS_MAX = 512;

/** Records in ascending order. Beside each address is the beginning of its key: most comparisons end there. */
export interface Block {
  addresses: Uint32Array;
  beginnings: Uint32Array;
  count: number;
}

/** The first four bytes of a key, zeros after a shorter one: where two differ, their keys differ the same way. */
export function beginningOf(bytes: Uint8Array, at: number, len: number): number {
  let beginning = len > 0 ? (bytes[at] as number) << 24 : 0;
  if (len > 1) beginning |= (bytes[at + 1] as number) << 16;
  if (len > 2) beginning |= (bytes[at + 2] as number) << 8;
  if (len > 3) beginning |= bytes[at + 3] as number;
  return beginning >>> 0;
}

/** All blocks again, of the records in order and of `fresh` ones, which are in order too and count more. */
export function mergedBlocks(records: Records, old: readonly Block[], fresh: Uint32Array): Block[] {
  const blocks: Block[] = [];
  const beginnings = new Uint32Array(fresh.length);
  for (let i = 0; i < fresh.length; i++) {
    const segment = records.segmentOf(fresh[i] as number);
    const offset = records.offsetOf(fresh[i] as number);
    beginnings[i] = beginningOf(segment, offset + FRAME_HEADER_BYTES, readU32(segment, offset));
  }
  let taken = 0;
  for (const block of old) {
    for (let i = 0; i < block.count; i++) {
      const address = block.addresses[i] as number;
      const beginning = block.beginnings[i] as number;
      let order = -1;
      for (; taken < fresh.length; taken++) {
        const next = fresh[taken] as number;
        order = beginning - (beginnings[taken] as number) || compareKeys(records, address, next);
        if (order <= 0) break;
        append(blocks, next, beginnings[taken] as number);
      }
      if (taken < fresh.length && order === 0) records.drop(address);
      else append(blocks, address, beginning);
    }
  }
  for (; taken < fresh.length; taken++) append(blocks, fresh[taken] as number, beginnings[taken] as number);
  return blocks;
}

function append(blocks: Block[], address: number, beginning: number): void {
  let block = blocks[blocks.length - 1];
  if (!block || block.count === BLOCK_RECORDS_MAX) {
    const room = () => new Uint32Array(BLOCK_RECORDS_MAX);
    block = { addresses: room(), beginnings: room(), count: 0 };
    blocks.push(block);
  }
  block.addresses[block.count] = address;
  block.beginnings[block.count++] = beginning;
}

function doubled(from: Uint32Array): Uint32Array {
  const grown = new Uint32Array(2 * from.length);
  grown.set(from);
  return grown;
}

/** Puts a record at an index of a block that has room, or grows. */
export function insertInBlock(block: Block, index: number, address: number, beginning: number): void {
  if (block.count === block.addresses.length) {
    block.addresses = doubled(block.addresses);
    block.beginnings = doubled(block.beginnings);
  }
  if (index < block.count) {
    block.addresses.copyWithin(index + 1, index, block.count);
    block.beginnings.copyWithin(index + 1, index, block.count);
  }
  block.addresses[index] = address;
  block.beginnings[index] = beginning;
  block.count++;
}

/** Cuts a block: the records from `keep` on become one of their own. */
export function takeFrom(block: Block, keep: number): Block {
  const right: Block = {
    addresses: new Uint32Array(BLOCK_RECORDS_MAX),
    beginnings: new Uint32Array(BLOCK_RECORDS_MAX),
    count: block.count - keep,
  };
  right.addresses.set(block.addresses.subarray(keep, block.count));
  right.beginnings.set(block.beginnings.subarray(keep, block.count));
  block.count = keep;
  return right;
}
