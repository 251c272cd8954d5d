/** The standard checks on handlers that are wrong in just one way. */
import { describe, expect, test, vi } from "vitest";
import {
  assertStandardChecks,
  bytes,
  runScene,
  type Scene,
  standardChecks,
} from "../../../host/upgrade/test-kit/index.js";
import { handlerOf } from "./author.js";

// Compilers share the machine with everything else.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const HEAD = `plan("p", 100_000_000_000); const s = store("s"); const key = new Writer(); let pairs: u64 = 0;`;
const SCENE: Scene = {
  stores: { s: Array.from({ length: 100 }, (_, i) => [bytes(1, i), `value ${i}`] as const) },
};

const failing = (checks: ReturnType<typeof standardChecks>) => checks.filter(({ ok }) => !ok).map(({ name }) => name);

describe("standardChecks()", () => {
  test("of a handler whose result depends on where a batch ends → batch sizes", async () => {
    const handler = await handlerOf(`${HEAD}
      import { inputPtr } from "chain-upgrade/assembly/handler/memory";
      scan(s, "01", onPair);
      function onPair(old: Bytes, value: Bytes): void {
        if (old.ptr == inputPtr() + 8) pairs += 1;
        s.set(key.clear().u8(2), key.be64(pairs));
      }`);
    expect(failing(standardChecks(handler, SCENE, { gasPoints: 5 }))).toEqual(["batch sizes"]);
  });

  test("of a handler that adds up each time it runs → idempotent, when the scene asks for it", async () => {
    const handler = await handlerOf(`${HEAD}
      migrate("m", 1, 2, step);
      function step(): void {
        key.clear().u8(2);
        const before = s.get(Bytes.hex("02"));
        const value = new Writer();
        s.set(Bytes.hex("02"), value.be64(before === null ? <u64>1 : before.be64At(0) + 1));
      }`);
    expect(failing(standardChecks(handler, SCENE, { gasPoints: 5 }))).toEqual([]);
    const checks = standardChecks(handler, { ...SCENE, idempotent: true }, { gasPoints: 5 });
    expect(failing(checks)).toEqual(["idempotent"]);
    expect(() => assertStandardChecks(handler, { ...SCENE, idempotent: true }, { gasPoints: 5 })).toThrow(
      "idempotent: a second run changes the result of the first",
    );
  });

  test("of a handler that fails → runs, and nothing else is tried", async () => {
    const handler = await handlerOf(`${HEAD} migrate("m", 1, 2, step); function step(): void { fail(3, "no"); }`);
    const checks = standardChecks(handler);
    expect(checks).toEqual([{ name: "runs", ok: false, message: expect.stringContaining("UPG_MIGRATION_FAILED") }]);
  });

  test("of one with a thousand host calls → some of them are tried, and all hold", async () => {
    const handler = await handlerOf(`${HEAD}
      migrate("m", 1, 2, step);
      function step(): void { for (let i: u64 = 0; i < 1_000; i++) if (s.has(key.clear().be64(i))) pairs += 1; }`);
    const checks = standardChecks(handler, SCENE, { gasPoints: 20 });
    expect(failing(checks)).toEqual([]);
    expect(checks.find(({ name }) => name === "out of gas")?.message).toMatch(/^stopped at 200 host calls/);
  });
});

