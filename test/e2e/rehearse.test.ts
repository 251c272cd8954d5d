/** `chaind upgrade rehearse`: what it predicts is what the upgrade then does, and what would go wrong is said before. */

import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test, vi } from "vitest";
import { sha256 } from "../../host/base/native/sha256.js";
import { toHex } from "../../host/base/text/bytes.js";
import { rehearse } from "../../host/cli/rehearsal/rehearse.js";
import type { RehearseOptions } from "../../host/cli/rehearsal/rehearse-options.js";
import { textReport } from "../../host/cli/rehearsal/report/text.js";
import { COSMOSHUB_2, cosmoshub2Genesis } from "../cosmoshub-2.js";
import { exampleChain } from "../example-chain.js";
import { build, data, type GuestParts, guest, type ManifestSource } from "../guest/build.js";
import { chaindHere } from "../in-process.js";
import { DIST, TestHome } from "./chaind.js";
import { withNode } from "./prepared-home.js";

// `rehearse` gives way to every other process of the machine: beside other tests it can wait for minutes.
vi.setConfig({ testTimeout: 300_000 });

const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-rehearse-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const HANDLERS = join(DIST, "handlers");

const scheduled = (height: bigint, upTo: bigint) => new TestHome().schedule({ name: "v2", height }, upTo);
const run = (home: TestHome, options: Partial<RehearseOptions> = {}) =>
  rehearse(exampleChain, { home: home.path, handlers: HANDLERS, log: () => undefined, ...options });

const MANIFEST = {
  stores: [
    { name: "auth", access: "rw" },
    { name: "bank", access: "rw" },
  ],
  storeUpgrades: { added: ["bank"], renamed: [], deleted: [] },
  versions: { auth: { from: [1], to: 2 }, bank: { from: [1], to: 2 } },
};
const SET = '(import "chain" "store_set" (func $set (param i32 i32 i32 i32 i32) (result i32)))';

let files = 0;
function handlerFile(parts: GuestParts, manifest: ManifestSource & object = {}): string {
  const file = join(folder, `handler-${files++}.wasm`);
  writeFileSync(file, build(guest(parts), { ...MANIFEST, ...manifest }));
  return file;
}

describe("rehearse() predicts", () => {
  test("at the height before → the app hash of the real block; the home's database stays as it was, byte for byte", async () => {
    const home = scheduled(5n, 4n);
    const before = toHex(sha256(readFileSync(home.data("chain.mdb"))));
    const report = await run(home, { runs: 3, isIdempotent: true, gas: true, accepted: ["idempotence"] });
    expect(toHex(sha256(readFileSync(home.data("chain.mdb"))))).toBe(before);
    expect(report, report.message).toMatchObject({
      verdict: "would apply",
      exit: 0,
      state: { is_exact: true, kind: "home" },
    });
    expect(report.applied).toMatchObject({ depends_on_time: false, gas: expect.stringMatching(/^\d+$/) });
    expect(report.applied?.app_hashes.map((each) => each.nanos_from)).toEqual([0, 268_435_456, 2_097_152]);
    expect(report.applied?.runs).toHaveLength(3);
    expect(report.applied?.receipt).toMatchObject({ plan: "v2", height: "5" });
    expect(report.applied?.gas_profile?.phases.length).toBeGreaterThan(2);
    expect((await home.startHere("--max-blocks", "1")).exit).toBe(0);
    expect(home.last).toEqual({ height: "5", appHash: report.applied?.app_hash });
    const later = await run(home, { at: 4n });
    expect(later.applied?.app_hash).toBe(report.applied?.app_hash);
  });

  test("blocks before the height, on a chain that changes nothing until then → the app hash of the real block all the same", async () => {
    const home = scheduled(9n, 4n);
    const report = await run(home);
    expect(report.state).toMatchObject({ height: "4", block_height: "9", is_exact: false });
    expect(report.not_checked).toContain("plan");
    withNode({ path: home.path, handlers: HANDLERS, appVersion: 1n }, (node) => {
      while (node.app.lastCommitID.version < 8n) node.makeBlock();
    });
    expect((await home.startHere("--max-blocks", "1")).exit).toBe(0);
    expect(home.last.appHash).toBe(report.applied?.app_hash);
  });

  test("beside a node that goes on → the same prediction, from the state that was there; with a copy too", async () => {
    const home = scheduled(1_000n, 4n);
    const alone = await run(home, { at: 4n });
    const [beside, copied] = await new Promise<Awaited<ReturnType<typeof run>>[]>((resolve, reject) => {
      withNode({ path: home.path, handlers: HANDLERS, appVersion: 1n }, (node) => {
        for (let i = 0; i < 5; i++) node.makeBlock();
        // The command runs in a process of its own, since this one is the node's.
        const line = (...more: readonly string[]) => {
          const end = spawnSync(
            process.execPath,
            [join(DIST, "chaind.js"), "upgrade", "rehearse", "--home", home.path, "--at", "4", "-o", "json", ...more],
            { encoding: "utf8" },
          );
          if (end.status !== 0) reject(new Error(end.stderr + end.stdout));
          return JSON.parse(end.stdout || "{}");
        };
        resolve([line(), line("--copy")]);
      });
    });
    expect(beside?.state?.kind).toBe("running home");
    expect(copied?.state?.kind).toBe("copy");
    expect(beside?.applied?.app_hash).toBe(alone.applied?.app_hash);
    expect(copied?.applied?.app_hash).toBe(alone.applied?.app_hash);
  });

  test("versions, stores, changed pairs in words, queries, invariants → what the block does", async () => {
    const diff = join(folder, "all.jsonl");
    const { applied, checks } = await run(scheduled(5n, 4n), { diff, shown: 2 });
    expect(applied?.versions).toContainEqual({ module: "bank", before: "1", after: "2" });
    expect(applied?.stores.find(({ name }) => name === "bank")).toMatchObject({ fate: "added", pairs_before: "0" });
    expect(applied?.invariants.map(({ name }) => name)).toContain("supply");
    const lines = readFileSync(diff, "utf8").trim().split("\n");
    expect(lines).toHaveLength(Number(applied?.changes.total));
    const all = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(all).toContainEqual(
      expect.objectContaining({ store: "bank", record: "supply", key: "ustake", change: "added" }),
    );
    expect(all).toContainEqual(
      expect.objectContaining({ store: "upgrade", record: "module version", key: "bank", before: "1", after: "2" }),
    );
    expect(all.filter(({ record }) => record === "")).toEqual([]);
    const supply = applied?.queries.find(({ method }) => method.endsWith("/TotalSupply"));
    expect([supply?.is_same, supply?.lost]).toEqual([true, null]);
    const passed = checks.filter(({ result }) => result === "passed").map(({ name }) => name);
    expect(passed).toEqual(
      expect.arrayContaining(["plan", "determinism", "time", "supply", "queries", "disk", "memory"]),
    );
  });
});

