/**
 * One page of an LMDB file, read in place. Little-endian, data version 2 (MDB_page_header, MDB_node and
 * MDB_ovpage in lmdb's mdb.c):
 *   header    u64 number, u64 transaction, u16 pad, u16 flags, u16 lower, u16 upper (of a long value: u32 pages)
 *   nodes     u16 each from byte 24: where a node begins, less 24; ascending by key
 *   node      u16 low, u16 high, u16 flags, u16 klen, key, data     low and high: bytes of data, or the child's number
 *   long data u64 page, u64 transaction, u64 pages
 */

import { UpgradeError } from "../../../base/errors/errors.js";

export const PAGE_HEADER_BYTES = 24;
const NODE_HEADER_BYTES = 8;
const LONG_DATA_BYTES = 24;
const BRANCH = 0x01;
const LEAF = 0x02;
const LONG = 0x04;
/** Flag of a node whose data is on pages of its own. */
const IS_LONG = 0x01;

/** Where a value is that has pages of its own. */
export interface LongValue {
  readonly page: number;
  readonly transaction: number;
  readonly pages: number;
  /** Bytes of the value. */
  readonly length: number;
}

export class LmdbPage {
  readonly #view: DataView;
  readonly count: number;
  readonly isLeaf: boolean;

  /** @throws UpgradeError UPG_STORE_CORRUPT unless this is a page of keys that calls itself `number` */
  constructor(
    readonly number: number,
    readonly bytes: Uint8Array,
  ) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const flags = this.#view.getUint16(18, true);
    this.isLeaf = flags === LEAF;
    this.count = this.#view.getUint16(20, true) >> 1;
    this.require(Number(this.#view.getBigUint64(0, true)) === number, "calls itself by another number");
    this.require(flags === LEAF || flags === BRANCH, `has flags ${flags}, so it holds no keys`);
    this.require(
      this.#view.getUint16(16, true) === 0 && this.#view.getUint16(20, true) % 2 === 0,
      "has a damaged head",
    );
    this.require(this.count > 0 && this.#upper >= PAGE_HEADER_BYTES + 2 * this.count, "has a damaged head");
    this.require(this.#upper <= bytes.length, "has a damaged head");
  }

  /** Number of the transaction that wrote it. */
  get transaction(): number {
    return Number(this.#view.getBigUint64(8, true));
  }

  /** Where the first byte of nodes is. */
  get #upper(): number {
    return this.#view.getUint16(22, true) + PAGE_HEADER_BYTES;
  }

  nodeAt(index: number): number {
    return this.#view.getUint16(PAGE_HEADER_BYTES + 2 * index, true) + PAGE_HEADER_BYTES;
  }

  keyAt(index: number): number {
    return this.nodeAt(index) + NODE_HEADER_BYTES;
  }

  /** A view. */
  key(index: number): Uint8Array {
    const at = this.nodeAt(index);
    return this.#slice(at + NODE_HEADER_BYTES, this.#view.getUint16(at + 6, true));
  }

  /** The page below a node of a branch. */
  child(index: number): number {
    const at = this.nodeAt(index);
    return this.#view.getUint32(at, true) + this.#view.getUint16(at + 4, true) * 2 ** 32;
  }

  isLong(index: number): boolean {
    return this.#view.getUint16(this.nodeAt(index) + 4, true) === IS_LONG;
  }

  /** The data of a leaf's node, a view. */
  value(index: number): Uint8Array {
    const at = this.nodeAt(index);
    return this.#slice(this.#dataAt(at), this.#view.getUint32(at, true));
  }

  longValue(index: number): LongValue {
    const at = this.nodeAt(index);
    const dataAt = this.#dataAt(at);
    const number = (offset: number) => Number(this.#view.getBigUint64(dataAt + offset, true));
    return { page: number(0), transaction: number(8), pages: number(16), length: this.#view.getUint32(at, true) };
  }

  /** Checks that nodes lie one after the other, from the end of the free space to the end of the page. */
  checkNodes(): void {
    const starts = Array.from({ length: this.count }, (_, index) => index).sort(
      (a, b) => this.nodeAt(a) - this.nodeAt(b),
    );
    let at = this.#upper;
    for (const index of starts) {
      this.require(this.nodeAt(index) === at && at + NODE_HEADER_BYTES <= this.bytes.length, "has nodes out of place");
      at += this.#nodeBytes(at);
    }
    this.require(at === this.bytes.length, "has nodes out of place");
  }

  require(condition: boolean, what: string): void {
    if (!condition) throw damaged(`page ${this.number} ${what}`);
  }

  #nodeBytes(at: number): number {
    const flags = this.#view.getUint16(at + 4, true);
    let bytes = NODE_HEADER_BYTES + this.#view.getUint16(at + 6, true);
    if (this.isLeaf) {
      this.require(flags === 0 || flags === IS_LONG, "has a node of an unknown kind");
      bytes += flags === IS_LONG ? LONG_DATA_BYTES : this.#view.getUint32(at, true);
    }
    return (bytes + 1) & ~1;
  }

  #dataAt(nodeAt: number): number {
    return nodeAt + NODE_HEADER_BYTES + this.#view.getUint16(nodeAt + 6, true);
  }

  #slice(at: number, length: number): Uint8Array {
    this.require(at + length <= this.bytes.length, "has a node that does not end in it");
    return this.bytes.subarray(at, at + length);
  }
}

/** What LMDB has of all pages in a compacting copy, but for the heads of long values, which stay as they were. */
const COPIED = 1;

/** Checks the first page of a long value. @throws UpgradeError UPG_STORE_CORRUPT */
export function checkLongHead(head: Uint8Array, value: LongValue, pageBytes: number): void {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  const needed = Math.floor((PAGE_HEADER_BYTES - 1 + value.length) / pageBytes) + 1;
  const isSound =
    Number(view.getBigUint64(0, true)) === value.page &&
    (value.transaction === COPIED || Number(view.getBigUint64(8, true)) === value.transaction) &&
    view.getUint16(16, true) === 0 &&
    view.getUint16(18, true) === LONG &&
    view.getUint32(20, true) === value.pages &&
    value.pages >= needed;
  if (!isSound) throw damaged(`page ${value.page}, where a long value begins, has a damaged head`);
}

export function damaged(what: string): UpgradeError {
  return new UpgradeError("UPG_STORE_CORRUPT", `the database is damaged: ${what}. Restore the data folder from a copy`);
}

/** A damaged page may point out of itself: what JavaScript says of that, in the project's words. */
export function withinBounds<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw cause instanceof RangeError ? damaged(`a page points out of itself (${cause.message})`) : cause;
  }
}
