/** Runs of a handler over stores of any kind: as the recorded cases say, and nothing written before `write()`. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { toHex } from "../../../../host/base/text/bytes.js";
import {
  decodeReceipt,
  isUpgradeError,
  type KVStore,
  loadHandler,
  MemoryKVStore,
  PrefixStore,
  rehearseWasmHandler,
  runWasmHandler,
  type WasmHandler,
  type WasmHandlerInput,
} from "../../../../host/index.js";
import { sha256 } from "../../../guest/build.js";
import type { CaseInput, GivenRun, GuestFile, HandlerCase } from "../../../vectors/handler-cases/shapes.js";
import { storesOf } from "../../../vectors/handler-cases/stores.js";
import { loadFile } from "../../../vectors/harness.js";

const example = readFileSync(join(import.meta.dirname, "../../../../build/examples/re-key.wasm"));
const handler = loadHandler(example, { sha256 });
const bytes = (...values: readonly number[]) => Uint8Array.from(values);
const OLD = bytes(1, 7);
const NEW = bytes(2, 1, 7);

function input(names: KVStore, more: Partial<WasmHandlerInput> = {}): WasmHandlerInput {
  const plan = { name: "re-key", height: 9n, info: "" };
  const time = { seconds: 1_800_000_000n, nanos: 0 };
  const stores = new Map([["names", names]]);
  return { chainId: "test-1", height: 9n, time, plan, versionMap: new Map([["names", 1n]]), stores, ...more };
}

function filled(store: KVStore = new MemoryKVStore()): KVStore {
  store.set(OLD, bytes(42));
  return store;
}

const pairs = (store: KVStore) => [...store.iterate()].map((pair) => pair.map(toHex));

/** Every case with guards, and each tenth of the others. */
function sampled(): { readonly each: GivenRun; readonly given: CaseInput; readonly file: string }[] {
  const { head, cases } = loadFile("handler-cases");
  const files = new Map((head["guests"] as GuestFile[]).map(({ name, wasm }) => [name, wasm]));
  const inputs = new Map((head["inputs"] as CaseInput[]).map((each) => [each.name, each]));
  const runs = (cases as unknown as HandlerCase[]).filter((each) => "input" in each && each.batch_bytes === undefined);
  const chosen = (runs as GivenRun[]).filter((each, at) => each.module_stores || each.vital_modules || at % 10 === 0);
  return chosen.flatMap((each) => {
    const [given, file] = [inputs.get(each.input), files.get(each.guest)];
    return given && file !== undefined ? [{ each, given, file }] : [];
  });
}

function outcomeOf(wasm: WasmHandler, each: GivenRun, given: CaseInput) {
  const { module_stores, vital_modules, gas_limit } = each;
  const state = storesOf(given);
  try {
    const run = runWasmHandler(wasm, {
      chainId: given.chain_id,
      height: BigInt(given.height),
      time: { seconds: BigInt(given.time.seconds), nanos: given.time.nanos },
      plan: Buffer.from(given.plan, "hex"),
      versionMap: new Map(Object.entries(given.versions).map(([name, version]) => [name, BigInt(version)])),
      stores: new Map(state.names.map((name) => [name, state.store(name)])),
      guards: module_stores !== undefined || vital_modules !== undefined,
      ...(module_stores && { moduleStores: new Map(Object.entries(module_stores)) }),
      ...(vital_modules && { vitalModules: vital_modules }),
      ...(gas_limit !== undefined && { gasLimit: BigInt(gas_limit) }),
    });
    const receipt = decodeReceipt(run.receipt());
    const stores = receipt.stores.map(({ name, writesSha256 }) => [
      name,
      { writes: [...run.writes(name)].length, writes_sha256: toHex(writesSha256) },
    ]);
    const versions = Object.fromEntries([...run.versionMap].map(([name, version]) => [name, String(version)]));
    return { gas: String(run.report.gas), versions, stores: Object.fromEntries(stores) };
  } catch (error) {
    if (!isUpgradeError(error)) throw error;
    return { error: error.code, ...("gas" in error.details ? { gas: error.details["gas"] } : {}) };
  }
}

