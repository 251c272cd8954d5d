/** Records of upgrades that were applied: the forms of the Cosmos SDK from 0.46 on, and of this project. */
import { describe, expect, test } from "vitest";
import { bigEndian64, concatBytes, utf8 } from "../../../host/base/text/bytes.js";
import type { KeyValue } from "../../../host/base/types/types.js";
import { doneUpgradesOf } from "../../../host/verify/records.js";

const ours = (name: string, height: bigint): KeyValue => [
  concatBytes(Uint8Array.of(1), utf8(name)),
  bigEndian64(height),
];
const theirs = (name: string, height: bigint): KeyValue => [
  concatBytes(Uint8Array.of(1), bigEndian64(height), utf8(name)),
  Uint8Array.of(1),
];

describe("doneUpgradesOf()", () => {
  test("either form, and both on one chain → names and heights, ascending by height", () => {
    expect(doneUpgradesOf([ours("a", 40n), ours("b", 7n)])).toEqual([
      { name: "b", height: 7n },
      { name: "a", height: 40n },
    ]);
    expect(doneUpgradesOf([theirs("v2", 20n), theirs("v3", 30n)])).toEqual([
      { name: "v2", height: 20n },
      { name: "v3", height: 30n },
    ]);
    const both = [theirs("v50", 5_000n), ours("v046", 46n)];
    expect(doneUpgradesOf(both)?.map(({ name }) => name)).toEqual(["v046", "v50"]);
    expect(doneUpgradesOf([])).toEqual([]);
  });

  test("a record of another form → undefined, whatever else is there", () => {
    const strange: readonly KeyValue[] = [
      [Uint8Array.of(1), bigEndian64(5n)],
      [concatBytes(Uint8Array.of(1), bigEndian64(5n)), Uint8Array.of(1)],
      [concatBytes(Uint8Array.of(1), utf8("v2")), Uint8Array.of(1)],
      [concatBytes(Uint8Array.of(1), bigEndian64(5n), utf8("v2")), Uint8Array.of(2)],
      ours("v2", 0n),
      ours("v2", 2n ** 63n),
    ];
    for (const pair of strange) expect(doneUpgradesOf([ours("v1", 3n), pair])).toBeUndefined();
  });
});
