/** What the gas of a run went to, function by function: it adds up to the gas of the run, and small ones are known by hand. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { isUpgradeError } from "../../host/base/errors/errors.js";
import { loadHandler, type WasmHandler } from "../../host/upgrade/handler/handler.js";
import type { HandlerInput } from "../../host/upgrade/handler/run/sandbox.js";
import { type GasProfile, gasProfile, sceneGasProfile } from "../../host/upgrade/test-kit/gas/gas-profile.js";
import { openHandler, parseFixture, runScene } from "../../host/upgrade/test-kit/index.js";
import { build, type GuestParts, guest, load, sha256 } from "./build.js";
import { randomGuest } from "./random/random-guest.js";
import { IMPORTS, runHandlerIn, STORES } from "./running.js";

const GUESTS = 100;
const MODULE_GAS = 20_000_000n;

const sumOf = ({ functions, outside }: GasProfile) =>
  functions.reduce((sum, { own }) => sum + BigInt(own), BigInt(outside));

function profileIn(handler: WasmHandler, input: Partial<HandlerInput> = {}): GasProfile {
  return gasProfile(handler, (traced, observer) => runHandlerIn(traced, { input: { ...input, observer } }).report);
}

/** `own/total` and calls, by the name of the function. */
function functionsOf(parts: GuestParts): { readonly gas: bigint; readonly of: Record<string, string> } {
  const handler = load({ imports: IMPORTS, ...parts }, { stores: STORES });
  const { gas } = runHandlerIn(handler).report;
  const profile = profileIn(handler);
  expect(sumOf(profile)).toBe(gas);
  const entries = profile.functions.map(({ function: name, own, total, calls }) => [name, `${own}/${total} ${calls}`]);
  return { gas, of: Object.fromEntries(entries) };
}

describe("gasProfile() by function", () => {
  test.each([
    ["split-balances", "three-accounts"],
    ["re-key", "three-names"],
    ["prefix-delete", "votes"],
    ["backfill-index", "orders"],
    ["module-genesis", "two-denominations"],
  ])(
    "gasProfile() of %s on %s → the functions and the host around them add up to the gas of the run",
    (name, scene) => {
      const handler = openHandler(readFileSync(`build/examples/${name}.wasm`));
      const fixture = parseFixture(readFileSync(`examples/${name}/fixtures/${scene}.json`, "utf8"));
      const profile = sceneGasProfile(handler, fixture);
      expect(sumOf(profile)).toBe(runScene(handler, fixture).gas);
      expect(profile.functions.length).toBeGreaterThan(5);
      for (const { own, total } of profile.functions) {
        expect(BigInt(own)).toBeGreaterThanOrEqual(0n);
        expect(BigInt(total)).toBeGreaterThanOrEqual(BigInt(own));
      }
    },
  );

  test("gasProfile() of a small function → what its callers paid ahead for each call is its own", () => {
    // handler_run: two calls of 6, a constant and a drop each, its result. $small: 2 constants, an addition, a call of $tiny.
    const { of } = functionsOf({
      run: "(drop (call $small)) (drop (call $small)) (i32.const 0)",
      more: `(func $small (result i32) (i32.add (i32.const 1) (call $tiny)))
        (func $tiny (result i32) (i32.load (i32.const 8)))`,
    });
    expect(of).toMatchObject({ run: "15/93 1", small: "16/78 2", tiny: "62/62 2" });
  });

  test("gasProfile() of a branch that is not taken in a small function → its price stays with that function", () => {
    const { of } = functionsOf({
      run: "(call $maybe) (i32.const 0)",
      more: "(func $maybe (if (i32.const 0) (then (call $never)))) (func $never (drop (i32.load (i32.const 8))))",
    });
    expect(of).toEqual(expect.objectContaining({ maybe: "42/42 1" }));
    expect(of).not.toHaveProperty("never");
  });

  test("gasProfile() of a function that calls itself → its total has each unit once", () => {
    const { of } = functionsOf({
      run: "(call $down (i32.const 5)) (i32.const 0)",
      more: `(func $down (param $n i32) (if (local.get $n) (then (call $down (i32.sub (local.get $n) (i32.const 1))))))`,
    });
    const [own, total] = (of["down"] ?? "").split(" ")[0]?.split("/") ?? [];
    expect(own).toBe(total);
    expect(of["down"]).toMatch(/ 6$/);
  });

  test("gasProfile() of host calls → they are own gas of the function that makes them, in a small one too", () => {
    const { of } = functionsOf({
      run: "(call $note) (i32.const 0)",
      more: "(func $note (call $progress (i64.const 1) (i64.const 2)))",
    });
    // The call, two constants, and 300 of the host.
    expect(of["note"]).toBe("308/308 1");
  });

  test("gasProfile() where the memory becomes large → loads cost what they cost in the run, in small functions too", () => {
    const { of } = functionsOf({
      run: `(drop (call $read)) (drop (memory.grow (i32.const 1))) (drop (call $read)) (i32.const 0)`,
      more: "(func $read (result i32) (i32.load (i32.const 8)))",
    });
    expect(of["read"]).toBe("462/462 2");
  });

  test("gasProfile() of random handlers → the gas of the run, whatever they do", () => {
    let runs = 0;
    for (let seed = 1; seed <= GUESTS; seed++) {
      const { parts, manifest } = randomGuest(seed);
      const handler = loadHandler(build(guest(parts), manifest), { sha256 });
      let gas: bigint;
      try {
        ({ gas } = runHandlerIn(handler, { input: { gasLimit: MODULE_GAS } }).report);
      } catch (error) {
        if (!isUpgradeError(error)) throw error;
        continue;
      }
      runs++;
      expect(sumOf(profileIn(handler, { gasLimit: MODULE_GAS })), `seed ${seed}`).toBe(gas);
    }
    expect(runs).toBeGreaterThan(GUESTS / 10);
  });
});
