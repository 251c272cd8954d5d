/**
 * Walks every page of an LMDB file that is in use and checks what LMDB takes on trust: that pages are what and where
 * their parents say, keys ascend, counts are those of the meta page, values match their checksums, and every page is
 * either in use once or free once.
 */

import { isUpgradeError } from "../../../base/errors/errors.js";
import { compareBytes, toHex } from "../../../base/text/bytes.js";
import { isSealed } from "./lmdb-checksum.js";
import type { LmdbFile, LmdbSnapshot, LmdbTree } from "./lmdb-file.js";
import { damaged, type LmdbPage, PAGE_HEADER_BYTES, withinBounds } from "./lmdb-page.js";

export interface WalkOptions {
  /** Read long values too, not only their heads. */
  readonly longValues: boolean;
  /** False: pages alone are checked, since another program's values have no checksums. */
  readonly hasChecksums?: boolean;
  /** Called now and then with the number of pages walked so far. */
  readonly onProgress?: (pages: number) => void;
  /** Called with every range of bytes of the file whose change would be noticed; `end` is exclusive. */
  readonly onUse?: (start: number, end: number) => void;
}

type Compare = (a: Uint8Array, b: Uint8Array) => number;

const PROGRESS_PAGES = 4_096;
const DEPTH_MAX = 32;

/** @throws UpgradeError UPG_STORE_CORRUPT naming the place, UPG_STORE_IO */
export function walkLmdb(file: LmdbFile, options: WalkOptions): void {
  withinBounds(() => {
    useMeta(file, options);
    walkSnapshot(file.last, options);
    requireLast(file, options);
  });
}

function walkSnapshot(snapshot: LmdbSnapshot, options: WalkOptions): void {
  const { meta } = snapshot;
  const owners = new PageOwners(meta.lastPage + 1);
  owners.take(0, 2);
  const isValue = (key: Uint8Array, value: Uint8Array, page: number) => {
    if (options.hasChecksums === false || isSealed(key, value)) return;
    throw damaged(`the value of key ${toHex(key)} on page ${page} does not match its checksum`);
  };
  new TreeWalk(snapshot, owners, options, compareBytes, isValue).walk(meta.main, "records");
  const free: number[] = [];
  const isFree = (key: Uint8Array, value: Uint8Array, page: number) => {
    if (compareNumbers(key, numberBytes(meta.transaction)) > 0) {
      throw damaged(`page ${page} lists pages that a transaction freed which never was`);
    }
    readFreePages(value, page, (first, count) => free.push(first, count));
  };
  new TreeWalk(snapshot, owners, { ...options, longValues: true }, compareNumbers, isFree).walk(
    meta.free,
    "free pages",
  );
  for (let i = 0; i < free.length; i += 2) owners.take(free[i] as number, free[i + 1] as number);
  owners.requireAll();
}

/**
 * A changed number in the newer meta page would make the transaction before it the last one, in silence. The other meta
 * page is then the whole of a later transaction. One that a process was killed over while it wrote it does so
 * in part, and that is no damage.
 */
function requireLast({ last, before }: LmdbFile, { longValues, hasChecksums = true }: WalkOptions): void {
  const transaction = last.meta.transaction + 1;
  if (wrote(before, transaction, { longValues, hasChecksums })) {
    throw damaged(`transaction ${transaction} is whole, and its meta page carries the number of an earlier one`);
  }
}

/** Whether all that a meta page names is there, and the roots are of `transaction`. */
function wrote(snapshot: LmdbSnapshot, transaction: number, options: WalkOptions): boolean {
  const { main, free } = snapshot.meta;
  try {
    const isIts = [main, free].every(({ root }) => root !== undefined && snapshot.writer(root) === transaction);
    if (isIts) withinBounds(() => walkSnapshot(snapshot.as({ ...snapshot.meta, transaction }), options));
    return isIts;
  } catch (error) {
    if (isUpgradeError(error) && error.code === "UPG_STORE_CORRUPT") return false;
    throw error;
  }
}

