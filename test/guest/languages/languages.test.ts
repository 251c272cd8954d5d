/** Handlers in Rust and C: the same pairs as the AssemblyScript example, and everything that their kits have. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { checkFile } from "../../../host/cli/author/file-check.js";
import { inspectHandler } from "../../../host/cli/author/inspection.js";
import { HandlerProject } from "../../../host/cli/author/project.js";
import { testFixture } from "../../../host/cli/author/testing/fixture-runs.js";
import { sameStores } from "../../../host/upgrade/test-kit/diff.js";
import { bytes, openHandler, runScene, type Scene } from "../../../host/upgrade/test-kit/index.js";
import { ROOT } from "../../house/sources.js";
import { names, namesScene } from "../examples/names.js";
import { buildRust, cargo, LANGUAGES } from "./compilers.js";

// Compilers share the machine with everything else.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const example = () => openHandler(readFileSync(join(ROOT, "build/examples/re-key.wasm")));
const manifestOfC = () => JSON.parse(readFileSync(join(ROOT, "test/guest/languages/tour.json"), "utf8")) as unknown;

const big = (...numbers: readonly bigint[]) =>
  bytes(...numbers.map((number) => `0x${number.toString(16).padStart(16, "0")}`));

/** Thirty pairs, of which a walk with room for few takes several chunks. */
const BEFORE = Array.from({ length: 30 }, (_, i) => [`k${String(i).padStart(2, "0")}`, `value-${i}`] as const);
const TOUR: Scene = {
  chainId: "tour-1",
  height: 77,
  time: 1_800_000_000,
  info: "an info",
  stores: {
    bank: [
      [["0x01", "a"], "1234"],
      [["0x01", "b"], "12345678"],
    ],
    before: BEFORE,
    auth: [["0x01", "x"]],
    gone: [],
  },
};

describe.each(LANGUAGES)("a handler in $name", ({ missing, build }) => {
  const title = (text: string) => (missing ? `${text} (skipped: ${missing})` : text);
  const it = test.skipIf(missing);

  it(title("re-key on any names → the stores, checks and versions of the AssemblyScript one"), () => {
    const [handler, twin] = [example(), openHandler(build("re-key"))];
    fc.assert(
      fc.property(names, (pairs) => {
        const scene = namesScene(pairs);
        const [one, other] = [runScene(handler, scene), runScene(twin, scene)];
        expect(other.error).toBeUndefined();
        expect(sameStores(other.stores, one.stores)).toBe(true);
        expect(other.checks).toEqual(one.checks);
        expect(other.versions).toEqual(one.versions);
      }),
      { numRuns: 40 },
    );
    for (const fixture of new HandlerProject(join(ROOT, "examples/re-key")).fixtures()) {
      expect(testFixture(twin, fixture).checks.filter(({ ok }) => !ok)).toEqual([]);
    }
  });

  it(title("of everything → handler check takes it, its manifest is what was declared, its pairs are right"), () => {
    const file = join(mkdtempSync(join(tmpdir(), "chain-upgrade-tour-")), "tour.wasm");
    writeFileSync(file, build("tour"));
    expect(checkFile(file)).toMatchObject({ ok: true, name: "tour", findings: [] });
    expect(inspectHandler(readFileSync(file)).manifest).toEqual(manifestOfC());
    const handler = openHandler(readFileSync(file));
    const run = runScene(handler, TOUR);
    expect(run.error).toBeUndefined();
    const pairs = (store: string) =>
      new Map([...run.stores.store(store).iterate()].map(([key, value]) => [Buffer.from(key).toString(), value]));
    expect(pairs("bank")).toEqual(
      new Map([
        ["\x02a", bytes("1234")],
        ["\x02b", bytes("12345678")],
      ]),
    );
    const noted = pairs("notes");
    for (const [key, value] of BEFORE) expect(noted.get(key)).toEqual(bytes(value));
    expect(noted.get("first")).toEqual(bytes("tour-1"));
    expect(noted.get("second")).toEqual(big(77n, 1_800_000_000n, 1n, 0n));
    expect(noted.get("count")).toEqual(big(30n));
    expect([noted.get("total"), noted.get("info"), noted.get("plan")]).toEqual([
      bytes("12"),
      bytes("an info"),
      bytes("tour"),
    ]);
    expect(noted.size).toBe(36);
    const after = pairs("after");
    expect([after.get("k00"), after.get("k01"), after.size]).toEqual([bytes("value-"), undefined, 29]);
    expect(run.logs).toEqual([{ level: "warn", text: "the end of a scan" }]);
    expect(run.progress).toEqual([[1n, 2n]]);
    expect(run.checks.map((each) => [each.name, each.ok])).toEqual([
      ["moved", true],
      ["read", true],
    ]);
    expect(testFixture(handler, { name: "tour", fixture: TOUR as never }).checks.filter(({ ok }) => !ok)).toEqual([]);
    rmSync(file);
  });

  it(
    title(
      "that begins at a later version, fails, or does not hold → the step that is due; code and message; the invariant",
    ),
    () => {
      const handler = openHandler(build("tour"));
      const later = runScene(handler, { ...TOUR, versions: { bank: 2 } });
      expect([later.error, later.stores.store("notes").has(bytes("first"))]).toEqual([undefined, false]);
      const bad = { ...TOUR, stores: { ...TOUR.stores, bank: [[["0x01", "a"], "bad"] as const] } };
      expect(runScene(handler, bad).error).toMatchObject({
        code: "UPG_MIGRATION_FAILED",
        details: { code: "7", message: "a bad value" },
      });
      const none = runScene(handler, { ...TOUR, stores: { ...TOUR.stores, bank: [] } }).error;
      expect(none).toMatchObject({
        code: "UPG_MIGRATION_INVARIANT",
        message: expect.stringContaining("moved: nothing was moved"),
      });
      const long = runScene(handler, { ...TOUR, stores: { ...TOUR.stores, before: [["k", "x".repeat(100)]] } }).error;
      expect(long).toMatchObject({ code: "UPG_MIGRATION_FAILED", details: { code: "-10" } });
      const info = "i".repeat(100_000);
      expect(
        runScene(handler, { ...TOUR, info })
          .stores.store("notes")
          .get(bytes("info")),
      ).toEqual(bytes(info));
    },
  );
});

