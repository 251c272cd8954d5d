/** Stores and scans of the kit: what a handler reads is what it wrote, wherever its writes are kept. */
import fc from "fast-check";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { bytes, runScene, type Scene, type WasmHandler } from "../../../host/upgrade/test-kit/index.js";
import { handlerOf } from "./author.js";

// Compilers share the machine with everything else.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

/** Copies by get (02), by scan in a step (03), and counts by range (04); then everything under 05 goes while it is walked. */
const SOURCE = `
plan("stores", 1_000_000_000_000);
const all = store("all");
const key = new Writer();
const big = new Writer();
const ONE = Bytes.hex("01");
const TWO = Bytes.hex("02");
const FIVE = Bytes.hex("05");
const TOP = Bytes.hex("ff");
migrate("all", 1, 2, copyAll);
scan(all, "01", copyByGet);
function copyByGet(old: Bytes, value: Bytes): void {
  assert(all.has(old));
  const found = all.get(old);
  assert(found !== null && found.equals(value));
  key.clear().u8(2).slice(old, 1);
  all.set(key, value);
  assert(all.has(key));
  const again = all.get(key);
  assert(again !== null && again.equals(value));
}
function copyAll(): void {
  const pairs = all.scan(ONE);
  while (pairs.next()) all.set(key.clear().u8(3).slice(pairs.key, 1), pairs.value);
  let count: u64 = 0;
  const range = all.range(Bytes.hex("03"), Bytes.hex("04"));
  while (range.next()) {
    const inner = all.scan(range.key);
    assert(inner.next() && inner.key.startsWith(range.key));
    inner.close();
    count += 1;
  }
  all.set(Bytes.hex("04"), key.clear().be64(count));
  const top = all.scan(TOP);
  while (top.next()) all.delete(top.key);
  assert(!all.scan(TOP).next());
  const open = all.range(FIVE);
  while (open.next()) all.delete(open.key);
  assert(all.get(FIVE) === null);
}`;

const key = fc.uint8Array({ minLength: 0, maxLength: 8 });
const value = fc.oneof(
  fc.uint8Array({ maxLength: 40 }),
  fc.constantFrom(512, 513, 65_535, 262_132, 300_000).map((length) => new Uint8Array(length).fill(length)),
);
const pairs = fc.uniqueArray(fc.tuple(key, value), { selector: ([each]) => each.join(), maxLength: 30 });

describe("Store", () => {
  let handler: WasmHandler;
  beforeAll(async () => {
    handler = await handlerOf(SOURCE);
  });

  test("get, has, set, delete, scan and range over any pairs → as a map would have them", () => {
    fc.assert(
      fc.property(pairs, pairs, (copied, deleted) => {
        const scene: Scene = {
          stores: {
            all: [
              ...copied.map(([each, held]) => [bytes(1, each), held] as const),
              ...deleted.map(([each, held]) => [bytes(0xff, each), held] as const),
              [bytes(5), "five"],
            ],
          },
        };
        const { error, stores } = runScene(handler, scene);
        expect(error).toBeUndefined();
        const got = new Map([...stores.store("all").iterate()].map(([each, held]) => [each.join(), held]));
        expect(got.size).toBe(3 * copied.length + 1);
        for (const prefix of [1, 2, 3]) {
          for (const [each, held] of copied) {
            expect(Buffer.compare(got.get(bytes(prefix, each).join()) ?? new Uint8Array(), held)).toBe(0);
          }
        }
        expect(got.get("4")).toEqual(bytes(new Uint8Array(7), copied.length));
      }),
      { numRuns: 40 },
    );
  });

  test("a scan of ten thousand pairs → in whole chunks, with the memory of one", () => {
    const many = Array.from({ length: 10_000 }, (_, i) => [bytes(1, i >> 8, i & 255), bytes(`value ${i}`)] as const);
    const run = runScene(handler, { stores: { all: many } });
    expect(run.error).toBeUndefined();
    expect(run.guestMemory).toBe(16 * 65_536);
  });

  for (const [what, words, body] of [
    ["an empty key", "a key has 1 to 65,535 bytes", "all.set(key.clear(), ONE);"],
    ["a key of 65,536 bytes", "a key has 1 to 65,535 bytes", "key.reserve(65_536); all.delete(key);"],
    ["a value of more than 1 MiB", "a value has at most 1 MiB", "big.reserve(1_048_577); all.set(ONE, big);"],
    ["reading behind the end", "behind the end", "ONE.be16At(0);"],
    ["a part behind the end", "behind the end", "key.clear().slice(ONE, 1, 3);"],
    ["text that is no hex", "not a hex digit", `Bytes.hex("0g");`],
    ["a divisor of 0", "divisor out of range", "new Amount(1).div(0);"],
  ] as const) {
    test(`${what} → UPG_MIGRATION_FAILED in words`, async () => {
      const source = `plan("p", 1_000_000_000); const all = store("all"); const key = new Writer(); const big = new Writer();
        const ONE = Bytes.hex("01"); migrate("all", 1, 2, step); function step(): void { ${body} }`;
      const { error } = runScene(await handlerOf(source));
      expect(error).toMatchObject({ code: "UPG_MIGRATION_FAILED" });
      expect(error?.message).toContain(words);
    });
  }
});
