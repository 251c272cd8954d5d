import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isUpgradeError } from "../../../../host/base/errors/errors.js";
import { equalBytes, utf8 } from "../../../../host/base/text/bytes.js";
import { writeU32 } from "../../../../host/base/wire/u32.js";
import {
  Chunk,
  type ChunkSource,
  ChunkWriter,
  chunkOf,
  LEAF_HEADER_BYTES,
  readU16,
  readU48,
  SLOTS_PER_CHUNK,
  slotOf,
  writeU16,
  writeU48,
} from "../../../../host/state/commitment/chunk.js";
import { NodeView, Tree } from "../../../../host/state/commitment/tree.js";
import { TreeWriter } from "../../../../host/state/commitment/tree-writer.js";
import { MemoryChunks } from "../../../memory-chunks.js";
import { code, EMPTY_ROOT, hasher } from "./support.js";

/** Adds a leaf with key and value. */
function addLeaf(writer: ChunkWriter, key: Uint8Array, value: Uint8Array): void {
  const at = writer.add(LEAF_HEADER_BYTES + key.length + value.length);
  writer.bytes[at] = 0;
  writeU16(writer.bytes, at + 1, key.length);
  writeU32(writer.bytes, at + 3, value.length);
  writer.bytes.set(key, at + LEAF_HEADER_BYTES);
  writer.bytes.set(value, at + LEAF_HEADER_BYTES + key.length);
}

/** Views the node in a slot of a chunk, as readers do. */
function viewOf(chunk: Chunk, slot: number): NodeView {
  const source: ChunkSource = { chunk: () => chunk };
  return new NodeView(source).go(SLOTS_PER_CHUNK + slot);
}

function leafOf(chunk: Chunk, slot: number): [Uint8Array, Uint8Array] {
  const { bytes, keyAt, keyLen, valueAt, valueLen } = viewOf(chunk, slot);
  return [bytes.slice(keyAt, keyAt + keyLen), bytes.slice(valueAt, valueAt + valueLen)];
}

/** The first chunk of a tree with these many keys. */
function chunkOfTree(keys: number): Uint8Array {
  const chunks = new MemoryChunks();
  const writer = new TreeWriter(chunks, chunks, hasher, EMPTY_ROOT, 7);
  for (let i = 0; i < keys; i++) writer.set(Uint8Array.of(i), 0, 1, utf8(`value ${i}`), 0, 7);
  writer.finish();
  return chunks.chunk(1).bytes.slice();
}

describe("ids and integers", () => {
  test("chunkOf() and slotOf() → the parts of an id, up to 2^48", () => {
    for (const [chunk, slot] of [
      [1, 0],
      [1, 255],
      [2 ** 40 - 1, 255],
    ] as const) {
      const id = chunk * SLOTS_PER_CHUNK + slot;
      expect([chunkOf(id), slotOf(id)]).toEqual([chunk, slot]);
    }
  });

  test("writeU48() then readU48(), writeU16() then readU16() → the number", () => {
    const bytes = new Uint8Array(8).fill(0xff);
    for (const value of [0, 1, 0xffff_ffff, 2 ** 32, 2 ** 40 + 5, 2 ** 48 - 1]) {
      writeU48(bytes, 1, value);
      expect(readU48(bytes, 1)).toBe(value);
    }
    writeU16(bytes, 0, 0xfffe);
    expect(readU16(bytes, 0)).toBe(0xfffe);
  });
});

describe("ChunkWriter", () => {
  test("isFull() after 256 nodes → true, and the chunk reads back", () => {
    const writer = new ChunkWriter();
    for (let i = 0; i < SLOTS_PER_CHUNK; i++) {
      expect(writer.isFull(20)).toBe(false);
      addLeaf(writer, Uint8Array.of(i), Uint8Array.of(i, i));
    }
    expect(writer.isFull(1)).toBe(true);
    const chunk = new Chunk(writer.finish(9).slice());
    chunk.check(1);
    expect([chunk.count, chunk.version]).toEqual([256, 9]);
    for (let i = 0; i < SLOTS_PER_CHUNK; i++) {
      expect(leafOf(chunk, i)).toEqual([Uint8Array.of(i), Uint8Array.of(i, i)]);
    }
    expect(() => chunk.at(256)).toThrow(code("UPG_STORE_CORRUPT"));
  });

  test("isFull() → never for the first node, however large; a chunk of several never passes four pages", () => {
    const writer = new ChunkWriter();
    const large = new Uint8Array(1_048_576).fill(5);
    expect(writer.isFull(large.length + 8)).toBe(false);
    addLeaf(writer, Uint8Array.of(1), large);
    expect(writer.isFull(1)).toBe(true);
    const chunk = new Chunk(writer.finish(1).slice());
    chunk.check(1);
    expect(equalBytes(leafOf(chunk, 0)[1], large)).toBe(true);
    // The same writer goes on with an ordinary chunk.
    while (!writer.isFull(LEAF_HEADER_BYTES + 301)) addLeaf(writer, Uint8Array.of(2), new Uint8Array(300));
    const next = writer.finish(2);
    expect(next.length).toBeLessThanOrEqual(16_360);
    expect(next.length).toBeGreaterThan(16_000);
    new Chunk(next).check(1);
  });

  test("finish() → the writer is empty again, versions up to 2^53 - 1", () => {
    const writer = new ChunkWriter();
    addLeaf(writer, utf8("k"), utf8("v"));
    expect(new Chunk(writer.finish(Number.MAX_SAFE_INTEGER).slice()).version).toBe(Number.MAX_SAFE_INTEGER);
    expect(writer.count).toBe(0);
    expect(new Chunk(writer.finish(1).slice()).count).toBe(0);
  });
});