const noRust = LANGUAGES.find(({ name }) => name === "Rust")?.missing;
const WRONG = "a handler in Rust that is declared as it cannot be → the compiler says why";

test.skipIf(noRust)(noRust ? `${WRONG} (skipped: ${noRust})` : WRONG, () => {
  const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-declared-"));
  cpSync(join(ROOT, "test/guest/languages/tour-rust"), folder, { recursive: true });
  const toml = readFileSync(join(folder, "Cargo.toml"), "utf8");
  writeFileSync(join(folder, "Cargo.toml"), toml.replace("../../../../guests/rust", join(ROOT, "guests/rust")));
  const given = "fn on(_: &[u8], _: &[u8]) {}";
  const wrong: readonly (readonly [source: string, words: string])[] = [
    ['let n = add_store("n"); scan(n, "", on);', "a scan of a store that this upgrade adds would meet no pair"],
    ['migrate("m", 2, 2);', "a step goes up"],
    ['migrate("m", 1, 2); migrate("m", 3, 4);', "ends where no other begins"],
    ['allow("all", "x");', "deleteStores, removeModules, writeStores, keepStores, emptyVersionMap"],
    ['delete_store("bank"); let b = store("bank");', "the store is gone before the handler runs"],
    ['let a = store("a"); let b = rename_store("a", "b");', "the old name is gone before the handler runs"],
    ['let a = rename_store("old", "a"); delete_store("old");', "deleted or renamed twice"],
    ['let a = store("a"); let b = read_store("a");', "a store is declared twice"],
    ['let a = store("Bank");', "consists of a to z"],
    ['let a = store("a/../b");', "between slashes"],
    ['let a = store("upgrade");', "read_store is all there is"],
    ['let a = store("a").prefix("0x01");', "without 0x"],
    ['let a = store("a").prefix("0102").prefix("01");', "begins with another of the same store"],
    ['let a = store("a"); scan(a, "0x", on);', "without 0x"],
    ['let a = store("a").prefix("02"); scan(a, "03", on);', "outside the prefixes of its store"],
    ['let a = store("a").prefix("02"); scan(a, "", on);', "outside the prefixes of its store"],
    ['migrate("m", 1, 2); remove_module("m");', "removed, and migrated or new"],
    ['remove_module("m"); remove_module("m");', "removed twice"],
    ['migrate("m", 1, 2); migrate("m", 1, 2);', "begin at the same version"],
    ['add_module("m\\u{85}", 2);', "a control character"],
    ['add_module("", 2);', "1 to 140 bytes"],
    ['allow("writeStores", "a");', "does not do what is allowed"],
    ['allow("emptyVersionMap"); allow("emptyVersionMap");', "allowed twice"],
  ];
  const plans: typeof wrong = ["0", "2_000_000_000_000"].map((gas) => [`plan("p", ${gas});`, "1,000,000,000,000"]);
  for (const [source, words] of [...wrong.map(([rest, why]) => [`plan("p", 1); ${rest}`, why] as const), ...plans]) {
    const text = `#![no_std]\n#![allow(dead_code)]\nchain_upgrade_handler::handler! { ${source} }\n${given}\n`;
    writeFileSync(join(folder, "lib.rs"), text);
    const { status, stderr } = cargo(folder, "build", "--release");
    expect([status, stderr]).toEqual([101, expect.stringContaining(words)]);
  }
  rmSync(folder, { recursive: true, force: true });
});

const PANIC =
  "a panic of a handler in Rust with the standard library → its message, file and line, and the calls by Rust's names";

test.skipIf(noRust)(noRust ? `${PANIC} (skipped: ${noRust})` : PANIC, () => {
  const handler = openHandler(buildRust("test/guest/languages/panic-rust", "panic"));
  const scene = (value: string): Scene => ({ stores: { bank: [[["0x01", "a"], value]] } });
  const good = runScene(handler, scene("12"));
  expect(good.error).toBeUndefined();
  expect(good.stores.store("bank").get(bytes("0x02", "a"))).toEqual(big(12n));
  const { error, failure } = runScene(handler, scene("x"));
  expect(error).toMatchObject({ code: "UPG_MIGRATION_FAILED", details: { code: "-12" } });
  expect(error?.details["message"]).toMatch(/^panicked at lib\.rs:\d+:\d+:.*no number: x$/s);
  const names = failure?.frames.map(({ function: name }) => name) ?? [];
  expect(names.slice(-3)).toEqual(["core::panicking::panic_fmt", "panic::sum", "handler_run"]);
  expect(names.filter((name) => /^_(R|ZN)/.test(name))).toEqual([]);
});

const OWN = "guests/rust → its own tests hold";

test.skipIf(noRust)(noRust ? `${OWN} (skipped: ${noRust})` : OWN, () => {
  const { status, stdout, stderr } = cargo(join(ROOT, "guests/rust"), "test", "--lib", "--locked");
  expect([status, stdout + stderr]).toEqual([0, expect.stringMatching(/test result: ok\. [1-9]\d* passed; 0 failed/)]);
});
