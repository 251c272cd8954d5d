/**
 * Whatever a handler does wrong, and wherever: the process ends with the code of it, the database holds what it held,
 * and the chain goes on with the old version, the upgrade's height skipped.
 */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { sha256 } from "../../host/base/native/sha256.js";
import { compareBytes, concatBytes, toHex, utf8 } from "../../host/base/text/bytes.js";
import { LmdbDatabase } from "../../host/state/store/disk/lmdb-database.js";
import { readModule } from "../../host/upgrade/wasm/decode.js";
import { customSection } from "../guest/build.js";
import { compileSource, IMPORTS } from "../guest/kit/author.js";
import { DIST, loggedHalt, TestHome } from "./chaind.js";

// Compilers share the machine with everything else.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const HEIGHT = 5n;
const SPLIT_BALANCES = join(DIST, "handlers/split-balances.wasm");

/** Everything that the database holds: keys and hashes of values. */
function contents(home: TestHome): string[] {
  const database = new LmdbDatabase(home.data("chain.mdb"), { readOnly: true });
  try {
    const keys = database.keys({ start: Uint8Array.of(0), end: Uint8Array.of(0xff) }).sort(compareBytes);
    return keys.map((key) => `${toHex(key)}=${toHex(sha256(database.get(key) ?? new Uint8Array(0)))}`);
  } finally {
    database.close();
  }
}

/** split-balances with another gas limit: the same code, stopped somewhere. */
function withGasLimit(limit: bigint): Uint8Array {
  const bytes = new Uint8Array(readFileSync(SPLIT_BALANCES));
  const custom = readModule(bytes).customs.find(({ name }) => name === "chain-upgrade.manifest");
  if (!custom) throw new Error("no manifest");
  const { start, end } = custom.section;
  const manifest = JSON.parse(Buffer.from(bytes.subarray(custom.payloadStart, end)).toString()) as object;
  const payload = utf8(JSON.stringify({ ...manifest, gasLimit: String(limit) }));
  return concatBytes(bytes.subarray(0, start), bytes.subarray(end), customSection("chain-upgrade.manifest", payload));
}

const DECLARATION = `
plan("v2", 1_000_000_000);
const auth = store("auth").prefix("01");
const bank = addStore("bank");
const stray = new Writer();
let pairs = 0;
`;
const VERSIONS = `migrate("auth", 1, 2); migrate("bank", 1, 2);`;
const onSecondPair = (what: string, more = "") => `${DECLARATION} ${VERSIONS} ${more}
scan(auth, "01", onPair);
function onPair(key: Bytes, value: Bytes): void {
  bank.set(key, value);
  auth.delete(key);
  pairs += 1;
  if (pairs == 2) { ${what} }
}`;

/** By what is wrong: the source, the code, the exit status. */
const SOURCES: readonly (readonly [what: string, code: string, exit: number, source: string])[] = [
  ["fail()", "UPG_MIGRATION_FAILED", 20, onSecondPair(`fail(7, "no");`)],
  ["an assertion", "UPG_MIGRATION_FAILED", 20, onSecondPair("assert(false);")],
  ["a trap", "UPG_HANDLER_TRAP", 21, onSecondPair("unreachable();")],
  ["a loop without end", "UPG_MIGRATION_OUT_OF_GAS", 20, onSecondPair("while (true) pairs += 1;")],
  ["all the memory", "UPG_HANDLER_TRAP", 21, onSecondPair("while (true) stray.reserve(1_048_576);")],
  [
    "recursion without end",
    "UPG_HANDLER_STACK",
    21,
    `${onSecondPair("pairs = deeper(1);")}\nfunction deeper(depth: i32): i32 { return deeper(depth + 1) + depth; }`,
  ],
  ["a key outside its prefixes", "UPG_HANDLER_TRAP", 21, onSecondPair("auth.set(stray.clear().u8(2), value);")],
  [
    "a frame of nonsense",
    "UPG_HANDLER_TRAP",
    21,
    `import { store_write } from "chain-upgrade/assembly/handler/imports";\n${onSecondPair("store_write(key.ptr, 3);")}`,
  ],
  [
    "a pointer outside of its memory",
    "UPG_HANDLER_TRAP",
    21,
    onSecondPair("bank.set(key, stray.point(0xffff_0000, 10));"),
  ],
  [
    "an invariant that does not hold",
    "UPG_MIGRATION_INVARIANT",
    20,
    `${onSecondPair("", `invariant("never", never, "it never holds");`)}\nfunction never(): bool { return false; }`,
  ],
  [
    "a write by an invariant",
    "UPG_HANDLER_TRAP",
    21,
    onSecondPair("", `invariant("writes", writes);`) +
      "\nfunction writes(): bool { bank.set(stray.clear().u8(1), stray); return bank.has(stray); }",
  ],
  [
    "a step that fails",
    "UPG_MIGRATION_FAILED",
    20,
    `${DECLARATION} migrate("auth", 1, 2, step); migrate("bank", 1, 2);
function step(): void { bank.set(stray.clear().u8(1), stray); fail(1, "not so"); }`,
  ],
  ["another layout", "UPG_HANDLER_LAYOUT", 21, `${DECLARATION} migrate("auth", 5, 6);`],
  ["another version than the program's", "UPG_MIGRATION_VERSION_MAP", 20, `${DECLARATION} migrate("auth", 1, 7);`],
  ["a store that is not there", "UPG_HANDLER_LAYOUT", 21, `${DECLARATION} ${VERSIONS} store("nowhere");`],
];

