/**
 * A sorted map from keys to values, flat: records hold keys and values, blocks of record addresses hold the order. No
 * object is made per pair. A value length of DELETED marks a deletion that a branch will hand to its parent.
 */

import { FRAME_HEADER_BYTES } from "../../../base/types/limits.js";
import { readU32 } from "../../../base/wire/u32.js";
import { latestByKey } from "./address-sort.js";
import { Records } from "./records.js";
import { BLOCK_RECORDS_MAX, type Block, beginningOf, insertInBlock, mergedBlocks, takeFrom } from "./sorted-blocks.js";

/** After so many writes in a row, with nobody reading between them, more are likely to come. */
const WRITES_IN_A_ROW = 256;
/** So many wait, or records of so many bytes, before they are put in order. */
const WAITING_MAX = 131_072;
const WAITING_BYTES_MAX = 16 * 1_048_576;
/** Fewer, or fewer than one for so many records, are put in order one by one. */
const WAITING_MIN = 64;
const RECORDS_PER_WAITING = 32;

export class SortedMap {
  #records: Records;
  #blocks: Block[] = [];
  #size = 0;
  /** Counts changes of order: a cursor that sees another number finds its place again. */
  changes = 0;

  // Writes in bulk wait in the order in which they came, and are sorted together when somebody reads or many wait.
  #waiting = new Uint32Array(0);
  #waitingCount = 0;
  /** Bytes of records before the first that waits. */
  #waitingFrom = 0;
  #inARow = 0;

  // What `locate` found: the position where the key is, or where it would go.
  #block = 0;
  #index = 0;

  /** `spare`: of `giveUp`. */
  constructor(spare?: Uint8Array[]) {
    this.#records = new Records(spare);
  }

  /** Hands the memory on to maps that are made with `spare`. Nobody reads this map, or is on a pair of it, any more. */
  giveUp(spare: Uint8Array[], spareMax: number): void {
    this.#records.giveUp(spare, spareMax);
    this.clear();
  }

  /** Number of records, deletions included. */
  get size(): number {
    this.#settle();
    return this.#size;
  }

  /** Bytes that records take, including replaced ones. */
  get bytes(): number {
    return this.#records.bytes;
  }

  clear(): void {
    this.#records = new Records();
    this.#blocks = [];
    this.#size = 0;
    this.#waitingCount = 0;
    this.#inARow = 0;
    this.changes++;
  }

  /** Becomes what another map is, which is empty afterwards; what was here is dropped. Walks go on over the new contents. */
  takeOver(other: SortedMap): void {
    other.#settle();
    this.#waitingCount = 0;
    this.#inARow = 0;
    this.#records = other.#records;
    this.#blocks = other.#blocks;
    this.#size = other.#size;
    this.changes++;
    other.clear();
  }

  segmentOf(address: number): Uint8Array {
    return this.#records.segmentOf(address);
  }

  /** Byte of its segment at which a record begins. */
  offsetOf(address: number): number {
    return this.#records.offsetOf(address);
  }

  /** Address of the record of a key that is in `bytes`; undefined when there is none. Good until the next change. */
  find(bytes: Uint8Array, at: number, len: number): number | undefined {
    this.#settle();
    return this.#locate(bytes, at, len) ? this.#blocks[this.#block]?.addresses[this.#index] : undefined;
  }