/** Walks one tree. */
class TreeWalk {
  #branches = 0;
  #leaves = 0;
  #longPages = 0;
  #entries = 0;
  #walked = 0;

  constructor(
    private readonly snapshot: LmdbSnapshot,
    private readonly owners: PageOwners,
    private readonly options: WalkOptions,
    private readonly compare: Compare,
    private readonly check: (key: Uint8Array, value: Uint8Array, page: number) => void,
  ) {}

  walk(tree: LmdbTree, name: string): void {
    if (tree.root !== undefined) this.#page(tree.root, tree.depth, undefined, undefined);
    const counts = [
      ["branch pages", this.#branches, tree.branches],
      ["leaf pages", this.#leaves, tree.leaves],
      ["pages of long values", this.#longPages, tree.longPages],
      ["entries", this.#entries, tree.entries],
      ["levels", tree.root === undefined ? 0 : tree.depth, tree.depth],
    ] as const;
    for (const [what, found, recorded] of counts) {
      if (found !== recorded) throw damaged(`the tree of ${name} has ${found} ${what}, its meta page says ${recorded}`);
    }
  }

  /** `low` ≤ keys < `high`. Returns the first and the last key below this page. */
  #page(number: number, levels: number, low: Uint8Array | undefined, high: Uint8Array | undefined): Edges {
    this.owners.take(number, 1);
    const page = this.snapshot.page(number);
    page.checkNodes();
    page.require(page.transaction <= this.snapshot.meta.transaction, "is of a transaction that never was");
    page.require(page.isLeaf === (levels === 1) && levels <= DEPTH_MAX, "is on another level than its parent says");
    if (++this.#walked % PROGRESS_PAGES === 0) this.options.onProgress?.(this.#walked);
    this.#use(page, 0, 8);
    this.#use(page, 16, PAGE_HEADER_BYTES + 2 * page.count);
    return page.isLeaf ? this.#leaf(page, low, high) : this.#branch(page, levels, low, high);
  }

  #leaf(page: LmdbPage, low: Uint8Array | undefined, high: Uint8Array | undefined): Edges {
    this.#leaves++;
    let previous = low;
    for (let index = 0; index < page.count; index++) {
      const key = page.key(index);
      const order = previous === undefined ? 1 : this.compare(key, previous);
      page.require(index === 0 && previous === low ? order >= 0 : order > 0, `has keys out of order at ${toHex(key)}`);
      this.#value(page, index, key);
      this.#entries++;
      previous = key;
    }
    const last = page.key(page.count - 1);
    page.require(high === undefined || this.compare(last, high) < 0, `has keys out of order at ${toHex(last)}`);
    return { first: page.key(0), last };
  }

  #value(page: LmdbPage, index: number, key: Uint8Array): void {
    const keyAt = page.keyAt(index);
    // Which transaction freed a page decides nothing once no reader is left.
    this.#use(page, page.nodeAt(index), keyAt + (this.compare === compareNumbers ? 0 : key.length));
    if (!page.isLong(index)) {
      const value = page.value(index);
      this.#use(page, keyAt + key.length, keyAt + key.length + value.length);
      this.check(key, value, page.number);
      return;
    }
    const long = page.longValue(index);
    this.#use(page, keyAt + key.length, keyAt + key.length + 24);
    this.owners.take(long.page, long.pages);
    this.#longPages += long.pages;
    if (!this.options.longValues) {
      this.snapshot.checkLongValue(long);
      return;
    }
    this.check(key, this.snapshot.longValue(long), long.page);
    const at = long.page * this.snapshot.meta.pageBytes;
    this.options.onUse?.(at, at + PAGE_HEADER_BYTES + long.length);
  }

  #branch(page: LmdbPage, levels: number, low: Uint8Array | undefined, high: Uint8Array | undefined): Edges {
    this.#branches++;
    page.require(page.count > 1, "is a branch with one child");
    let edges: Edges | undefined;
    for (let index = 0; index < page.count; index++) {
      const from = index === 0 ? low : page.key(index);
      const to = index + 1 === page.count ? high : page.key(index + 1);
      const child = this.#page(page.child(index), levels - 1, from, to);
      this.#useSeparator(page, index, edges?.last, child.first);
      edges = { first: edges?.first ?? child.first, last: child.last };
    }
    return edges as Edges;
  }

  /** A separator may be any key between those that it parts: what these have in common, and one byte, decides. */
  #useSeparator(page: LmdbPage, index: number, before: Uint8Array | undefined, after: Uint8Array): void {
    const at = page.nodeAt(index);
    this.#use(page, at, page.keyAt(index));
    if (before === undefined) return;
    let common = 0;
    while (common < before.length && before[common] === after[common]) common++;
    this.#use(page, page.keyAt(index), page.keyAt(index) + common);
  }