describe.skipIf(!existsSync(COSMOSHUB_2))("rehearse() on cosmoshub-2's state", () => {
  test("before the height, by a clock of milliseconds → the app hash that the upgrade has, by the nanoseconds of its block", async () => {
    const home = new TestHome(cosmoshub2Genesis()).schedule({ name: "v2", height: 4n }, 3n);
    const report = await run(home, { runs: 3 });
    expect(report, report.message).toMatchObject({ verdict: "would apply", state: { is_exact: true } });
    expect((await home.startSlowly("--max-blocks", "1").end).exit).toBe(0);
    const nanos = withNode(
      { path: home.path, handlers: HANDLERS },
      ({ lastBlock }) => lastBlock?.header.time.nanos ?? 0,
    );
    const own = report.applied?.app_hashes.find((each) => nanos >= each.nanos_from && nanos <= each.nanos_to);
    expect(home.last).toEqual({ height: "4", appHash: own?.app_hash });
    expect(Number(report.applied?.stores.find(({ name }) => name === "bank")?.added)).toBeGreaterThan(1_000);
  });
});

describe("rehearse() warns of a handler that", () => {
  const SUPPLY = data(16, "\x02\x01zustake") + data(32, "77");
  const CASES: readonly (readonly [what: string, exit: number, code: string, words: string, file: () => string])[] = [
    [
      "breaks the supply",
      20,
      "UPG_MIGRATION_INVARIANT",
      "accounts hold 77ustake, and the supply is 0ustake",
      () =>
        handlerFile({
          imports: SET,
          more: SUPPLY,
          run: "(drop (call $set (i32.const 1) (i32.const 16) (i32.const 9) (i32.const 32) (i32.const 2))) (i32.const 0)",
        }),
    ],
    [
      "deletes gov",
      20,
      "UPG_MIGRATION_VERSION_MAP",
      'removes the module "gov", without which the chain cannot go on',
      () => handlerFile({}, { removes: ["gov"], storeUpgrades: { added: ["bank"], renamed: [], deleted: ["gov"] } }),
    ],
    [
      "forgets to raise a version",
      20,
      "UPG_MIGRATION_VERSION_MAP",
      'writes to the store "staking" of the module "staking", whose version stays 1',
      () =>
        handlerFile(
          {
            imports: SET,
            more: SUPPLY,
            run: "(drop (call $set (i32.const 0) (i32.const 16) (i32.const 9) (i32.const 32) (i32.const 2))) (i32.const 0)",
          },
          { stores: [{ name: "staking", access: "rw" }] },
        ),
    ],
    [
      "runs out of memory",
      21,
      "UPG_HANDLER_TRAP",
      "out of memory: 4 MiB",
      () =>
        handlerFile({
          run: "(loop $more (br_if $more (i32.ne (memory.grow (i32.const 16)) (i32.const -1)))) unreachable",
          memory: '(memory (export "memory") 16 64)',
        }),
    ],
    [
      "takes another layout",
      21,
      "UPG_HANDLER_LAYOUT",
      "auth is stored at 1",
      () => handlerFile({}, { versions: { auth: { from: [5], to: 6 } } }),
    ],
    [
      "nodes refuse",
      21,
      "UPG_HANDLER_FORMAT",
      "",
      () => {
        const file = join(folder, "bad.wasm");
        writeFileSync(file, "bad");
        return file;
      },
    ],
  ];

  for (const [what, exit, code, words, file] of CASES) {
    test(`${what} → exit ${exit}, ${code}, in words; a start ends with the same and nothing is written`, async () => {
      const home = scheduled(5n, 4n);
      const handler = file();
      const before = home.last;
      const report = await run(home, { handler });
      expect(report, report.message).toMatchObject({ exit, code, applied: null });
      expect(report.message).toContain(words);
      expect(textReport(report)).toMatch(/nothing was written/);
      expect(report.commands.length).toBeGreaterThan(0);
      const own = mkdtempSync(join(folder, "own-"));
      writeFileSync(join(own, "h.wasm"), readFileSync(handler));
      // Found in the home: readiness knows by the hash which file failed.
      const hash = code === "UPG_HANDLER_FORMAT" ? undefined : toHex(sha256(readFileSync(handler)));
      if (hash) expect((await run(home, { handlers: own })).handler?.sha256).toBe(hash);
      expect((await home.startHere("--handlers", own)).exit).toBe(exit);
      expect(home.last).toEqual(before);
    });
  }
});