describe("runScene()", () => {
  test("with store upgrades → seeded under old names, found under new ones; what is deleted is gone", async () => {
    const handler = await handlerOf(`plan("p", 100_000_000_000);
      const fresh = addStore("fresh"); const moved = renameStore("old", "moved"); deleteStore("gone");
      migrate("m", 1, 2, step);
      function step(): void { const value = moved.get(Bytes.hex("01")); if (value !== null) fresh.set(Bytes.hex("01"), value); }`);
    const run = runScene(handler, {
      stores: { old: [["0x01", "here"]], gone: [["0x01", "x"]], other: [["0x01", "y"]] },
    });
    expect(run.error).toBeUndefined();
    expect(run.stores.names).toEqual(["fresh", "moved", "other"]);
    expect(run.diff).toEqual({ fresh: [{ key: bytes(1), before: undefined, after: bytes("here") }] });
    expect(() => runScene(handler, { stores: { fresh: [["0x01", "x"]] } })).toThrow(/new with this upgrade/);
  });

  test("twice → the same gas; with one less than it needs → UPG_MIGRATION_OUT_OF_GAS, nothing changed", async () => {
    const handler = await handlerOf(`${HEAD} scan(s, "01", onPair);
      function onPair(old: Bytes, value: Bytes): void { s.set(key.clear().u8(2).slice(old, 1), value); }`);
    const { gas = 0n } = runScene(handler, SCENE);
    expect(runScene(handler, SCENE).gas).toBe(gas);
    expect(runScene(handler, SCENE, { gasLimit: gas }).ok).toBe(true);
    const run = runScene(handler, SCENE, { gasLimit: gas - 1n });
    expect(run).toMatchObject({ ok: false, diff: {}, error: { code: "UPG_MIGRATION_OUT_OF_GAS" } });
    expect([...run.stores.store("s").iterate()]).toHaveLength(100);
  });

  describe("memory", () => {
    const memoryOf = (checks: ReturnType<typeof standardChecks>) => checks.find(({ name }) => name === "memory");
    const few: Scene = { stores: { s: [1, 2, 3].map((i) => [bytes(1, i), "value"] as const) } };

    test("of a handler that makes 16 bytes for each pair → does not hold, with the bytes", async () => {
      const handler = await handlerOf(`${HEAD}
        scan(s, "01", onPair);
        function onPair(old: Bytes, value: Bytes): void { heap.alloc(12); }`);
      const check = memoryOf(standardChecks(handler, few, { gasPoints: 2 }));
      expect(check?.ok).toBe(false);
      expect(check?.message).toMatch(
        /^scan 0 of store "s" grows at most \d\d bytes a pair: 32 MiB are full after about \d+ pairs;/,
      );
      expect(memoryOf(standardChecks(handler, { ...few, bytesPerPair: 64 }, { gasPoints: 2 }))).toMatchObject({
        ok: true,
        message: expect.stringMatching(/^grows \d+ bytes a pair, as the scene allows$/),
      });
    });

    test("of one that makes a Writer for each pair of its second scan → that scan, with the bytes of the Writer", async () => {
      const handler = await handlerOf(`${HEAD}
        scan(s, "01", onFirst); scan(s, "", onSecond);
        function onFirst(old: Bytes, value: Bytes): void { pairs += 1; }
        function onSecond(old: Bytes, value: Bytes): void { new Writer(4_000); }`);
      const check = memoryOf(standardChecks(handler, few, { gasPoints: 2 }));
      expect(check?.message).toMatch(/^scan 1 of store "s" grows 4\d\d\d bytes a pair/);
    });

    test("of one that writes, deletes and reads what it scans → flat: each round finds the stores as the first did", async () => {
      const handler = await handlerOf(`${HEAD}
        scan(s, "01", onPair);
        function onPair(old: Bytes, value: Bytes): void {
          if (!s.has(old)) fail(1, "gone");
          s.delete(old);
          s.set(key.clear().u8(2).bytes(old), value);
          pairs += 1;
        }`);
      const check = memoryOf(standardChecks(handler, few, { gasPoints: 2, memoryPairs: 500 }));
      expect(check).toEqual({ name: "memory", ok: true, message: "flat over 500 pairs" });
    });

    test("of one that ends when a pair comes again → flat, and with what it ended", async () => {
      const handler = await handlerOf(`${HEAD}
        scan(s, "01", onPair);
        function onPair(old: Bytes, value: Bytes): void { pairs += 1; if (pairs > 3) fail(1, "too many"); }`);
      const check = memoryOf(standardChecks(handler, few, { gasPoints: 2 }));
      expect(check).toMatchObject({
        ok: true,
        message: expect.stringContaining("ends the run with UPG_MIGRATION_FAILED"),
      });
    });

    test("of a scene without pairs → nothing to look at", async () => {
      const handler = await handlerOf(
        `${HEAD} scan(s, "01", onPair); function onPair(old: Bytes, value: Bytes): void {}`,
      );
      expect(memoryOf(standardChecks(handler, {}, { gasPoints: 2 }))?.message).toBe("no scan has a pair to look at");
    });
  });
});
