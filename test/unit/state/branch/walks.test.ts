import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fromHex, toHex, utf8 } from "../../../../host/base/text/bytes.js";
import type { KVStore } from "../../../../host/base/types/types.js";
import { CacheKVStore } from "../../../../host/state/branch/kv/cache-kv.js";
import { FrameCursor } from "../../../../host/state/branch/kv/frames.js";
import { MemoryKVStore } from "../../../../host/state/branch/kv/memory-kv.js";
import { PrefixStore } from "../../../../host/state/branch/kv/prefix-kv.js";
import { MemorySpill } from "../../../../host/state/branch/spill/memory-spill.js";
import { SpillSpace } from "../../../../host/state/branch/spill/spill-space.js";
import { pairsOf } from "../../../suite/kv-store.js";

/** Walks over stores that are written to meanwhile: the walk goes on after the last pair, over what is there then. */

function filled(...keys: string[]): MemoryKVStore {
  const store = new MemoryKVStore();
  for (const key of keys) store.set(utf8(key), utf8(`parent ${key}`));
  return store;
}

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

/** Pairs of a walk, with a write after each. */
function walk(store: KVStore, reverse: boolean, after: (key: string) => void): string[] {
  const seen: string[] = [];
  for (const [key, value] of store.iterate({ reverse })) {
    seen.push(`${text(key)}=${text(value)}`);
    after(text(key));
  }
  return seen;
}

describe("iterate() over a branch, while it is written to", () => {
  test("a pair of the branch that lies next is deleted → not shown", () => {
    for (const [parentKey, branchKey, reverse] of [
      ["a", "b", false],
      ["b", "a", true],
    ] as const) {
      const branch = new CacheKVStore(filled(parentKey));
      branch.set(utf8(branchKey), utf8("branch"));
      const seen = walk(branch, reverse, () => branch.delete(utf8(branchKey)));
      expect(seen).toEqual([`${parentKey}=parent ${parentKey}`]);
    }
  });

  test("a pair of the branch that lies next gets a shorter, an equal or a longer value → the new value", () => {
    for (const value of ["", "short", "branch b", "a longer value than before"]) {
      const branch = new CacheKVStore(filled("a", "c"));
      branch.set(utf8("b"), utf8("branch b"));
      const seen = walk(branch, false, () => branch.set(utf8("b"), utf8(value)));
      expect(seen).toEqual(["a=parent a", `b=${value}`, "c=parent c"]);
    }
  });

  test("a deletion that lies next is set again → shown", () => {
    const branch = new CacheKVStore(filled("a", "b", "c"));
    branch.delete(utf8("b"));
    const seen = walk(branch, false, (key) => key === "a" && branch.set(utf8("b"), utf8("again")));
    expect(seen).toEqual(["a=parent a", "b=again", "c=parent c"]);
  });

  test("a child branch writes into it → the walk goes on, whether the branch had writes of its own or not", () => {
    for (const touched of [false, true]) {
      const branch = new CacheKVStore(filled("a", "c", "e"));
      if (touched) branch.set(utf8("z"), utf8("own"));
      const seen = walk(branch, false, (key) => {
        const child = branch.branch();
        if (key === "a") child.set(utf8("b"), utf8("child"));
        if (key === "a") child.delete(utf8("c"));
        if (key === "b") child.set(utf8("a"), utf8("behind"));
        child.write();
      });
      expect(seen).toEqual(["a=parent a", "b=child", "e=parent e", ...(touched ? ["z=own"] : [])]);
    }
  });

  test("any interleaving of steps and writes → the next pair of the store as it then is (property)", () => {
    const key = fc.uint8Array({ minLength: 1, maxLength: 2, max: 3 });
    const value = fc.uint8Array({ maxLength: 4 });
    const write = fc.tuple(key, fc.option(value, { nil: undefined }));
    const phase = fc.array(write, { maxLength: 3 });
    const initial = fc.array(fc.tuple(key, value), { maxLength: 12 });
    const depth = fc.constantFrom("memory", "branch", "branch of a branch", "prefix of a branch", ...SPILLING);
    fc.assert(
      fc.property(
        depth,
        initial,
        phase,
        fc.array(phase, { maxLength: 25 }),
        fc.boolean(),
        (kind, base, own, rounds, reverse) => {
          const store = make(kind, base);
          const model = new Map(base.map(([k, v]) => [toHex(k), toHex(v)]));
          const apply = (writes: readonly (readonly [Uint8Array, Uint8Array | undefined])[]) => {
            for (const [k, v] of writes) {
              if (v) store.set(k, v);
              else store.delete(k);
              if (v) model.set(toHex(k), toHex(v));
              else model.delete(toHex(k));
            }
          };
          apply(own);
          const pairs = store.iterate({ reverse });
          let last: string | undefined;
          for (const writes of [...rounds, ...Array.from({ length: 20 }, () => [])]) {
            const ahead = [...model.keys()].filter((k) => last === undefined || (reverse ? k < last : k > last)).sort();
            const expected = reverse ? ahead.at(-1) : ahead[0];
            const next = pairs.next();
            if (expected === undefined) {
              expect(next.done).toBe(true);
              return;
            }
            if (next.done) throw new Error(`the walk ended before ${expected}`);
            expect(next.value.map(toHex)).toEqual([expected, model.get(expected)]);
            last = expected;
            apply(writes);
          }
        },
      ),
      { numRuns: 1_200 },
    );
  });
});