  #use(page: LmdbPage, start: number, end: number): void {
    const at = page.number * this.snapshot.meta.pageBytes;
    this.options.onUse?.(at + start, at + end);
  }
}

interface Edges {
  readonly first: Uint8Array;
  readonly last: Uint8Array;
}

/** Which pages have been met: one bit a page. */
class PageOwners {
  readonly #met: Uint8Array;
  #count = 0;

  constructor(private readonly pages: number) {
    this.#met = new Uint8Array(Math.ceil(pages / 8));
  }

  take(first: number, count: number): void {
    if (first < 0 || count < 0 || first + count > this.pages) throw damaged(`page ${first} lies after the last page`);
    for (let page = first; page < first + count; page++) {
      const bit = 1 << (page & 7);
      const byte = this.#met[page >> 3] as number;
      if ((byte & bit) !== 0) throw damaged(`page ${page} is in use twice, or in use and free`);
      this.#met[page >> 3] = byte | bit;
    }
    this.#count += count;
  }

  requireAll(): void {
    if (this.#count === this.pages) return;
    throw damaged(`${this.pages - this.#count} of ${this.pages} pages are neither in use nor free`);
  }
}

/**
 * A list of free pages: how many words follow, and the words. 0 is an empty place, a number below 0 says how many pages
 * the next one represents. Source: midl.c of lmdb-js.
 */
function readFreePages(bytes: Uint8Array, page: number, add: (first: number, count: number) => void): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const word = (index: number) => Number(view.getBigInt64(8 * index, true));
  if (bytes.length < 8 || bytes.length < 8 * (word(0) + 1) || word(0) < 0) {
    throw damaged(`a list of free pages on page ${page} is cut short`);
  }
  for (let index = 1, count = 1; index <= word(0); index++) {
    const next = word(index);
    if (next < 0) count = -next;
    else if (next > 0) {
      add(next, count);
      count = 1;
    }
  }
}

/** Keys of the tree of free pages: u64, little-endian. */
function compareNumbers(a: Uint8Array, b: Uint8Array): number {
  if (a.length !== 8 || b.length !== 8) throw damaged("a key of the tree of free pages is no transaction's number");
  const [x, y] = [a, b].map((bytes) => new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true)) as [
    bigint,
    bigint,
  ];
  return x < y ? -1 : x > y ? 1 : 0;
}

function numberBytes(value: number): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(value), true);
  return bytes;
}

function useMeta({ metaPage, meta }: LmdbFile, { onUse }: WalkOptions): void {
  const at = metaPage * meta.pageBytes;
  const fields = [
    [0, 8], // number
    [24, 30], // magic, version
    [48, 52], // size of a page
    [54, 96], // tree of free pages
    [102, 160], // tree of records, last page, transaction
  ] as const;
  for (const [start, end] of fields) onUse?.(at + start, at + end);
}
