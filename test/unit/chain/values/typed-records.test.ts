/** Records with typed keys, at the limits of what a key may be. */
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { NoteSchema } from "../../../../examples/notes-chain/gen/notes_pb.js";
import { PageRequestSchema } from "../../../../host/base/gen/cosmos/base/query/v1beta1/pagination_pb.js";
import { paginate } from "../../../../host/chain/values/paginate.js";
import { records } from "../../../../host/chain/values/typed-records.js";
import { MemoryKVStore } from "../../../../host/state/branch/kv/memory-kv.js";
import { failureOf } from "../../../scenario/chain.js";

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

test("a key with half of a surrogate pair → UPG_INVALID_KEY; with a number or nothing → UPG_INVALID_ARGUMENT; nothing written", () => {
  const store = new MemoryKVStore();
  const set = (...key: unknown[]) => failureOf(() => NOTES.set(store, key as string[], note(1n)));
  for (const text of ["\ud800", "a\udfff"]) expect(set(text)).toMatchObject({ code: "UPG_INVALID_KEY" });
  expect(set("a", 5)).toMatchObject({ code: "UPG_INVALID_ARGUMENT", message: expect.stringContaining("write 5n") });
  for (const part of [undefined, null, {}, 0.5]) expect(set("a", part)).toMatchObject({ code: "UPG_INVALID_ARGUMENT" });
  expect(NOTES.count(store)).toBe(0n);
});

test("records() without a prefix or a schema → UPG_INVALID_ARGUMENT with an example", () => {
  const make = records as (...given: unknown[]) => unknown;
  for (const given of [[undefined, NoteSchema], ["note"], ["note", {}]]) {
    expect(failureOf(() => make(...given))).toMatchObject({ code: "UPG_INVALID_ARGUMENT" });
  }
});

test("a record of defaults alone → an empty value, as its doc block says", () => {
  const store = new MemoryKVStore();
  NOTES.set(store, ["a"], {});
  expect([...store.iterate()].map(([, value]) => value.length)).toEqual([0]);
});

test("under(): one page after another of the records of one author, forwards and backwards → each once, with the total", async () => {
  const store = new MemoryKVStore();
  for (const number of [1n, 2n, 3n]) NOTES.set(store, ["a", number], note(number));
  NOTES.set(store, ["b", 9n], note(9n));
  const walker = {
    inTurns: async <T>(steps: Iterator<unknown, T>) => {
      for (;;) {
        const step = steps.next();
        if (step.done) return step.value;
      }
    },
  };
  const page = (request: MessageInitShape<typeof PageRequestSchema>) =>
    paginate(store, NOTES.under("a"), create(PageRequestSchema, request), walker);
  const first = await page({ limit: 2n, countTotal: true });
  expect([first.items.map(({ number }) => number), first.pagination.total]).toEqual([[1n, 2n], 3n]);
  const second = await page({ key: first.pagination.nextKey });
  expect([second.items.map(({ number }) => number), second.pagination.nextKey.length]).toEqual([[3n], 0]);
  expect((await page({ reverse: true })).items.map(({ number }) => number)).toEqual([3n, 2n, 1n]);
});
