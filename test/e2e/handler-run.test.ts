import { readFileSync, writeFileSync } from "node:fs";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { sha256 } from "../../host/base/native/sha256.js";
import { toHex } from "../../host/base/text/bytes.js";
import type { GasProfile } from "../../host/upgrade/test-kit/gas/gas-profile.js";
import { compileMappedSource, compileSource, IMPORTS } from "../guest/kit/author.js";
import { chaindHere } from "../in-process.js";
import { TestHome } from "./chaind.js";
import { at, handler, type Json, SPLIT_BALANCES, written } from "./handler-line.js";

// Compilers share the machine with everything else.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const pick = ({ gas, app_hash }: Json) => ({ gas, app_hash });

describe("chaind handler run", () => {
  let home: TestHome;
  beforeAll(() => {
    home = new TestHome().schedule({ name: "v2", height: 5n }, 4n);
  });
  const database = () => toHex(sha256(readFileSync(home.data("chain.mdb"))));
  const run = (file: string, ...args: readonly string[]) =>
    handler("run", file, "--state", home.path, "--json", ...args);

  test("before the upgrade → what the upgrade block will commit, and nothing written; after it, with --height, the same", async () => {
    const before = database();
    const { exit, answer } = await run(SPLIT_BALANCES);
    expect(exit).toBe(0);
    expect(database()).toBe(before);
    const tried = answer();
    expect(tried).toMatchObject({ ok: true, code: "", message: "", version_map: { auth: "2", bank: "2" } });
    const other = new TestHome().schedule({ name: "v2", height: 5n }, 4n);
    expect((await other.startHere("--max-blocks", "1")).exit).toBe(0);
    expect(tried["app_hash"]).toBe(other.last.appHash);
    const later = (await handler("run", SPLIT_BALANCES, "--state", other.path, "--height", "4", "--json")).answer();
    const alike = { ms: 0, block_ms: 0, total_ms: 0, host_memory: "", host_disk: "" };
    expect({ ...later, ...alike }).toEqual({ ...tried, ...alike });
    for (const field of ["host_memory", "host_disk"]) expect(Number(tried[field])).toBeGreaterThan(4_096);
    const [ms, block, total] = [Number(tried["ms"]), Number(tried["block_ms"]), Number(tried["total_ms"])];
    expect([block >= ms, total >= block]).toEqual([true, true]);
    expect(Object.keys(tried["roots"] as Json)).toEqual(["auth", "bank", "gov", "staking"]);
    expect(tried).toMatchObject({ guest_memory: "1048576", note: expect.stringContaining("trial block") });
    const receipt = JSON.parse(readFileSync(other.data("receipts/v2.json"), "utf8")) as Json;
    expect(receipt["guest_memory"]).toBe(tried["guest_memory"]);
    expect(Number(receipt["host_memory"])).toBeGreaterThan(1_048_576);
    const unfit = await handler("run", SPLIT_BALANCES, "--state", other.path, "--json");
    expect(unfit).toMatchObject({ exit: 21 });
    expect(unfit.answer()).toMatchObject({
      code: "UPG_HANDLER_LAYOUT",
      message: expect.stringMatching(/"v2" was applied at height 5, .* Try the state before it: --height 4$/),
    });
  });

  test("of a plan that was applied, and the state before it is pruned → no height that cannot be read is advised", async () => {
    const other = new TestHome().schedule({ name: "v2", height: 5n }, 4n);
    expect((await other.startHere("--max-blocks", "1")).exit).toBe(0);
    expect((await chaindHere(["upgrade", "forget", "v2", "--home", other.path, "--yes"])).status).toBe(0);
    expect((await other.startHere("--max-blocks", "30", "--keep-versions", "1")).exit).toBe(0);
    const unfit = await handler("run", SPLIT_BALANCES, "--state", other.path, "--json");
    expect(unfit.answer()).toMatchObject({
      code: "UPG_HANDLER_LAYOUT",
      message: expect.stringMatching(
        /The state before it is pruned here: try a copy of the home from before that height$/,
      ),
    });
  });

  test("run --gas → the same run, and its gas by place, by what it paid for and by function", async () => {
    // The answer is parsed JSON; docs/openapi.json has no schema of it, so the test states the two members that it reads.
    const { gas_profile, ...plain } = (await run(SPLIT_BALANCES, "--gas")).answer() as unknown as {
      gas_profile: GasProfile;
    };
    const { phases, functions, outside } = gas_profile;
    // The other members of the same parsed JSON; those read here are strings.
    const { gas, app_hash, block_ms } = plain as unknown as Record<string, string>;
    expect({ gas, app_hash }).toMatchObject(pick((await run(SPLIT_BALANCES)).answer()));
    expect(Number(block_ms)).toBeGreaterThan(0);
    const sum = (list: readonly string[]) => String(list.reduce((whole, each) => whole + BigInt(each), 0n));
    expect(sum(phases.map((each) => each.gas))).toBe(gas);
    expect(sum([outside, ...functions.map((each) => each.own)])).toBe(gas);
    const { stdout } = await handler("run", SPLIT_BALANCES, "--state", home.path, "--gas");
    expect(stdout).toMatch(/\n {2}gas by function: /);
  });

  test("of a height that is absent → UPG_NOT_FOUND_VERSION, exit 3", async () => {
    const { exit, answer } = await run(SPLIT_BALANCES, "--height", "99");
    expect([exit, answer()["code"]]).toEqual([3, "UPG_NOT_FOUND_VERSION"]);
  });

  test("while a node runs in the home → an answer all the same", async () => {
    const busy = new TestHome().schedule({ name: "far", height: 1_000_000n }, 2n);
    const node = busy.startSlowly();
    await node.says("block made");
    const { exit, answer } = await handler("run", SPLIT_BALANCES, "--state", busy.path, "--json");
    node.child.kill("SIGTERM");
    expect((await node.end).exit).toBe(0);
    expect([exit, answer()["ok"]]).toEqual([0, true]);
  });

  const DECLARATION = `plan("own", 1_000_000_000); const auth = store("auth");`;
  for (const [what, code, exit, source] of [
    [
      "fails",
      "UPG_MIGRATION_FAILED",
      20,
      `${DECLARATION} migrate("auth", 1, 2, step); function step(): void { fail(1, "no"); }`,
    ],
    ["needs more gas than it has", "UPG_MIGRATION_OUT_OF_GAS", 20, `plan("own", 100); store("auth");`],
    [
      "traps",
      "UPG_HANDLER_TRAP",
      21,
      `${DECLARATION} migrate("auth", 1, 2, step); function step(): void { unreachable(); }`,
    ],
    [
      "takes another layout, whatever its stores",
      "UPG_HANDLER_LAYOUT",
      21,
      `plan("own", 100); addStore("auth"); migrate("auth", 4, 5);`,
    ],
    [
      "adds a store that is there",
      "UPG_STORE_UPGRADE",
      30,
      `plan("own", 1_000_000); addStore("auth"); migrate("auth", 1, 2);`,
    ],
    ["deletes a store that is not there", "UPG_STORE_UPGRADE", 30, `plan("own", 1_000_000); deleteStore("nowhere");`],
  ] as const) {
    test(`of a handler that ${what} → ${code}, exit ${exit}, nothing written`, async () => {
      const before = database();
      const file = written("own.wasm", (await compileSource(`${IMPORTS}\n${source}`)).bytes);
      const ended = await run(file);
      expect([ended.exit, ended.answer()["code"]]).toEqual([exit, code]);
      expect(ended.answer()).toMatchObject({ ok: false, writes: {}, app_hash: null });
      expect(database()).toBe(before);
    });
  }

  test("of two handlers that write the same → the same roots, and other app hashes", async () => {
    const tried = [];
    for (const why of ["no such key", "there is no such key"]) {
      const source = `${DECLARATION} migrate("auth", 1, 2); scan(auth, "", onPair);
        function onPair(key: Bytes, value: Bytes): void { if (context.height == 0) fail(1, "${why}"); auth.set(key, value); }`;
      tried.push((await run(written("same.wasm", (await compileSource(`${IMPORTS}\n${source}`)).bytes))).answer());
    }
    expect(tried[0]).toMatchObject({ ok: true });
    expect(tried[0]?.["roots"]).toEqual(tried[1]?.["roots"]);
    expect(tried[0]?.["app_hash"]).not.toBe(tried[1]?.["app_hash"]);
  });

  test("of a handler that fails on a pair → the scan, the store, the pair and its key, functions and lines by its map", async () => {
    const source = `${DECLARATION} migrate("auth", 1, 2); let n: u64 = 0; scan(auth, "", onPair);
      function onPair(key: Bytes, value: Bytes): void { n += 1; if (n == 3) fail(9, "the third"); }`;
    const { bytes, map } = await compileMappedSource(`${IMPORTS}\n${source}`);
    writeFileSync(at("pair.map.json"), map);
    const { exit, answer } = await run(written("pair.wasm", bytes));
    expect(exit).toBe(20);
    const failure = answer()["failure"] as Json;
    expect(failure).toMatchObject({ phase: 'scan 0 of store "auth"', store: "auth", pair: "3", out_of_memory: null });
    expect(failure["key"]).toMatch(/^[0-9a-f]+$/);
    expect(failure["frames"]).toContainEqual({
      ...{ function: "assembly/index/onPair", source: "assembly/index.ts", line: 3, column: expect.any(Number) },
    });
    const { stderr } = await handler("run", at("pair.wasm"), "--state", home.path);
    expect(stderr).toContain(`in scan 0 of store "auth", at pair 3, key 0x${String(failure["key"])}`);
    expect(stderr).toMatch(/\n {2}at onPair \(assembly\/index\.ts:3:\d+\)\n/);
  });

  test("of a file that nodes refuse → its code, exit 21; of no file → UPG_INVALID_ARGUMENT, exit 2", async () => {
    expect((await run(written("bad.wasm", Buffer.from("bad")))).answer()["code"]).toBe("UPG_HANDLER_FORMAT");
    const none = await run(at("nowhere"));
    expect([none.exit, none.answer()["code"]]).toEqual([2, "UPG_INVALID_ARGUMENT"]);
  });

  test("for people, of a handler that fails → one line on stderr after the gas, nothing on stdout", async () => {
    const { bytes } = await compileSource(`${IMPORTS}\n${DECLARATION} migrate("auth", 1, 2, () => fail(1, "no"));`);
    const { exit, stdout, stderr } = await handler("run", written("no.wasm", bytes), "--state", home.path);
    expect([exit, stdout]).toEqual([20, ""]);
    expect(stderr).toMatch(/\ngas until it failed: \d+\nError: .*no.* \[UPG_MIGRATION_FAILED\]\n$/);
    const none = await handler("run", at("nowhere"), "--state", home.path);
    expect([none.exit, none.stdout]).toEqual([2, ""]);
    expect(none.stderr).toBe(`Error: there is no file ${at("nowhere")} [UPG_INVALID_ARGUMENT]\n`);
  });
});
