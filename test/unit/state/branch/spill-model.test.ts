/** Where a branch puts its writes aside, merges and reads them is not observable: a plain Map is the model. */
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compareBytes, fromHex, toHex } from "../../../../host/base/text/bytes.js";
import { CacheKVStore } from "../../../../host/state/branch/kv/cache-kv.js";
import { MemoryKVStore } from "../../../../host/state/branch/kv/memory-kv.js";
import { SpillSpace } from "../../../../host/state/branch/spill/spill-space.js";
import { SpillFolder } from "../../../../host/state/store/disk/lmdb-spill.js";
import { framesOf } from "../../../suite/kv-store.js";
import { temporaryDirectory } from "../store/support.js";

/** Short ones, and long ones that differ after what an index keeps of a key. */
const key = fc
  .tuple(fc.nat(60), fc.constantFrom(0, 0, 31, 32, 33, 63, 64, 65, 3_000))
  .map(([n, prefix]) => Uint8Array.from([...new Uint8Array(prefix).fill(7), n >> 3, n & 7]));
/** Also such as are kept apart from their records. */
const value = fc
  .tuple(fc.nat(255), fc.constantFrom(0, 1, 20, 4_096, 4_097, 9_000))
  .map(([byte, length]) => new Uint8Array(length).fill(byte));
const write = fc.tuple(key, fc.option(value, { nil: undefined, freq: 4 }));

describe("a branch whose writes are spilled to files", () => {
  test("any program of writes, gets and walks at any limit of memory → as a Map has it (property)", () => {
    const folder = new SpillFolder(join(temporaryDirectory(), "spill"), { reserveBytes: 0 });
    const limit = fc.constantFrom(1, 200, 3_000, 20_000, 1e9);
    fc.assert(
      fc.property(
        limit,
        fc.array(write, { maxLength: 400 }),
        fc.array(key, { maxLength: 6 }),
        (bytes, writes, asked) => {
          const parent = new MemoryKVStore();
          parent.spill = new SpillSpace(folder, bytes);
          const branch = new CacheKVStore(parent);
          const model = new Map<string, string>();
          for (const [k, v] of writes) {
            if (v) branch.set(k, v);
            else branch.delete(k);
            if (v) model.set(toHex(k), toHex(v));
            else model.delete(toHex(k));
          }
          const sorted = [...model].sort(([a], [b]) => compareBytes(fromHex(a), fromHex(b)));
          const pairs = sorted.map(([k, v]) => `${k}=${v}`);
          expect(framesOf(branch, {}, 300)).toEqual(pairs);
          const back = Array.from(branch.iterate({ reverse: true }), ([k, v]) => `${toHex(k)}=${toHex(v)}`);
          expect(back).toEqual(pairs.toReversed());
          for (const k of [...asked, ...writes.slice(0, 30).map(([each]) => each)]) {
            const found = branch.get(k);
            expect(found && toHex(found)).toBe(model.get(toHex(k)));
            const at = sorted.findIndex(([each]) => compareBytes(fromHex(each), k) >= 0);
            expect(framesOf(branch, { start: k }, 12_000)).toEqual(at < 0 ? [] : pairs.slice(at));
            const below = at < 0 ? pairs : pairs.slice(0, at);
            const walk = branch.iterate({ end: k, reverse: true });
            expect(Array.from(walk, ([a, v]) => `${toHex(a)}=${toHex(v)}`)).toEqual(below.toReversed());
          }
          branch.discard();
          expect(folder.bytes).toBe(0);
        },
      ),
      { numRuns: 60 },
    );
  });
});
