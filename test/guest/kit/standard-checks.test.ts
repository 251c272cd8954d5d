/** The standard checks on handlers that are wrong in just one way. */
import { describe, expect, test, vi } from "vitest";
import { assertStandardChecks, bytes, runScene, type Scene, standardChecks } from "../../../host/harness/index.js";
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
});