  /** Sets a key; `valueLen` may be DELETED. */
  put(bytes: Uint8Array, keyAt: number, keyLen: number, value: Uint8Array, valueAt: number, valueLen: number): void {
    if (this.#waitingCount > 0 || (++this.#inARow > WRITES_IN_A_ROW && !this.#isBehindAll(bytes, keyAt, keyLen))) {
      this.#wait(this.#records.add(bytes, keyAt, keyLen, value, valueAt, valueLen));
      return;
    }
    if (!this.#locate(bytes, keyAt, keyLen)) {
      const address = this.#records.add(bytes, keyAt, keyLen, value, valueAt, valueLen);
      this.#insert(address, beginningOf(bytes, keyAt, keyLen));
      return;
    }
    const { addresses } = this.#blocks[this.#block] as Block;
    const old = addresses[this.#index] as number;
    if (this.#records.overwrite(old, value, valueAt, valueLen)) return;
    addresses[this.#index] = this.#records.add(bytes, keyAt, keyLen, value, valueAt, valueLen);
    this.#drop(old);
  }

  /** Takes a key out; false when it was absent. */
  remove(bytes: Uint8Array, at: number, len: number): boolean {
    this.#settle();
    if (!this.#locate(bytes, at, len)) return false;
    const block = this.#blocks[this.#block] as Block;
    const address = block.addresses[this.#index] as number;
    block.addresses.copyWithin(this.#index, this.#index + 1, block.count);
    block.beginnings.copyWithin(this.#index, this.#index + 1, block.count);
    block.count--;
    if (block.count === 0) this.#blocks.splice(this.#block, 1);
    this.#size--;
    this.changes++;
    this.#drop(address);
    return true;
  }

  #drop(address: number): void {
    this.#records.drop(address);
    this.#saveRoom();
  }

  /** When most records are given up, the others move together. */
  #saveRoom(): void {
    if (!this.#records.isMostlyWaste) return;
    const fresh = new Records();
    for (const { addresses, count } of this.#blocks) {
      for (let i = 0; i < count; i++) addresses[i] = fresh.addFrom(this.#records, addresses[i] as number);
    }
    this.#records = fresh;
    this.changes++;
  }

  /** Address at a position counted by block and index; undefined after the end. Cursors use it. */
  addressAt(block: number, index: number): number | undefined {
    this.#settle();
    const found = this.#blocks[block];
    return found && index < found.count ? found.addresses[index] : undefined;
  }

  blockCount(): number {
    this.#settle();
    return this.#blocks.length;
  }

  blockSize(block: number): number {
    this.#settle();
    return this.#blocks[block]?.count ?? 0;
  }

  /** Position of the first record whose key is not before the given one. */
  seek(bytes: Uint8Array, at: number, len: number): { readonly block: number; readonly index: number } {
    this.#settle();
    this.#locate(bytes, at, len);
    return { block: this.#block, index: this.#index };
  }

  /** Order of a key that is in `bytes` relative to a record's key. */
  compare(address: number, bytes: Uint8Array, at: number, len: number): number {
    return this.#records.compare(address, bytes, at, len);
  }

  #wait(address: number): void {
    if (this.#waiting.length === 0) this.#waiting = new Uint32Array(WAITING_MAX);
    if (this.#waitingCount === 0) this.#waitingFrom = this.#records.bytes;
    this.#waiting[this.#waitingCount++] = address;
    this.changes++;
    if (this.#waitingCount < WAITING_MAX && this.#records.bytes - this.#waitingFrom < WAITING_BYTES_MAX) return;
    this.#settle();
    this.#inARow = WRITES_IN_A_ROW;
  }

  /** Puts in order what waits: every reader comes here first. */
  #settle(): void {
    this.#inARow = 0;
    const count = this.#waitingCount;
    if (count === 0) return;
    this.#waitingCount = 0;
    const addresses = this.#waiting.subarray(0, count);
    if (count < WAITING_MIN || count * RECORDS_PER_WAITING < this.#size) {
      for (const address of addresses) this.#place(address);
    } else {
      this.#blocks = mergedBlocks(this.#records, this.#blocks, latestByKey(this.#records, addresses));
      this.#size = this.#blocks.reduce((sum, block) => sum + block.count, 0);
    }
    this.changes++;
    this.#saveRoom();
  }

  /** Puts a record in order; one of the same key is given up. */
  #place(address: number): void {
    const segment = this.#records.segmentOf(address);
    const offset = this.#records.offsetOf(address);
    const keyAt = offset + FRAME_HEADER_BYTES;
    const keyLen = readU32(segment, offset);
    if (!this.#locate(segment, keyAt, keyLen)) {
      this.#insert(address, beginningOf(segment, keyAt, keyLen));
      return;
    }
    const { addresses } = this.#blocks[this.#block] as Block;
    this.#records.drop(addresses[this.#index] as number);
    addresses[this.#index] = address;
  }

  /** Does a key come after all that are in order? Ascending writes need not wait. */
  #isBehindAll(bytes: Uint8Array, at: number, len: number): boolean {
    const last = this.#blocks[this.#blocks.length - 1];
    return !last || this.#compareIn(last, last.count - 1, beginningOf(bytes, at, len), bytes, at, len) > 0;
  }

  #locate(bytes: Uint8Array, at: number, len: number): boolean {
    const blocks = this.#blocks;
    const last = blocks[blocks.length - 1];
    const beginning = beginningOf(bytes, at, len);
    // Ascending writes are the rule in bulk: look after the end first.
    if (!last || this.#compareIn(last, last.count - 1, beginning, bytes, at, len) > 0) {
      this.#block = Math.max(0, blocks.length - 1);
      this.#index = last ? last.count : 0;
      return false;
    }
    let low = 0;
    let high = blocks.length - 1; // the last block that may begin at or before the key
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (this.#compareIn(blocks[middle] as Block, 0, beginning, bytes, at, len) < 0) high = middle - 1;
      else low = middle;
    }
    this.#block = low;
    return this.#locateIn(blocks[low] as Block, beginning, bytes, at, len);
  }

  /** Order of a key relative to a record's. */
  #compareIn(block: Block, index: number, beginning: number, bytes: Uint8Array, at: number, len: number): number {
    const order = beginning - (block.beginnings[index] as number);
    return order !== 0 ? order : this.compare(block.addresses[index] as number, bytes, at, len);
  }

  #locateIn(block: Block, beginning: number, bytes: Uint8Array, at: number, len: number): boolean {
    let low = 0;
    let high = block.count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const order = this.#compareIn(block, middle, beginning, bytes, at, len);
      if (order === 0) {
        this.#index = middle;
        return true;
      }
      if (order < 0) high = middle;
      else low = middle + 1;
    }
    this.#index = low;
    // After the end of a block that is not the last: the same place at the beginning of the next.
    if (low === block.count && this.#block < this.#blocks.length - 1) {
      this.#block++;
      this.#index = 0;
    }
    return false;
  }

  #insert(address: number, beginning: number): void {
    this.#size++;
    this.changes++;
    let block = this.#blocks[this.#block];
    if (!block) {
      block = { addresses: new Uint32Array(8), beginnings: new Uint32Array(8), count: 0 };
      this.#blocks.push(block);
    }
    if (block.count === BLOCK_RECORDS_MAX) block = this.#splitBlock(block);
    insertInBlock(block, this.#index, address, beginning);
  }

  /** Makes room in a full block; at the end of the map a fresh one is begun, so that ascending writes fill blocks. */
  #splitBlock(block: Block): Block {
    const isEnd = this.#block === this.#blocks.length - 1 && this.#index === block.count;
    const keep = isEnd ? block.count : block.count >>> 1;
    const right = takeFrom(block, keep);
    this.#blocks.splice(this.#block + 1, 0, right);
    if (this.#index < keep || (this.#index === keep && !isEnd)) return block;
    this.#block++;
    this.#index -= keep;
    return right;
  }
}
