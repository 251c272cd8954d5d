/** The event index against a list of all that was put: searches in both orders, merging, taking back, pruning. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sha256 } from "../../../../host/base/native/sha256.js";
import { bigEndian64, concatBytes, utf8 } from "../../../../host/base/text/bytes.js";
import type { BlockResults } from "../../../../host/node/blocks/block-results.js";
import { IndexAudit } from "../../../../host/node/index/audit-index.js";
import type { IndexSettings } from "../../../../host/node/index/index-settings.js";
import { PostingRuns, RUN_ENTRIES_MAX } from "../../../../host/node/index/posting-runs.js";
import { BLOCK_PLACE, PostingList, type TxPlace } from "../../../../host/node/index/postings.js";
import { TxIndex } from "../../../../host/node/index/tx-index.js";
import type { Database } from "../../../../host/state/store/disk/database.js";
import { MemoryDatabase } from "../../../../host/state/store/disk/memory-database.js";
import { everyKey } from "../../../../host/state/store/versions/audit.js";
import { code } from "../../state/store/support.js";

const NOTHING = Uint8Array.of(0);
const ALL = { low: 1n, high: 10_000n };

interface Made {
  readonly height: bigint;
  readonly hashes: readonly Uint8Array[];
  readonly results: BlockResults;
}

const event = (value: string) => ({ type: "transfer", attributes: [{ key: "to", value }] });
const hashOf = (height: bigint, index: number) => sha256(concatBytes(bigEndian64(height), Uint8Array.of(index)));
const condition = (value: string) => ({ key: "transfer.to", operator: "=" as const, value });

/** A block whose transactions have these values; the last of the list are the block's own. */
function block(height: bigint, txs: readonly (readonly string[])[], own: readonly string[]): Made {
  const result = (values: readonly string[]) => ({
    ...{ code: 0, codespace: "", data: NOTHING, log: "", gasWanted: 0n, gasUsed: 0n },
    events: values.map(event),
  });
  const hashes = txs.map((_, index) => hashOf(height, index));
  return { height, hashes, results: { txResults: txs.map(result), events: own.map(event), validatorUpdates: [] } };
}

class Model {
  readonly database = new MemoryDatabase();
  readonly index: TxIndex;
  readonly made: Made[] = [];
  lowest = 1n;

  constructor(settings?: IndexSettings) {
    this.index = new TxIndex(this.database, sha256, settings);
  }

  add(made: Made): void {
    this.database.transaction((batch) => this.index.put(batch, made.height, made.hashes, made.results));
    this.made.push(made);
  }

  rollBack(): void {
    const last = this.made.pop() as Made;
    this.database.transaction((batch) => this.index.removeLast(batch, last.height, last.hashes.length));
  }

  prune(base: bigint): void {
    this.database.transaction((batch) => {
      for (; this.lowest < base; this.lowest++) {
        const old = this.made.shift() as Made;
        this.index.removeOld(batch, old.height, old.hashes.length);
      }
      this.index.removeBelow(batch, base);
    });
  }

  places(value: string): TxPlace[] {
    return this.made.flatMap(({ height, results }) => {
      const has = (events: BlockResults["events"]) =>
        events.some(({ attributes }) => attributes.some((attribute) => attribute.value === value));
      const found = results.txResults.flatMap(({ events }, index) => (has(events) ? [{ height, index }] : []));
      return has(results.events) ? [...found, { height, index: BLOCK_PLACE }] : found;
    });
  }

  found(value: string, range: { low: bigint; high: bigint }, isDescending: boolean): TxPlace[] {
    const low = [range.low, this.lowest].sort((a, b) => Number(a - b)).at(-1) as bigint;
    return [...this.index.places(condition(value), { ...range, low }, isDescending)].filter(
      (each) => each !== undefined,
    );
  }

  /** Every record is accounted for. */
  audit(): IndexAudit {
    const audit = new IndexAudit(this.database, sha256, this.lowest);
    for (const { height, hashes, results } of this.made) audit.block(height, hashes, results);
    audit.end();
    expect(keysOf(this.database)).toBe(audit.records);
    return audit;
  }
}

const keysOf = (database: Database) => [...everyKey(database, Uint8Array.of(0), Uint8Array.of(0xff))].length;

const value = fc.integer({ min: 0, max: 30 }).map((n) => `v${n}`);
const values = fc.array(value, { maxLength: 3 });
const step = fc.oneof(
  { weight: 40, arbitrary: fc.record({ txs: fc.array(values, { maxLength: 5 }), own: values }) },
  { weight: 3, arbitrary: fc.constant("back" as const) },
  { weight: 1, arbitrary: fc.constant("prune" as const) },
);

