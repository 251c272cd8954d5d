/** The declaration at the top of a handler: the manifest it makes, the order of work, and what it must not say. */
import { describe, expect, test, vi } from "vitest";
import { bytes, runScene } from "../../../host/upgrade/test-kit/index.js";
import { standardChecks } from "../../../host/upgrade/test-kit/standard-checks.js";
import { compileSource, handlerOf, IMPORTS } from "./author.js";

// Compilers share the machine with everything else.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const manifestOf = async (source: string) => (await compileSource(`${IMPORTS}\n${source}`)).manifest;
const refusal = (words: string) =>
  expect.objectContaining({ code: "UPG_INVALID_ARGUMENT", message: expect.stringContaining(words) });

describe("declaration", () => {
  test("of a store that is deleted and used → refused, with what to do with its data", async () => {
    const source = 'plan("p", 5); store("bank"); deleteStore("bank"); removeModule("bank");';
    await expect(manifestOf(source)).rejects.toThrow(
      refusal(
        'deleteStore("bank") takes the store away before the handler runs, so it cannot be read or written; let an earlier',
      ),
    );
  });

  test("logNumber() → the text and all digits of the number; no memory of any pair", async () => {
    const handler = await handlerOf(`
      plan("p", 1000000000); const s = store("s"); migrate("m", 1, 2);
      function onPair(key: Bytes, value: Bytes): void { logNumber("pair ", key.u8At(0)); }
      function onEnd(): void {
        logNumber("", 0, Level.warn);
        logNumber("é".repeat(400), u64.MAX_VALUE);
      }
      scan(s, "", onPair, onEnd);
    `);
    const scene = { stores: { s: [[[9], "v"] as const, [[120], "v"] as const] } };
    const { logs } = runScene(handler, scene);
    expect(logs).toEqual([
      { level: "info", text: "pair 9" },
      { level: "info", text: "pair 120" },
      { level: "warn", text: "0" },
      { level: "info", text: `${"é".repeat(334)}18446744073709551615` },
    ]);
    expect(standardChecks(handler, scene).find(({ name }) => name === "memory")).toMatchObject({ ok: true });
  });

  test("of modules that JavaScript's objects know otherwise → in the manifest like any other", async () => {
    const manifest = await manifestOf(
      'plan("p", 5); addModule("__proto__", 3); addModule("constructor", 4); migrate("toString", 1, 2);',
    );
    expect(Object.entries(manifest.versions).sort()).toEqual([
      ["__proto__", { to: 3 }],
      ["constructor", { to: 4 }],
      ["toString", { from: [1], to: 2 }],
    ]);
  });

  test("of everything → the manifest, and handles in its order", async () => {
    const manifest = await manifestOf(`
      plan("every/thing", 18446744073709551615);
      const a = store("a").prefix("01").prefix("02ff");
      const b = readStore("b");
      const c = addStore("c");
      deleteStore("gone");
      const d = renameStore("before", "d");
      migrate("m", 2, 3); migrate("m", 1, 2); migrate("m", 3, 9007199254740993);
      addModule("n", 1); removeModule("o");
      function onPair(key: Bytes, value: Bytes): void {}
      scan(d, "", onPair); scan(a, "02ff", onPair);
    `);
    expect(manifest).toEqual({
      abi: 1,
      name: "every/thing",
      gasLimit: "18446744073709551615",
      stores: [
        { name: "a", access: "rw", prefixes: ["01", "02ff"] },
        { name: "b", access: "r" },
        { name: "c", access: "rw" },
        { name: "d", access: "rw" },
      ],
      storeUpgrades: { added: ["c"], renamed: [{ old_key: "before", new_key: "d" }], deleted: ["gone"] },
      versions: { m: { from: [2, 1, 3], to: "9007199254740993" }, n: { to: 1 } },
      removes: ["o"],
      scans: [{ store: "d" }, { store: "a", prefix: "02ff" }],
    });
  });

  test("of what is allowed → the manifest says it; nodes take it, and refuse what the handler does not do", async () => {
    const manifest = await manifestOf(`
      plan("a", 1); store("bank"); deleteStore("gov"); deleteStore("auth"); removeModule("upgrade");
      allow("deleteStores", "gov"); allow("deleteStores", "auth"); allow("removeModules", "upgrade");
      allow("writeStores", "bank"); allow("emptyVersionMap");
    `);
    const allows = {
      deleteStores: ["gov", "auth"],
      removeModules: ["upgrade"],
      writeStores: ["bank"],
      emptyVersionMap: true,
    };
    expect(manifest).toMatchObject({ allows });
    const { manifest: taken } = await handlerOf(`plan("a", 1); store("bank"); allow("writeStores", "bank");`);
    expect(taken.allows).toMatchObject({ writeStores: ["bank"], deleteStores: [], emptyVersionMap: false });
    for (const idle of [`allow("writeStores", "bank");`, `readStore("bank"); allow("writeStores", "bank");`]) {
      await expect(handlerOf(`plan("a", 1); ${idle}`)).rejects.toMatchObject({ code: "UPG_HANDLER_MANIFEST" });
    }
  });

  for (const [what, words, source] of [
    ["a word that nothing is allowed by", "there are deleteStores, removeModules", `plan("a", 1); allow("all", "x");`],
    ["nothing", "must begin with plan", ""],
    ["two plans", "plan() is called twice", `plan("a", 1); plan("b", 1);`],
    ["a step down", "a step goes up", `plan("a", 1); migrate("m", 2, 2);`],
    ["a step from 0", "addModule brings a new one", `plan("a", 1); migrate("m", 0, 2);`],
    ["two steps from one version", "two steps of", `plan("a", 1); migrate("m", 1, 2); migrate("m", 1, 3);`],
    ["steps with a gap", "no further", `plan("a", 1); migrate("m", 1, 2); migrate("m", 3, 4);`],
    ["a module twice", "called twice", `plan("a", 1); addModule("m", 1); addModule("m", 2);`],
    ["a module that is new and old", "both migrated and new", `plan("a", 1); addModule("m", 2); migrate("m", 1, 2);`],
    [
      "a scan of a store that it adds",
      'scan("n"): this upgrade adds the store, so the scan would meet no pair',
      `plan("a", 1); const n = addStore("n"); function on(key: Bytes, value: Bytes): void {} scan(n, "", on);`,
    ],
    ["a read at the top", "chain.store_get is called", `plan("a", 1); store("s").get(Bytes.hex("01"));`],
    ["an assertion at the top", "assembly/index.ts:2", `assert(false);`],
    ["a source that does not compile", "does not compile", `plan(1, 2, 3);`],
  ] as const) {
    test(`of ${what} → UPG_INVALID_ARGUMENT that says so`, async () => {
      await expect(manifestOf(source)).rejects.toEqual(refusal(words));
    });
  }

  test("of a float → compiles, and nodes refuse it", async () => {
    const source = `plan("a", 1); const s = store("s"); let f: f64 = 1; migrate("m", 1, 2, step);
      function step(): void { f = f / <f64>context.height; if (f > 3) fail(1, "x"); }`;
    await expect(handlerOf(source)).rejects.toMatchObject({ code: "UPG_HANDLER_OPCODE" });
  });

  test("the same source in two folders → the same bytes", async () => {
    const source = `${IMPORTS}\nplan("a", 1); store("s");`;
    const [one, other] = [await compileSource(source), await compileSource(source)];
    expect(other.bytes).toEqual(one.bytes);
    expect(other.sources).toEqual(one.sources);
  });
});

