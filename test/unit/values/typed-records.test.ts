/** Records with typed keys, at the limits of what a key may be. */
import { expect, test } from "vitest";
import { NoteSchema } from "../../../examples/notes-chain/gen/notes_pb.js";
import { MemoryKVStore } from "../../../host/branch/kv/memory-kv.js";
import { records } from "../../../host/values/typed-records.js";
import { failureOf } from "../../scenario/chain.js";

const NOTES = records("note", NoteSchema);
const UINT64_MAX = 2n ** 64n - 1n;
const note = (number: bigint) => ({ author: "a", number, text: "t" });

test("numbers in a key: 0 and 2^64 - 1 → kept, in their order; one less, one more → UPG_INVALID_KEY, nothing written", () => {
  const store = new MemoryKVStore();
  for (const number of [UINT64_MAX, 0n, 255n, 256n]) NOTES.set(store, ["a", number], note(number));
  expect([...NOTES.values(store, "a")].map(({ number }) => number)).toEqual([0n, 255n, 256n, UINT64_MAX]);
  for (const number of [-1n, UINT64_MAX + 1n])
    expect(failureOf(() => NOTES.set(store, ["a", number], note(0n)))).toMatchObject({ code: "UPG_INVALID_KEY" });
  expect(NOTES.count(store)).toBe(4n);
});

test("texts in a key: one that begins another → apart; one with a zero character → UPG_INVALID_KEY", () => {
  const store = new MemoryKVStore();
  for (const author of ["a", "ab", ""]) NOTES.set(store, [author, 1n], note(1n));
  expect(["a", "ab", "", "b"].map((author) => NOTES.count(store, author))).toEqual([1n, 1n, 1n, 0n]);
  expect(failureOf(() => NOTES.get(store, "a\0", 1n))).toMatchObject({ code: "UPG_INVALID_KEY" });
});