const GAS_LIMITS = [1n, 10_000n, 11_000n, 15_000n, 20_000n, 30_000n, 40_000n, 50_000n, 60_000n];

describe("a handler that fails", () => {
  let home: TestHome;
  let before: string[];
  let built: ReadonlyMap<string, Uint8Array>;
  beforeAll(async () => {
    home = new TestHome().schedule({ name: "v2", height: HEIGHT }, HEIGHT - 1n);
    before = contents(home);
    const entries: [string, Uint8Array][] = [];
    for (const [what, , , source] of SOURCES)
      entries.push([what, (await compileSource(`${IMPORTS}\n${source}`)).bytes]);
    built = new Map(entries);
  });

  async function startWith(name: string, bytes: Uint8Array, ...args: string[]) {
    const folder = join(home.path, "tried", encodeURIComponent(name));
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "handler.wasm"), bytes);
    return home.startHere("--handlers", folder, ...args);
  }

  for (const [what, code, exit] of SOURCES) {
    test(`by ${what} → ${code} (${exit}); the database holds what it held`, async () => {
      const end = await startWith(what, built.get(what) as Uint8Array);
      expect(loggedHalt(end)?.["code"], end.stderr).toBe(code);
      expect(end.exit).toBe(exit);
      expect(contents(home)).toEqual(before);
      expect(home.haltRecord).toMatchObject({ code, last_committed_height: String(HEIGHT - 1n) });
    });
  }

  for (const limit of GAS_LIMITS) {
    test(`split-balances with ${limit} gas → UPG_MIGRATION_OUT_OF_GAS (20); the database holds what it held`, async () => {
      const end = await startWith(`gas-${limit}`, withGasLimit(limit));
      expect(loggedHalt(end)?.["code"], end.stderr).toBe("UPG_MIGRATION_OUT_OF_GAS");
      expect(end.exit).toBe(20);
      expect(contents(home)).toEqual(before);
    });
  }

  test("after all of them: the old version goes on with the height skipped, as one that never met a handler", async () => {
    const skip = ["--skip-upgrade-heights", String(HEIGHT), "--app-version", "1", "--max-blocks", "3"];
    const end = await startWith("none", readFileSync(SPLIT_BALANCES), ...skip);
    expect(end.exit, end.stderr).toBe(0);
    const untouched = new TestHome().schedule({ name: "v2", height: HEIGHT }, HEIGHT - 1n);
    copyFileSync(join(home.path, "config/genesis.json"), join(untouched.path, "config/genesis.json"));
    expect((await untouched.startHere(...skip)).exit).toBe(0);
    expect(home.last).toEqual(untouched.last);
    expect(BigInt(home.last.height)).toBe(HEIGHT + 2n);
  });

  test("after all of them, on a fresh copy: the right handler applies the upgrade", async () => {
    const other = new TestHome().schedule({ name: "v2", height: HEIGHT }, HEIGHT - 1n);
    expect((await other.start("--max-blocks", "1").end).exit).toBe(0);
    expect(BigInt(other.last.height)).toBe(HEIGHT);
  });
});
