/** CacheKVStore: branches nest, and one that is written into an untouched parent branch is moved, not copied. */

import { UpgradeError } from "../../../base/errors/errors.js";
import { compareRanges } from "../../../base/text/bytes.js";
import type { CacheKVStore as CacheKVStoreShape, KeyValue, KVStore } from "../../../base/types/types.js";
import type { Tree } from "../../commitment/tree.js";
import { BranchWrites } from "./branch-writes.js";
import { frameWrites } from "./frame-writes.js";
import { ScanCursor } from "./frames.js";
import { IavlReader } from "./iavl-reader.js";
import { BaseKVReader, BaseKVStore } from "./kv-store.js";
import type { PairCursor } from "./pair-cursor.js";
import { DELETED } from "./records.js";
import { WritesCursor } from "./writes-cursor.js";

/**
 * A branch of any store: writes stay in it, in order of their keys, until `write()` hands them to the parent, and reads see
 * them. Keys have 1 to 65,535 bytes, values up to 1 MiB.
 *
 * @throws UpgradeError UPG_INVALID_KEY, UPG_INVALID_VALUE
 *
 * @example
 * const store = new MemoryKVStore();
 * const branch = new CacheKVStore(store);
 * branch.set(Uint8Array.of(1), Uint8Array.of(42));
 * console.log(store.has(Uint8Array.of(1)), branch.has(Uint8Array.of(1))); // → false true
 * branch.write();
 * console.log(store.get(Uint8Array.of(1))?.[0]); // → 42
 */
export class CacheKVStore extends BaseKVStore implements CacheKVStoreShape {
  /** Undefined before the first write: most branches of most blocks have none. */
  #writes: BranchWrites | undefined;
  /** Counts `write` and `discard`: a walk that was begun before has lost its ground. */
  #generation = 0;
  #refuse: (() => UpgradeError) | undefined;

  constructor(private readonly parent: KVStore) {
    super();
    if (parent instanceof BaseKVReader) this.spill = parent.spill;
  }

  /** Counts writes, `write` and `discard`: shows whether the branch is still what it was. */
  writes = 0;

  /** Is there nothing that `write()` would hand on? */
  get isEmpty(): boolean {
    return this.#writes === undefined || this.#writes.isEmpty;
  }

  branch(): CacheKVStore {
    return new CacheKVStore(this);
  }

  write(): void {
    const writes = this.#take();
    if (!writes || writes.isEmpty) return;
    if (this.parent instanceof CacheKVStore && this.parent.#adopt(writes)) return;
    frameWrites(writes, (frames) => this.parent.writeFrames(frames));
    writes.drop();
  }

  discard(): void {
    this.#take()?.drop();
  }

  /** @internal Ends the use of the branch by code that kept it. @param refuse makes the error of reads and writes */
  close(refuse: () => UpgradeError): void {
    this.#refuse = refuse;
  }

  /** @throws UpgradeError what `close` was given */
  #requireOpen(): void {
    if (this.#refuse) throw this.#refuse();
  }

  /** How many writes `pending` has, or a little more. */
  get pendingCount(): number {
    return this.#writes?.count ?? 0;
  }

  /**
   * The writes in ascending order, for a store that commits them. `isDeleted` marks deletions; values that are
   * wanted are loaded first.
   */
  pending(): WritesCursor {
    return new WritesCursor(this.#own(), undefined, undefined, false, true);
  }

  /** Hands on the writes in ascending order without giving them up: output frames of store 0, good during the call. */
  eachFrames(give: (frames: Uint8Array) => void): void {
    if (this.#writes) frameWrites(this.#writes, give);
  }

  /** Is a key's last write here a deletion? For a look at a few keys. */
  deletes(key: Uint8Array): boolean {
    return this.#writes?.find(key, true)?.valueLen === DELETED;
  }

  /** Was a key written here, set or deleted? For a look at a few keys. */
  touches(key: Uint8Array): boolean {
    return this.#writes?.find(key, true) !== undefined;
  }

  /** Is it known without a look at the writes that they delete every pair of this tree, the branch's ground? */
  erases(tree: Tree): boolean {
    return this.#writes?.erases(tree) === true;
  }

  /** The tree below, when nothing was written in between. */
  get #ground(): Tree | undefined {
    const { parent } = this;
    if (parent instanceof IavlReader) return parent.tree;
    return parent instanceof CacheKVStore && parent.isEmpty ? parent.#ground : undefined;
  }

  #own(): BranchWrites {
    this.#writes ??= new BranchWrites(this.spill);
    return this.#writes;
  }

  #take(): BranchWrites | undefined {
    const writes = this.#writes;
    this.#writes = undefined;
    this.#generation++;
    this.writes++;
    return writes;
  }