describe("TxIndex", () => {
  test("blocks of random events, some taken back, some pruned → what a list finds", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 150 }), (steps) => {
        const model = new Model();
        for (const each of steps) {
          const height = (model.made.at(-1)?.height ?? model.lowest - 1n) + 1n;
          if (each === "back") {
            if (model.made.length > 1) model.rollBack();
          } else if (each === "prune") {
            if (model.made.length > 40) model.prune(model.lowest + 30n);
          } else model.add(block(height, each.txs, each.own));
        }
        model.audit();
        const last = model.made.at(-1)?.height ?? 0n;
        for (const name of ["v0", "v7", "v30", "absent"]) {
          const all = model.places(name);
          expect(model.found(name, ALL, false)).toEqual(all);
          expect(model.found(name, ALL, true)).toEqual([...all].reverse());
          const range = { low: last / 3n, high: last / 2n };
          const some = all.filter(({ height }) => height >= range.low && height <= range.high);
          expect(model.found(name, range, false)).toEqual(some);
          expect(model.found(name, range, true)).toEqual([...some].reverse());
          for (const { height } of model.made.slice(-40)) {
            for (const index of [0, 3, BLOCK_PLACE]) {
              const isThere = all.some((place) => place.height === height && place.index === index);
              expect(model.index.has(condition(name), { height, index })).toBe(isThere);
            }
          }
        }
        for (const { height, hashes } of model.made) {
          for (const [index, hash] of hashes.entries()) expect(model.index.find(hash)).toEqual({ height, index });
        }
        expect(model.index.find(hashOf(9_999n, 0))).toBeUndefined();
      }),
      { numRuns: 40 },
    );
  });

  test("blocks without a record of the layout, or with one of another → UPG_STORE_VERSION_MISMATCH", () => {
    const model = new Model();
    model.add(block(2n, [["v1"]], []));
    expect(model.index.history.at(2n)).toEqual({ indexer: "kv", events: [] });
    expect(() => model.index.history.at(1n)).toThrow(code("UPG_STORE_VERSION_MISMATCH"));
    const key = concatBytes(Uint8Array.of(0x62, 0x76), bigEndian64(2n));
    model.database.transaction((batch) => batch.put(key, utf8("3\nkv")));
    expect(() => model.index.history.at(2n)).toThrow(/layout of the event index is 3, for kv/);
  });

  test("a search that waits while runs are merged under it → each place once, none left out", () => {
    for (const isDescending of [true, false]) {
      const model = new Model();
      const add = (count: number) => {
        for (let at = 0; at < count; at++) model.add(block(BigInt(model.made.length + 1), [["v1"]], []));
      };
      add(200);
      const before = model.places("v1").map(({ height }) => height);
      const found: bigint[] = [];
      for (const place of model.index.places(condition("v1"), { low: 1n, high: 200n }, isDescending)) {
        if (place) found.push(place.height);
        else add(7);
      }
      expect(isDescending ? found.reverse() : found).toEqual(before);
    }
  });

  test("index-events → these alone; indexer null → nothing; a change → each block by what held for it", () => {
    const model = new Model({ indexer: "kv", events: ["transfer.from"] });
    model.add(block(1n, [["v1"]], ["v1"]));
    expect(model.found("v1", ALL, false)).toEqual([]);
    expect(model.index.find(hashOf(1n, 0))).toEqual({ height: 1n, index: 0 });
    const off = new TxIndex(model.database, sha256, { indexer: "null", events: [] });
    const second = block(2n, [["v1"]], []);
    model.database.transaction((batch) => off.put(batch, 2n, second.hashes, second.results));
    model.made.push(second);
    expect(model.index.find(hashOf(2n, 0))).toBeUndefined();
    const all = new TxIndex(model.database, sha256);
    const third = block(3n, [["v1"]], []);
    model.database.transaction((batch) => all.put(batch, 3n, third.hashes, third.results));
    model.made.push(third);
    expect(model.found("v1", ALL, false)).toEqual([{ height: 3n, index: 0 }]);
    expect(model.index.history.count()).toBe(3);
    model.audit();
    model.rollBack();
    expect(model.index.history.count()).toBe(2);
    model.audit();
  });

  test("a block with more values than runs are merged up to → a run of its own with buckets", () => {
    const database = new MemoryDatabase();
    const runs = new PostingRuns(database, { directory: "p", buckets: "q", digestBytes: 12 });
    const digestOf = (n: number) => sha256(bigEndian64(BigInt(n))).slice(0, 12);
    const postings = (from: number, count: number) => {
      const list = new PostingList();
      for (let n = from; n < from + count; n++) list.add(digestOf(n), 0);
      return list.sorted();
    };
    const put = (height: bigint, from: number, count: number) =>
      database.transaction((batch) => runs.put(batch, height, postings(from, count)));
    put(1n, 0, RUN_ENTRIES_MAX);
    for (let height = 2n; height <= 40n; height++) put(height, Number(height), 3);
    expect([...runs.all()].map(({ level, low, high }) => [level, low, high])).toEqual([
      [0, 1n, 1n],
      [1, 2n, 17n],
      [1, 18n, 33n],
      ...Array.from({ length: 7 }, (_, at) => [0, BigInt(34 + at), BigInt(34 + at)]),
    ]);
    const found = [...runs.places(digestOf(40), { low: 1n, high: 40n }, false)].filter((place) => place !== undefined);
    expect(found.map(({ height }) => height)).toEqual([1n, 38n, 39n, 40n]);
  });
});

describe("IndexAudit", () => {
  const damaged = (change: (model: Model, run: Uint8Array) => void) => {
    const model = new Model();
    for (let height = 1n; height <= 20n; height++) model.add(block(height, [["v1"], ["v2"]], []));
    const [run] = [...model.index.events.all()];
    change(model, run?.key as Uint8Array);
    return () => model.audit();
  };

  test.each<[string, (model: Model, run: Uint8Array) => void]>([
    ["a run is missing", (model, run) => model.database.transaction((batch) => batch.remove(run))],
    ["a run is cut short", (model, run) => model.database.transaction((batch) => batch.put(run, NOTHING))],
    [
      "a place is another",
      (model, run) => {
        const bytes = (model.database.get(run) as Uint8Array).slice();
        bytes[bytes.length - 1] = (bytes.at(-1) as number) + 5;
        model.database.transaction((batch) => batch.put(run, bytes));
      },
    ],
    ["a block's entries are of no block", (model) => void model.made.pop()],
  ])("%s → UPG_STORE_CORRUPT", (_, change) => {
    expect(damaged(change)).toThrow(code("UPG_STORE_CORRUPT"));
  });
});
