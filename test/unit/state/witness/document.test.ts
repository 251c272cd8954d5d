/** docs/witness.md: the example is a file that the encoder writes, and its figures are the bounds. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { fromHex, toHex } from "../../../../host/base/text/bytes.js";
import { TreeWriter } from "../../../../host/state/commitment/tree-writer.js";
import { decodeWitness } from "../../../../host/state/witness/decode.js";
import { encodeWitness } from "../../../../host/state/witness/encode.js";
import { recordStore } from "../../../../host/state/witness/record.js";
import { MemoryChunks } from "../../../memory-chunks.js";
import { EMPTY_ROOT, hasher, sha256 } from "../commitment/support.js";

const page = readFileSync(join(import.meta.dirname, "../../../../docs/witness.md"), "utf8");
const block = page.match(/```text\n(6368[\s\S]*?)```/)?.[1] ?? "";
/** Two blanks or more, and then words, end the bytes of a line. */
const example = block.replaceAll(/(?<=\S) {3,}\S.*$/gm, "").replaceAll(/\s/g, "");

function exampleFile(): Uint8Array {
  const bytes = (...of: number[]) => Uint8Array.from(of);
  const source = new MemoryChunks();
  const writer = new TreeWriter(source, source, hasher, EMPTY_ROOT, 1);
  for (const key of [1, 2]) writer.set(bytes(key), 0, 1, bytes(0x11 * key), 0, 1);
  const root = writer.finish();
  const recorder = recordStore(source, root);
  recorder.reader.get(bytes(1));
  const writes = [
    { key: bytes(5), value: bytes() },
    { key: bytes(6), value: undefined },
  ];
  const stores = [
    { name: "a", hash: EMPTY_ROOT.hash, tree: undefined },
    { name: "b", hash: root.hash, tree: recorder.finish() },
  ];
  return encodeWitness({ chainId: "c", plan: "p", height: 2n, stores, others: [{ store: "a", writes }] }, sha256);
}

describe("docs/witness.md", () => {
  test("its example → what encodeWitness() writes, and decodeWitness() reads", () => {
    expect(example).toBe(toHex(exampleFile()));
    const { stores } = decodeWitness(fromHex(example), { sha256, maxBytes: 1_000 });
    expect(stores.map(({ name, isOpen, leaves, stubs }) => [name, isOpen, leaves, stubs])).toEqual([
      ["a", false, 0, 1],
      ["b", true, 1, 1],
    ]);
  });
});