describe("runWasmHandler()", () => {
  test("over the stores of recorded cases → code, gas, versions, writes and their digests", () => {
    const loaded = new Map<string, WasmHandler>();
    let guarded = 0;
    for (const { each, given, file } of sampled()) {
      const wasm = loaded.get(each.guest) ?? loadHandler(Buffer.from(file, "base64"), { sha256 });
      loaded.set(each.guest, wasm);
      expect(each, each.label).toMatchObject(outcomeOf(wasm, each, given));
      if (each.module_stores || each.vital_modules) guarded++;
    }
    expect(guarded).toBeGreaterThan(20);
  });

  test("over a store of the caller's → nothing in it before write(), then all of it; once", () => {
    const ground = new MemoryKVStore();
    const store = filled(new PrefixStore(ground, bytes(9)));
    const run = runWasmHandler(handler, input(store));
    expect([...run.writes("names")].map(([key, value]) => [toHex(key), value && toHex(value)])).toEqual([
      [toHex(OLD), undefined],
      [toHex(NEW), "2a"],
    ]);
    expect([...run.writes("absent")]).toEqual([]);
    expect(pairs(store)).toEqual([[toHex(OLD), "2a"]]);
    expect([run.versionMap.get("names"), run.report.checks.map(({ ok }) => ok)]).toEqual([2n, [true]]);
    run.write();
    expect(pairs(ground)).toEqual([[`09${toHex(NEW)}`, "2a"]]);
    const closed = expect.objectContaining({ code: "UPG_INVALID_ARGUMENT" });
    expect(() => run.write()).toThrow(closed);
    expect(() => run.receipt()).toThrow(closed);
    expect(() => [...run.writes("names")]).toThrow(closed);
    run.discard();
  });

  test("discard(), and a run that fails → the store as it was", () => {
    const store = filled();
    runWasmHandler(handler, input(store)).discard();
    const wrong = [
      ["UPG_MIGRATION_OUT_OF_GAS", { gasLimit: 1_000n }],
      ["UPG_HANDLER_LAYOUT", { versionMap: new Map([["names", 5n]]) }],
      ["UPG_MIGRATION_VERSION_MAP", { versionMap: new Map() }],
      ["UPG_INVALID_ARGUMENT", { gasLimit: -1n }],
      ["UPG_INVALID_ARGUMENT", { gasLimit: 1_000_000_000_001n }],
      ["UPG_INVALID_ARGUMENT", { gasLimit: 5 as unknown as bigint }],
      ["UPG_INVALID_ARGUMENT", { height: 1n << 63n }],
      ["UPG_INVALID_ARGUMENT", { stores: {} as never }],
      ["UPG_HANDLER_LAYOUT", { stores: new Map() }],
    ] as const;
    for (const [code, more] of wrong) {
      expect(() => runWasmHandler(handler, input(store, more)), code).toThrow(expect.objectContaining({ code }));
    }
    expect(pairs(store)).toEqual([[toHex(OLD), "2a"]]);
  });

  test("a store that throws → its own error, nothing written", () => {
    class Broken extends MemoryKVStore {
      override _get(): never {
        throw new TypeError("the disk is gone");
      }
      override _cursor(): never {
        throw new TypeError("the disk is gone");
      }
    }
    expect(() => runWasmHandler(handler, input(new Broken()))).toThrow("the disk is gone");
  });

  test("guards: false → runs where the guards refuse", () => {
    const table = { moduleStores: new Map([["other", ["names"]]]) };
    const versionMap = new Map([
      ["names", 1n],
      ["other", 3n],
    ]);
    const given = input(filled(), { ...table, versionMap });
    expect(() => runWasmHandler(handler, given)).toThrow(/module "other", whose version stays 3/);
    expect(runWasmHandler(handler, { ...given, guards: false }).versionMap.get("other")).toBe(3n);
  });
});

test("rehearseWasmHandler() → counts by store, and the store as it was", () => {
  const store = filled();
  store.set(bytes(2, 1, 8), bytes(1));
  store.set(bytes(1, 8), bytes(1));
  const { changes, report, versionMap } = rehearseWasmHandler(handler, input(store));
  expect(changes).toEqual(new Map([["names", { added: 1, changed: 0, removed: 2, unchanged: 1 }]]));
  expect([report.gas > 0n, versionMap.get("names")]).toEqual([true, 2n]);
  expect(pairs(store)).toHaveLength(3);
});