  /** Takes a child's writes as a whole when there are none here yet. */
  #adopt(writes: BranchWrites): boolean {
    if (!this.isEmpty) return false;
    this.writes++;
    this.#own().takeOver(writes);
    return true;
  }

  override _get(key: Uint8Array): Uint8Array | undefined {
    this.#requireOpen();
    const found = this.#writes?.find(key);
    if (!found) return this.parent.get(key);
    if (found.valueLen === DELETED) return undefined;
    found.loadValue?.();
    const { bytes, valueAt, valueLen } = found;
    return bytes.slice(valueAt, valueAt + valueLen);
  }

  override _has(key: Uint8Array): boolean {
    this.#requireOpen();
    const found = this.#writes?.find(key);
    return found ? found.valueLen !== DELETED : this.parent.has(key);
  }

  override _cursor(start: Uint8Array | undefined, end: Uint8Array | undefined, reverse: boolean): PairCursor {
    this.#requireOpen();
    const below = cursorOf(this.parent, start, end, reverse);
    const merged = new MergedCursor(below, new WritesCursor(this.#own(), start, end, reverse), reverse);
    const generation = this.#generation;
    return guarded(merged, () => generation === this.#generation);
  }

  override _put(
    bytes: Uint8Array,
    keyAt: number,
    keyLen: number,
    value: Uint8Array,
    valueAt: number,
    valueLen: number,
  ): void {
    this.#requireOpen();
    this.writes++;
    this.#own().put(bytes, keyAt, keyLen, value, valueAt, valueLen);
  }

  override _remove(bytes: Uint8Array, keyAt: number, keyLen: number): void {
    this.#requireOpen();
    this.writes++;
    const writes = this.#own();
    const tree = writes.hasBegun ? undefined : this.#ground;
    if (tree) writes.watch(tree);
    writes.put(bytes, keyAt, keyLen, bytes, 0, DELETED);
  }
}

/** A walk over any store: directly where the store is one of this room, by its public methods where it is not. */
export function cursorOf(
  store: KVStore,
  start: Uint8Array | undefined,
  end: Uint8Array | undefined,
  reverse: boolean,
): PairCursor {
  if (store instanceof BaseKVReader) return store._cursor(start, end, reverse);
  return reverse
    ? new IterationCursor(store.iterate({ start, end, reverse }))
    : new ScanCursor(store.scan({ start, end }));
}

class IterationCursor implements PairCursor {
  bytes: Uint8Array = new Uint8Array(0);
  keyAt = 0;
  keyLen = 0;
  valueAt = 0;
  valueLen = 0;

  constructor(private readonly pairs: Iterator<KeyValue>) {}

  step(): boolean {
    const next = this.pairs.next();
    if (next.done) return false;
    const [key, value] = next.value;
    this.bytes = new Uint8Array(key.length + value.length);
    this.bytes.set(key);
    this.bytes.set(value, key.length);
    this.keyLen = this.valueAt = key.length;
    this.valueLen = value.length;
    return true;
  }
}

/** The parent's pairs with the branch's writes over them. */
class MergedCursor implements PairCursor {
  bytes: Uint8Array = new Uint8Array(0);
  keyAt = 0;
  keyLen = 0;
  valueAt = 0;
  valueLen = 0;
  passed = 0;
  passedBytes = 0;
  #stepBelow = true;
  #stepAbove = true;
  #hasBelow = false;
  #hasAbove = false;
  #hasShown = false;
  #shown: PairCursor | undefined;

  constructor(
    private readonly below: PairCursor,
    private readonly above: WritesCursor,
    private readonly reverse: boolean,
  ) {}

  step(): boolean {
    // A write to the branch may lie before the pair that was looked at last but not shown yet.
    if (this.#hasShown && this.above.isStale) {
      this.above.goBehind(this.bytes, this.keyAt, this.keyLen);
      this.#stepAbove = true;
    }
    for (;;) {
      if (this.#stepBelow) this.#hasBelow = this.below.step();
      if (this.#stepAbove) this.#hasAbove = this.above.step();
      else if (this.#hasAbove) this.above.lookAgain();
      if (!this.#hasBelow && !this.#hasAbove) return false;
      const order = this.#order();
      this.#stepBelow = order <= 0;
      this.#stepAbove = order >= 0;
      if (order < 0) return this.#show(this.below);
      if (!this.above.isDeleted) return this.#show(this.above);
      this.passed++;
      this.passedBytes += this.above.keyLen;
    }
  }

  /** Below 0: the parent's pair comes next; 0: the branch's one replaces it. */
  #order(): number {
    if (!this.#hasAbove) return -1;
    if (!this.#hasBelow) return 1;
    const { below, above } = this;
    const order = compareRanges(below.bytes, below.keyAt, below.keyLen, above.bytes, above.keyAt, above.keyLen);
    return this.reverse ? -order : order;
  }

  loadValue(): void {
    if (!this.#shown?.loadValue) return;
    this.#shown.loadValue();
    this.#show(this.#shown);
  }

  #show(from: PairCursor): true {
    this.#hasShown = true;
    this.#shown = from;
    this.bytes = from.bytes;
    this.keyAt = from.keyAt;
    this.keyLen = from.keyLen;
    this.valueAt = from.valueAt;
    this.valueLen = from.valueLen;
    return true;
  }
}

function guarded(cursor: MergedCursor, holds: () => boolean): PairCursor {
  const step = cursor.step.bind(cursor);
  cursor.step = () => {
    if (holds()) return step();
    throw new UpgradeError("UPG_INVALID_ARGUMENT", "a walk over a branch cannot go on after its write() or discard()");
  };
  return cursor;
}