describe("chaind upgrade rehearse", () => {
  const chaind = (...args: readonly string[]) => chaindHere(["upgrade", "rehearse", ...args]);

  test("--require all where something is not checked → exit 1, in the headline too, with each by its name; what was checked → 0", async () => {
    const { path } = scheduled(5n, 4n);
    const page = join(path, "..", "required.html");
    const all = await chaind("--home", path, "--require", "all", "--report", page);
    expect(all.status, all.stderr).toBe(1);
    expect(all.stdout).toMatch(/^WOULD APPLY \(exit 1\): .*; required checks that were not made: pin, idempotence\n/);
    expect(all.stdout).toMatch(
      /required, not made: pin: the plan pins no handler\nrequired, not made: idempotence: \S/,
    );
    expect(readFileSync(page, "utf8")).toContain('<th scope="row">Exit status</th><td>1</td>');
    const json = await chaind("--home", path, "--require", "all", "-o", "json");
    expect(json.status).toBe(1);
    expect(JSON.parse(json.stdout)).toMatchObject({
      exit: 0,
      unmet: [/pin: not checked, /, /idempotence: not checked, /].map((each) => expect.stringMatching(each)),
    });
    const met = await chaind("--home", path, "--require", "plan,time,supply");
    expect(met.status).toBe(0);
    expect(met.stdout).toMatch(/^WOULD APPLY \(exit 0\): /);
    expect(await chaind("--home", path, "--require", "luck")).toMatchObject({ status: 2 });
  });

  test("no handler → 10; a version that is kept → 0", async () => {
    const { path } = scheduled(5n, 4n);
    const none = await chaind("--home", path, "--handlers", join(path, "none"));
    expect([none.status, none.stdout]).toEqual([10, expect.stringContaining("WOULD HALT (exit 10)")]);
    expect((await chaind("--home", path, "--at", "3")).status).toBe(0);
  });

  test("--diff or --report in a missing folder → 2, and the report that is kept stays", async () => {
    const { path } = scheduled(5n, 4n);
    expect((await chaind("--home", path)).status).toBe(0);
    const kept = join(path, "data/rehearsals/v2.json");
    const before = readFileSync(kept, "utf8");
    for (const flag of ["--diff", "--report"]) {
      const { status, stderr } = await chaind("--home", path, flag, join(folder, "absent/x"));
      expect([status, stderr]).toEqual([
        2,
        expect.stringContaining(`the folder ${join(folder, "absent")} does not exist`),
      ]);
    }
    expect(readFileSync(kept, "utf8")).toBe(before);
    expect(existsSync(join(folder, "absent"))).toBe(false);
  });

  test("no plan → 3; one that nobody has scheduled yet → rehearsed, which is named as not checked; a report", async () => {
    const early = new TestHome();
    withNode({ path: early.path, handlers: HANDLERS, appVersion: 1n }, (node) => node.makeBlock());
    expect((await chaind("--home", early.path)).status).toBe(3);
    const named = await chaind("--home", early.path, "--plan", "v2", "--report", join(folder, "r.html"), "-o", "json");
    expect(JSON.parse(named.stdout), named.stdout.slice(0, 600)).toMatchObject({
      exit: 0,
      not_checked: expect.arrayContaining(["plan"]),
    });
    expect(readFileSync(join(folder, "r.html"), "utf8")).toContain('<svg role="img"');
  });
});
