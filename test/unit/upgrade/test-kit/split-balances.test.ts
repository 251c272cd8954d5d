/** The harness on a real handler: what it reports, and the checks that come for free. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { WireWriter } from "../../../../host/base/wire/wire.js";
import { bytes, openHandler, runScene, type Scene, standardChecks } from "../../../../host/upgrade/test-kit/index.js";

const handler = openHandler(readFileSync("build/examples/split-balances.wasm"));

const coin = (denom: string, amount: string) => new WireWriter().string(1, denom).string(2, amount).finish();

function account(number: number, ...coins: Uint8Array[]): Uint8Array {
  const out = new WireWriter().string(1, `owner ${number}`).int(3, BigInt(number));
  for (const each of coins) out.message(16, each);
  return out.finish();
}

const address = (number: number) => bytes(0x01, new Uint8Array(20).fill(number));

const SCENE: Scene = {
  stores: {
    auth: [
      [address(1), account(1, coin("ustake", "7"), coin("atom", "340282366920938463463374607431768211455"))],
      [address(2), account(2)],
      [address(3), account(3, coin("ustake", "18446744073709551615"))],
    ],
  },
};

describe("runScene()", () => {
  test("split-balances → accounts without coins, a balance for each coin, supplies; gas, memory and checks are reported", () => {
    const run = runScene(handler, SCENE);
    expect(run.error).toBeUndefined();
    const balance = (number: number, denom: string) => bytes(0x02, 20, new Uint8Array(20).fill(number), denom);
    const bank = run.stores.store("bank");
    expect(bank.get(balance(1, "ustake"))).toEqual(bytes("7"));
    expect(bank.get(bytes(0, "ustake"))).toEqual(bytes("18446744073709551622"));
    expect(bank.get(bytes(0, "atom"))).toEqual(bytes("340282366920938463463374607431768211455"));
    expect(run.diff["bank"]).toHaveLength(5);
    expect(run.diff["auth"]?.map(({ after }) => after)).toEqual([account(1), account(3)]);
    expect([...run.versions]).toEqual([
      ["auth", 2n],
      ["bank", 2n],
    ]);
    expect(run.checks.map(({ name }) => name)).toEqual(["supply", "balances"]);
    expect(run.gas).toBeGreaterThan(0n);
    expect(run.guestMemory).toBe(16 * 65_536);
  });

  test("a supply past 128 bits → UPG_MIGRATION_FAILED with the handler's code; nothing changed", () => {
    const most = coin("atom", "340282366920938463463374607431768211455");
    const stores = {
      auth: [[address(1), account(1, most)] as const, [address(2), account(2, coin("atom", "1"))] as const],
    };
    const run = runScene(handler, { stores });
    expect(run).toMatchObject({ ok: false, diff: {}, error: { code: "UPG_MIGRATION_FAILED", details: { code: "3" } } });
  });
});

describe("standardChecks()", () => {
  test("split-balances → all hold", () => {
    const checks = standardChecks(handler, SCENE);
    expect(checks.filter(({ ok }) => !ok)).toEqual([]);
    expect(checks.map(({ name }) => name)).toEqual(["runs", "batch sizes", "out of gas", "memory", "layout"]);
  });

  test("a handler that runs at a version after its own → the check of layouts does not hold, and names the module", () => {
    // A manifest whose upgrade ends one below where it begins: then one after the end is a version that it takes.
    const versions = new Map(handler.manifest.versions).set("auth", { from: [3n], to: 2n });
    const wrong = { ...handler, manifest: { ...handler.manifest, versions } };
    const layout = standardChecks(wrong, SCENE).find(({ name }) => name === "layout");
    expect(layout).toEqual({ name: "layout", ok: false, message: "runs on a wrong version of auth" });
  });
});
