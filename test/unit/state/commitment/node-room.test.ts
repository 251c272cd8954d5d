/** Made nodes in Wasm memory: when it grows, every array is another one, and nothing may be written to the old. */
import { expect, test } from "vitest";
import { RoomOutput } from "../../../../host/state/commitment/node-room.js";
import { NodeView } from "../../../../host/state/commitment/tree.js";
import { TreeWriter } from "../../../../host/state/commitment/tree-writer.js";
import { MemoryChunks } from "../../../memory-chunks.js";
import { EMPTY_ROOT, hasher } from "./support.js";

/** A committed tree with an inner node at its root. */
function committed(): { chunks: MemoryChunks; root: number } {
  const chunks = new MemoryChunks();
  const writer = new TreeWriter(chunks, chunks, hasher, EMPTY_ROOT, 1);
  for (const key of [1, 2]) writer.set(Uint8Array.of(key), 0, 1, Uint8Array.of(key), 0, 1);
  return { chunks, root: writer.finish().id };
}

test("copyInner() when the arena grows for the node's key → the copy has that key", () => {
  const { chunks, root } = committed();
  const output = RoomOutput.open(chunks, hasher, 2);
  if (!output) throw new Error("this engine has Wasm with SIMD");
  const { nodes } = output;
  nodes.begin(EMPTY_ROOT);
  const full = nodes.arena.length;
  nodes.arenaUsed = full - 1;
  const index = nodes.copyInner(new NodeView(chunks).go(root));
  expect(nodes.arena.length).toBeGreaterThan(full);
  expect(nodes.keys[index]).toBe(full - 1);
  output.release();
});

test("set() left of a leaf on disk when the arena grows for that leaf's key → the tree finds all three", () => {
  const { chunks, root } = committed();
  const output = RoomOutput.open(chunks, hasher, 2);
  const room = output?.nodes.arena.length ?? 0;
  output?.release();
  // 9 bytes of record and key of the copied root, then the new leaf's record up to the last byte of the room.
  for (let spare = 0; spare < 24; spare++) {
    const writer = new TreeWriter(chunks, chunks, hasher, { id: root, size: 2, height: 1, hash: hasher.empty() }, 2);
    const value = new Uint8Array(room - 9 - 9 - spare);
    writer.set(Uint8Array.of(0), 0, 1, value, 0, value.length);
    for (const key of [0, 1, 2]) expect(writer.get(Uint8Array.of(key), 0, 1), `spare ${spare}`).toBeDefined();
    writer.finish();
  }
});