describe("a top level that does more than declare", () => {
  test.each([
    ["an endless loop", "let n: u32 = 0; while (true) { n += 1; }", "does not come to an end"],
    ["endless recursion", "function f(n: u32): u32 { return n == 0 ? 1 : f(n + 1) + f(n + 2); } f(1);", "traps"],
    ["a division by zero", "let zero: u32 = 0; let n: u32 = 1 / zero;", "traps"],
  ])("%s → UPG_INVALID_ARGUMENT, and the build ends", async (_, source, words) => {
    await expect(handlerOf(`plan("a", 1); ${source}`)).rejects.toMatchObject({
      code: "UPG_INVALID_ARGUMENT",
      message: expect.stringContaining(words),
    });
  });
});

const STEPS = `
plan("steps", 1_000_000_000);
const s = addStore("s");
const trail = new Writer();
const KEY = Bytes.hex("01");
migrate("m", 1, 2, one); migrate("m", 2, 3, two); migrate("k", 4, 6); migrate("k", 6, 7, three);
addModule("n", 5, genesis);
removeModule("o");
invariant("trail", isWritten);
function mark(text: string): void { s.set(KEY, trail.text(text)); }
function one(): void { mark("1"); }
function two(): void { mark("2"); }
function three(): void { mark("3"); }
function genesis(): void {
  mark("g");
  log("chain " + context.chainId.toString() + " plan " + context.plan.name.toString(), Level.warn);
  log(context.plan.info.toString() + " " + context.plan.height.toString() + " " + context.height.toString());
  log(context.seconds.toString() + " " + context.version("m").toString() + " " + context.version("nobody").toString());
  progress(1, 2);
}
function isWritten(): bool { return s.has(KEY); }`;