/** Branches that put each write aside, or some of them together. */
const SPILLING = ["spill 0", "spill 50", "spill 120"];

function make(kind: string, base: readonly (readonly [Uint8Array, Uint8Array])[]): KVStore {
  const parent = new MemoryKVStore();
  if (SPILLING.includes(kind)) parent.spill = new SpillSpace(new MemorySpill(), Number(kind.slice(6)));
  const prefix = kind === "prefix of a branch" ? "70" : "";
  for (const [key, value] of base) parent.set(fromHex(prefix + toHex(key)), value);
  if (kind === "memory") return parent;
  const branch = new CacheKVStore(parent);
  if (kind === "branch of a branch") return branch.branch();
  return prefix ? new PrefixStore(branch, fromHex(prefix)) : branch;
}

describe("scan() while the store is written to between two reads", () => {
  test("the pair that did not fit is changed or deleted → read as it then is", () => {
    const writes = [
      { value: "x", expected: ["b=x"] },
      { value: "a value that is longer", expected: ["b=a value that is longer"] },
      { value: undefined, expected: ["c=parent c"] },
    ];
    for (const { value, expected } of writes) {
      for (const store of [filled("a", "b", "c"), new CacheKVStore(filled("a", "b", "c"))]) {
        store.set(utf8("b"), utf8("middle"));
        const scan = store.scan();
        const out = new Uint8Array(30);
        expect(framesIn(out, scan.read(out))).toEqual(["a=parent a"]);
        if (value === undefined) store.delete(utf8("b"));
        else store.set(utf8("b"), utf8(value));
        const room = new Uint8Array(40);
        expect(framesIn(room, scan.read(room)).slice(0, 1)).toEqual(expected);
      }
    }
  });

  test("after the end → 0 again and again", () => {
    const scan = new CacheKVStore(filled("a")).scan();
    const out = new Uint8Array(100);
    expect([scan.read(out), scan.read(out), scan.read(out)]).toEqual([17, 0, 0]);
  });
});

function framesIn(bytes: Uint8Array, filledBytes: number): string[] {
  const frame = new FrameCursor(bytes, filledBytes);
  const pairs: string[] = [];
  while (frame.step()) {
    const { keyAt, keyLen, valueAt, valueLen } = frame;
    pairs.push(`${text(bytes.slice(keyAt, keyAt + keyLen))}=${text(bytes.slice(valueAt, valueAt + valueLen))}`);
  }
  return pairs;
}

describe("write() and discard()", () => {
  test("a walk over the parent's parent sees what two levels of branches write", () => {
    const store = new MemoryKVStore();
    const outer = new CacheKVStore(store);
    const inner = outer.branch();
    inner.set(utf8("a"), utf8("1"));
    inner.write();
    inner.set(utf8("b"), utf8("2"));
    inner.write();
    expect(pairsOf(outer)).toEqual(["61=31", "62=32"]);
    outer.discard();
    outer.write();
    expect(pairsOf(store)).toEqual([]);
    expect(pairsOf(inner)).toEqual([]);
  });
});