describe("Chunk", () => {
  test("without() → the named nodes are gone, the others keep slot, bytes and version", () => {
    const whole = new Chunk(chunkOfTree(60));
    const before = Array.from({ length: whole.count }, (_, slot) => viewOf(whole, slot));
    const fewer = new Chunk(whole.without((slot) => slot % 3 === 0).slice());
    fewer.check(1);
    expect([fewer.count, fewer.version]).toEqual([whole.count, 7]);
    expect(fewer.bytes.length).toBeLessThan(whole.bytes.length);
    before.forEach((node, slot) => {
      expect(fewer.has(slot)).toBe(slot % 3 !== 0);
      if (slot % 3 === 0) expect(() => fewer.at(slot)).toThrow(code("UPG_STORE_CORRUPT"));
      else expect(viewOf(fewer, slot)).toMatchObject({ height: node.height, keyLen: node.keyLen });
    });
    const again = new Chunk(fewer.without((slot) => slot < 50).slice());
    expect(Array.from({ length: again.count }, (_, slot) => again.has(slot))).toEqual(
      before.map((_, slot) => slot % 3 !== 0 && slot >= 50),
    );
    expect(new Chunk(again.without(() => true).slice()).count).toBe(whole.count);
  });

  test("new Chunk() with a malformed header → UPG_STORE_CORRUPT", () => {
    const good = chunkOfTree(3);
    const changed = (at: number, byte: number) => good.map((old, i) => (i === at ? byte : old));
    for (const bytes of [new Uint8Array(), good.slice(0, 11), changed(0, 0), changed(0, 3), changed(3, 2)]) {
      expect(() => new Chunk(bytes)).toThrow(code("UPG_STORE_CORRUPT"));
    }
    expect(() => new Chunk(changed(2, 255).slice(0, 40))).toThrow(code("UPG_STORE_CORRUPT"));
  });

  test("check() with a node outside its chunk, or a child that is not older → UPG_STORE_CORRUPT", () => {
    const good = chunkOfTree(2); // slots: leaf, leaf, inner
    const inner = new Chunk(good).at(2);
    const offsets = good.length - 6;
    const changed = (write: (bytes: Uint8Array) => void) => {
      const bytes = good.slice();
      write(bytes);
      return new Chunk(bytes);
    };
    const own = SLOTS_PER_CHUNK + 2;
    new Chunk(good).check(1);
    const bad = [
      changed((bytes) => writeU16(bytes, offsets, 11)),
      changed((bytes) => writeU16(bytes, offsets, offsets)),
      changed((bytes) => writeU16(bytes, offsets, offsets - 3)),
      changed((bytes) => writeU16(bytes, offsets, 0xffff)),
      changed((bytes) => writeU16(bytes, inner + 1, 2_000)),
      changed((bytes) => writeU32(bytes, new Chunk(good).at(0) + 3, 0xffff_ffff)),
      ...[0, own, own + 1, 2 ** 48 - 1].flatMap((child) => [
        changed((bytes) => writeU48(bytes, inner + 3, child)),
        changed((bytes) => writeU48(bytes, inner + 48, child)),
      ]),
    ];
    for (const chunk of bad) expect(() => chunk.check(1)).toThrow(code("UPG_STORE_CORRUPT"));
  });

  test("any bytes → nodes that can be walked, or UPG_STORE_CORRUPT (property)", () => {
    const good = chunkOfTree(40);
    const flips = fc.array(fc.tuple(fc.nat(good.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 });
    const flipped = flips.map((changes) => {
      const bytes = good.slice();
      for (const [at, byte] of changes) bytes[at] = byte;
      return bytes;
    });
    const noise = fc.uint8Array({ maxLength: 400 }).map((bytes) => {
      bytes.set([1, 0, bytes.length % 20, 0].slice(0, bytes.length));
      return bytes;
    });
    let sound = 0;
    let refused = 0;
    const walk = (bytes: Uint8Array) => {
      const chunk = new Chunk(bytes);
      chunk.check(1);
      const only: ChunkSource = {
        chunk: (number) => (number === 1 ? chunk : new Chunk(new Uint8Array())),
      };
      for (let slot = 0; slot < chunk.count; slot++) {
        const tree = new Tree(only, { ...EMPTY_ROOT, id: SLOTS_PER_CHUNK + slot });
        tree.get(Uint8Array.of(20));
        tree.path(Uint8Array.of(21));
        const cursor = tree.cursor(undefined, undefined, slot % 2 === 1);
        for (let steps = 0; steps < 300 && cursor.step(); steps++) cursor.bytes.slice(cursor.keyAt, cursor.valueAt);
      }
      sound++;
    };
    fc.assert(
      fc.property(fc.oneof(flipped, noise), (bytes) => {
        try {
          walk(bytes);
        } catch (error) {
          expect(isUpgradeError(error) && error.code).toBe("UPG_STORE_CORRUPT");
          refused++;
        }
      }),
      { numRuns: 1_500 },
    );
    expect(Math.min(sound, refused)).toBeGreaterThan(50);
  });
});
