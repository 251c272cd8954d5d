/** Keys of inner nodes, as they are made where leaves are hidden. */
import { describe, expect, test } from "vitest";
import { concatBytes } from "../../../../host/base/text/bytes.js";
import { ByteReader } from "../../../../host/state/witness/byte-reader.js";
import { ByteWriter } from "../../../../host/state/witness/byte-writer.js";
import { INNER_TAG, LEAF_TAG, STUB_TAG } from "../../../../host/state/witness/format.js";
import { firstLeaves, separator } from "../../../../host/state/witness/gaps.js";
import { parseTree } from "../../../../host/state/witness/parse-tree.js";
import { code } from "../commitment/support.js";

const leaf = (key: Uint8Array) =>
  new ByteWriter().byte(LEAF_TAG).uvarint(1).uvarint(key.length).uvarint(0).raw(key).finish();
const stub = new ByteWriter().byte(STUB_TAG).uvarint(1).raw(new Uint8Array(32)).finish();
const inner = (left: Uint8Array, right: Uint8Array) =>
  concatBytes(new ByteWriter().byte(INNER_TAG).uvarint(1).finish(), left, right);

/** The root's key. */
function keyOf(nodes: Uint8Array): Uint8Array {
  const tree = parseTree(new ByteReader(nodes), 1);
  return separator(tree, 0, firstLeaves(tree));
}

describe("separator()", () => {
  const key = Uint8Array.of(7, 7);
  const longest = new Uint8Array(65_535).fill(7);

  test.each<[string, Uint8Array, Uint8Array]>([
    ["the first leaf to the right is open → its key", inner(stub, leaf(key)), key],
    [
      "it is hidden → the smallest key after the last open leaf before it",
      inner(leaf(key), stub),
      Uint8Array.of(7, 7, 0),
    ],
    [
      "that leaf's key is as long as keys are → the next one of that length",
      inner(leaf(longest), stub),
      concatBytes(longest.slice(1), Uint8Array.of(8)),
    ],
    ["no leaf is open before it → the empty key", inner(stub, inner(stub, leaf(key))), Uint8Array.of()],
  ])("%s", (_, nodes, expected) => {
    expect(keyOf(nodes)).toEqual(expected);
  });

  test("hidden leaves after the greatest key that there is → UPG_WITNESS_MALFORMED", () => {
    const greatest = new Uint8Array(65_535).fill(0xff);
    expect(() => keyOf(inner(leaf(greatest), stub))).toThrow(code("UPG_WITNESS_MALFORMED"));
  });
});
