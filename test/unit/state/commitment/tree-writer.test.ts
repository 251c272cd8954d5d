import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { fromHex, toHex } from "../../../../host/base/text/bytes.js";
import { chunkOf, type RootLink } from "../../../../host/state/commitment/chunk.js";
import { RoomOutput } from "../../../../host/state/commitment/node-room.js";
import { Tree } from "../../../../host/state/commitment/tree.js";
import { TreeWriter, type TreeWriterLimits } from "../../../../host/state/commitment/tree-writer.js";
import { MemoryChunks } from "../../../memory-chunks.js";
import { type RefNode, refGet, refHash, refNodes, refRemove, refSet } from "./reference-tree.js";
import { choices, EMPTY_ROOT, hasher, nodesOf, sha256 } from "./support.js";

/** A write: key and value in hex; no value removes. */
type Op = readonly [key: string, value: string | undefined];

const LIMITS: readonly (TreeWriterLimits | undefined)[] = [undefined, { nodes: 8, bytes: 256 }, { nodes: 2, bytes: 1 }];

/** A tree and its reference, version by version. */
class Pair {
  readonly chunks = new MemoryChunks();
  root: RootLink = EMPTY_ROOT;
  reference: RefNode | undefined;
  /** Ids that were ever given up. */
  readonly gone = new Set<number>();

  /** `looks`: reads each key before it is written. A writer that was not asked sets ascending keys in another way. */
  constructor(
    private readonly limits: TreeWriterLimits | undefined,
    private readonly looks = true,
  ) {}

  /** Makes a version of these writes in both and compares all there is to compare. */
  advance(version: number, ops: readonly Op[]): TreeWriter {
    const writer = new TreeWriter(this.chunks, this.chunks, hasher, this.root, version, this.limits);
    for (const op of ops) this.#apply(writer, version, op);
    const before = new Set(nodesOf(this.chunks, this.root).map(({ id }) => id));
    const root = writer.finish();
    const nodes = nodesOf(this.chunks, root);
    expect(toHex(root.hash)).toBe(refHash(this.reference).toString("hex"));
    expect([root.size, root.height]).toEqual([this.reference?.size ?? 0, this.reference?.height ?? 0]);
    const shape = ({ height, version, key, value }: RefNode) => [height, version, key, value];
    expect(nodes.map(({ height, version, key, value }) => [height, version, key, value])).toEqual(
      refNodes(this.reference).map(shape),
    );
    this.#compareOrphans(writer, before, new Set(nodes.map(({ id }) => id)));
    this.root = root;
    return writer;
  }

  #apply(writer: TreeWriter, version: number, [key, value]: Op): void {
    const bytes = fromHex(`ffff${key}ffff`); // the key is inside a larger buffer
    const keyLen = key.length / 2;
    const old = refGet(this.reference, key);
    if (this.looks) {
      const got = writer.get(bytes, 2, keyLen);
      expect(got && toHex(got)).toBe(old);
    }
    if (value === undefined) {
      expect(writer.remove(bytes, 2, keyLen)).toBe(old !== undefined);
      if (this.reference && old !== undefined) this.reference = refRemove(this.reference, key, version);
    } else {
      const frame = fromHex(`ee${value}`);
      expect(writer.set(bytes, 2, keyLen, frame, 1, value.length / 2)).toBe(old !== undefined);
      this.reference = refSet(this.reference, key, value, version);
    }
    expect(writer.isEmpty).toBe(this.reference === undefined);
  }

  #compareOrphans(writer: TreeWriter, before: ReadonlySet<number>, after: ReadonlySet<number>): void {
    const left = [...writer.orphans.sorted()];
    const orphans = new Set(left);
    expect(orphans.size).toBe(left.length); // no duplicates
    const visible = left.filter((id) => chunkOf(id) < writer.firstChunk);
    expect(new Set(visible)).toEqual(new Set([...before].filter((id) => !after.has(id))));
    for (const id of orphans) {
      expect(this.gone.has(id)).toBe(false);
      this.gone.add(id);
    }
    for (const id of after) expect(this.gone.has(id)).toBe(false);
    // Every node that this version made is either in the tree or an orphan that was never visible.
    const made = this.#madeFrom(writer.firstChunk);
    expect(made.filter((id) => !after.has(id) && !orphans.has(id))).toEqual([]);
  }

  #madeFrom(firstChunk: number): number[] {
    const ids: number[] = [];
    for (let number = firstChunk; number < this.chunks.nextChunk; number++) {
      const chunk = this.chunks.chunk(number);
      chunk.check(number);
      for (let slot = 0; slot < chunk.count; slot++) ids.push(number * 256 + slot);
    }
    return ids;
  }
}