describe("work", () => {
  test("steps → those that are due, in order; the context, logs and progress arrive; versions are as declared", async () => {
    const handler = await handlerOf(STEPS);
    const info = "an info";
    for (const [m, trail] of [
      [1, "123g"],
      [2, "23g"],
    ] as const) {
      const scene = { versions: { m, k: 4, o: 1, other: 8 }, info, height: 12, time: 34, chainId: "c-1" };
      const run = runScene(handler, scene);
      expect(run.error).toBeUndefined();
      expect(run.stores.store("s").get(bytes(1))).toEqual(bytes(trail));
      expect(run.logs).toEqual([
        { level: "warn", text: "chain c-1 plan steps" },
        { level: "info", text: "an info 12 12" },
        { level: "info", text: `34 ${m} 0` },
      ]);
      expect(run.progress).toEqual([[1n, 2n]]);
      expect(Object.fromEntries(run.versions)).toEqual({ m: 3n, k: 7n, n: 5n, other: 8n });
      expect(run.checks).toEqual([{ name: "trail", ok: true, message: "" }]);
    }
  });

  test("fail() with a long text beyond ASCII → its code, and as much of the text as fits", async () => {
    const source = `plan("p", 1_000_000_000); migrate("m", 1, 2, step); function step(): void { fail(42, "ü".repeat(2_000)); }`;
    const { error } = runScene(await handlerOf(source));
    expect(error).toMatchObject({ code: "UPG_MIGRATION_FAILED", details: { code: "42", message: "ü".repeat(341) } });
  });

  test("an invariant with a message → UPG_MIGRATION_INVARIANT with both", async () => {
    const source = `plan("p", 1_000_000_000); invariant("sum", no, "is off"); function no(): bool { return false; }`;
    const { error } = runScene(await handlerOf(source));
    expect(error?.code).toBe("UPG_MIGRATION_INVARIANT");
    expect(error?.message).toContain("sum: is off");
  });

  test("an empty value → a warning of the harness", async () => {
    const source = `plan("p", 1_000_000_000); const s = store("s"); migrate("m", 1, 2, step);
      function step(): void { s.set(Bytes.hex("01"), Bytes.hex("")); }`;
    expect(runScene(await handlerOf(source)).warnings).toEqual([
      'store "s": 1 empty values are written, which nobody can prove',
    ]);
  });
});
