/** The stores of a test: sorted arrays that implement host/base/types/types.ts by the letter, and nothing more. */

import { UpgradeError } from "../../host/base/errors/errors.js";
import { compareBytes, concatBytes } from "../../host/base/text/bytes.js";
import type {
  CacheMultiStore,
  FrameScan,
  KeyRange,
  KeyValue,
  KVStore,
  MultiStore,
} from "../../host/base/types/types.js";
import { writeU32 } from "../../host/base/wire/u32.js";
import { checkFrames, OP_DELETE, OpCursor } from "../../host/state/branch/kv/frames.js";

/** A frame of a scan: `u32 klen, u32 vlen, key, value`. */
export function pairFrame(key: Uint8Array, value: Uint8Array): Uint8Array {
  const head = new Uint8Array(8);
  writeU32(head, 0, key.length);
  writeU32(head, 4, value.length);
  return concatBytes(head, key, value);
}

class ArrayScan implements FrameScan {
  /** What is deleted is absent. */
  readonly passed = 0;
  readonly passedBytes = 0;
  #next = 0;

  constructor(private readonly pairs: readonly KeyValue[]) {}

  read(out: Uint8Array): number {
    // What a store leaves behind its last frame must not matter to anyone.
    out.fill(0xee);
    let at = 0;
    for (; this.#next < this.pairs.length; this.#next++) {
      const [key, value] = this.pairs[this.#next] as KeyValue;
      const frame = pairFrame(key, value);
      if (frame.length > out.length - at) return at === 0 ? -frame.length : at;
      out.set(frame, at);
      at += frame.length;
    }
    return at;
  }
}

export class ArrayStore implements KVStore {
  pairs: KeyValue[];
  /** Calls of `writeFrames`, to see that runs travel together. */
  frameWrites = 0;

  constructor(pairs: readonly KeyValue[] = []) {
    this.pairs = [...pairs].sort(([a], [b]) => compareBytes(a, b));
  }

  get(key: Uint8Array): Uint8Array | undefined {
    const [at, isThere] = this.#find(key);
    return isThere ? this.pairs[at]?.[1].slice() : undefined;
  }

  has(key: Uint8Array): boolean {
    return this.#find(key)[1];
  }

  *iterate(range: KeyRange = {}): IterableIterator<KeyValue> {
    yield* this.#within(range);
  }

  scan(range: KeyRange = {}): FrameScan {
    return new ArrayScan(this.#within(range));
  }

  set(key: Uint8Array, value: Uint8Array): void {
    const [at, isThere] = this.#find(key);
    this.pairs.splice(at, isThere ? 1 : 0, [key.slice(), value.slice()]);
  }

  delete(key: Uint8Array): void {
    const [at, isThere] = this.#find(key);
    if (isThere) this.pairs.splice(at, 1);
  }

  writeFrames(frames: Uint8Array): void {
    this.frameWrites++;
    checkFrames(frames);
    const op = new OpCursor(frames);
    while (op.step()) {
      const key = frames.subarray(op.keyAt, op.keyAt + op.keyLen);
      if (op.op === OP_DELETE) this.delete(key);
      else this.set(key, frames.subarray(op.valueAt, op.valueAt + op.valueLen));
    }
  }

  #within({ start, end, reverse }: KeyRange): KeyValue[] {
    const inside = this.pairs.filter(
      ([key]) => (!start || compareBytes(key, start) >= 0) && (!end || compareBytes(key, end) < 0),
    );
    return reverse ? inside.reverse() : inside;
  }

  #find(key: Uint8Array): [at: number, isThere: boolean] {
    let low = 0;
    let high = this.pairs.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compareBytes((this.pairs[middle] as KeyValue)[0], key) < 0) low = middle + 1;
      else high = middle;
    }
    const found = this.pairs[low];
    return [low, found !== undefined && compareBytes(found[0], key) === 0];
  }
}

export class ArrayStores implements MultiStore {
  readonly names: readonly string[];

  constructor(protected readonly stores: ReadonlyMap<string, ArrayStore>) {
    this.names = [...stores.keys()].sort();
  }

  store(name: string): ArrayStore {
    const store = this.stores.get(name);
    if (!store) throw new UpgradeError("UPG_NOT_FOUND_STORE", `there is no store ${name}`);
    return store;
  }

  branch(): ArrayBranch {
    return new ArrayBranch(this);
  }
}

/** A copy of everything: slow, and beyond doubt. */
export class ArrayBranch extends ArrayStores implements CacheMultiStore {
  constructor(private readonly parent: ArrayStores) {
    super(new Map(parent.names.map((name) => [name, new ArrayStore(parent.store(name).pairs)])));
  }

  write(): void {
    for (const [name, store] of this.stores) this.parent.store(name).pairs = [...store.pairs];
  }

  discard(): void {
    for (const [name, store] of this.stores) store.pairs = [...this.parent.store(name).pairs];
  }
}