const hexOf = (range: fc.Arbitrary<number>, bytes: number) => range.map((n) => n.toString(16).padStart(2 * bytes, "0"));

/** Few keys, so that most writes meet something; keys of several lengths, so that one is a prefix of another. */
const key = fc.oneof(hexOf(fc.nat(0x3f), 1), hexOf(fc.nat(0xff), 2), fc.constant("00".repeat(300)));
const op: fc.Arbitrary<Op> = fc.oneof(
  { weight: 5, arbitrary: fc.tuple(key, fc.uint8Array({ maxLength: 4 }).map(toHex)) },
  { weight: 3, arbitrary: fc.tuple(key, fc.constant(undefined)) },
);
const arranged = fc
  .tuple(fc.array(op, { maxLength: 60 }), fc.constantFrom("as drawn", "ascending", "descending"))
  .map(([ops, order]) => {
    if (order === "as drawn") return ops;
    const sorted = ops.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
    return order === "ascending" ? sorted : sorted.toReversed();
  });

describe("TreeWriter", () => {
  for (const limits of LIMITS) {
    const name = limits ? `at most ${limits.nodes} nodes in hand` : "default limits";
    test(`any history → the reference's trees, and exact orphans, with ${name} (property)`, () => {
      fc.assert(
        fc.property(fc.array(arranged, { minLength: 1, maxLength: 8 }), (versions) => {
          const pair = new Pair(limits);
          versions.forEach((ops, index) => {
            pair.advance(index + 1, ops);
          });
        }),
        { numRuns: 120 },
      );
    });
  }

  test("runs of ascending writes into any tree, one after the other → the reference's trees (property)", () => {
    const near = fc.nat(600).map((n) => n.toString(16).padStart(4, "0"));
    const run = fc
      .tuple(fc.array(fc.tuple(near, fc.nat(9)), { maxLength: 150 }), fc.nat(10))
      .map(([drawn, removals]) =>
        drawn
          .toSorted(([a], [b]) => (a < b ? -1 : 1))
          .map(([key, n]): Op => [key, n < removals - 4 ? undefined : key.slice(n & 2)]),
      );
    const versions = fc.array(fc.array(run, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(versions, fc.constantFrom(...LIMITS), (versions, limits) => {
        const pair = new Pair(limits, false);
        versions.forEach((runs, index) => {
          pair.advance(index + 1, runs.flat());
        });
      }),
      { numRuns: 150 },
    );
  });

  test("without Wasm SIMD → the same chunks, byte for byte (property)", () => {
    const long = fc.constantFrom("01".repeat(950), "02".repeat(990), "03".repeat(1_100), "04".repeat(20_000));
    const value = fc.constantFrom("", "aa", "bb".repeat(1_024), "cc".repeat(1_025), "dd".repeat(40_000));
    const key = fc.oneof({ weight: 8, arbitrary: fc.nat(999).map((n) => n.toString(16).padStart(4, "0")) }, long);
    const ops = fc.array(fc.tuple(key, fc.option(value, { nil: undefined, freq: 4 })), { minLength: 1, maxLength: 80 });
    const chunksOf = (versions: readonly (readonly Op[])[], limits: TreeWriterLimits | undefined): string[] => {
      const pair = new Pair(limits, false);
      versions.forEach((each, index) => {
        pair.advance(2 ** (8 * index) + 1, each);
      });
      const numbers = Array.from({ length: pair.chunks.nextChunk - 1 }, (_, i) => i + 1);
      return numbers.map((number) => toHex(sha256(pair.chunks.chunk(number).bytes)));
    };
    fc.assert(
      fc.property(fc.array(ops, { maxLength: 5 }), fc.constantFrom(...LIMITS), (versions, limits) => {
        const inRoom = chunksOf(versions, limits);
        const open = vi.spyOn(RoomOutput, "open").mockReturnValue(undefined);
        const inScript = chunksOf(versions, limits);
        expect(open).toHaveBeenCalledTimes(versions.length);
        open.mockRestore();
        expect(inScript).toEqual(inRoom);
      }),
      { numRuns: 60 },
    );
  });

  test("long histories over 2,000 keys, growing, changing and shrinking → the reference's trees", () => {
    for (const limits of LIMITS.slice(0, 2)) {
      const choose = choices(limits ? 1 : 2);
      const pair = new Pair(limits);
      for (let version = 1; version <= 12; version++) {
        const shrinks = version > 6;
        const ops = Array.from({ length: 400 }, (): Op => {
          const drawn = choose(2_000).toString(16).padStart(4, "0");
          return [drawn, choose(10) < (shrinks ? 8 : 2) ? undefined : drawn.slice(choose(4) & 2)];
        });
        pair.advance(version, version % 2 === 0 ? ops.toSorted(([a], [b]) => (a < b ? -1 : 1)) : ops);
      }
    }
  });

  test("removing every key, from either end or the middle → the empty tree; then it grows again", () => {
    for (const limits of LIMITS) {
      for (const order of [1, -1, 0]) {
        const pair = new Pair(limits);
        const keys = Array.from({ length: 100 }, (_, i) => i.toString(16).padStart(4, "0"));
        pair.advance(
          5,
          keys.map((k) => [k, k] as const),
        );
        const choose = choices(3);
        const sorted = keys.toSorted((a, b) => (order === 0 ? choose(3) - 1 : a < b ? -order : order));
        pair.advance(
          6,
          sorted.map((k) => [k, undefined] as const),
        );
        expect(pair.root).toMatchObject({ id: 0, size: 0, height: 0 });
        expect(pair.advance(7, [["aa", "bb"]]).orphans.length).toBe(0);
      }
    }
  });

  test("a version without writes, or with removals of absent keys → the same root, nothing made", () => {
    const pair = new Pair(undefined);
    pair.advance(1, [
      ["01", "aa"],
      ["03", "bb"],
    ]);
    const { root } = pair;
    const next = pair.chunks.nextChunk;
    pair.advance(2, []);
    pair.advance(3, [
      ["02", undefined],
      ["04", undefined],
    ]);
    expect(pair.root).toEqual(root);
    expect(pair.chunks.nextChunk).toBe(next);
  });

  test("set() with the value that is there → a new leaf, a new root", () => {
    const pair = new Pair(undefined);
    pair.advance(1, [["01", "aa"]]);
    const before = toHex(pair.root.hash);
    pair.advance(2, [["01", "aa"]]);
    expect(toHex(pair.root.hash)).not.toBe(before);
  });

  test("keys of 65,535 bytes and values of 1 MiB, with default and with tiny limits", () => {
    const long = (first: string) => first + "7f".repeat(65_534);
    const large = "ab".repeat(1_048_576);
    for (const limits of LIMITS.slice(0, 2)) {
      const pair = new Pair(limits);
      pair.advance(1, [
        [long("01"), "01"],
        [long("03"), large],
        [long("02"), ""],
        ["00", large],
      ]);
      pair.advance(2, [
        [long("01"), undefined],
        ["00", "02"],
      ]);
      const tree = new Tree(pair.chunks, pair.root);
      expect(tree.get(fromHex(long("03")))?.length).toBe(1_048_576);
    }
  });

  test("versions are int64 in hashes: 2^40 hashes as the reference does", () => {
    const pair = new Pair(undefined);
    pair.advance(2 ** 40, [
      ["01", "aa"],
      ["02", "bb"],
    ]);
    pair.advance(2 ** 40 + 1, [["03", "cc"]]);
  });
});
