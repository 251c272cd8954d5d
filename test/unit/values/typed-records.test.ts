/** Records with typed keys, at the limits of what a key may be. */
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { NoteSchema } from "../../../examples/notes-chain/gen/notes_pb.js";
import { MemoryKVStore } from "../../../host/branch/kv/memory-kv.js";
import { PageRequestSchema } from "../../../host/gen/cosmos/base/query/v1beta1/pagination_pb.js";
import { paginate } from "../../../host/values/paginate.js";
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
