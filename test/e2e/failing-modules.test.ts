/** A chain's program whose module throws in a block: how `start` and `upgrade rehearse` end. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, test, vi } from "vitest";
import { defineChain } from "../../host/chain/app/define-chain.js";
import { readRehearsal } from "../../host/cli/client/tx/rehearsal-report.js";
import { exampleChain } from "../example-chain.js";
import { ROOT } from "../house/sources.js";
import { DIST, loggedHalt, NO_SERVERS, run, TestHome } from "./chaind.js";
import { BLOCK_TIME, makeBlocksUpTo, schedule, withNode } from "./prepared-home.js";

// Each test starts several processes.
vi.setConfig({ testTimeout: 240_000 });

mkdirSync(join(ROOT, "build/run"), { recursive: true });
const folder = mkdtempSync(join(ROOT, "build/run/failing-modules-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const HEIGHT = 4n;
/** The chain as it was before the upgrade: its module `own` fails nowhere. */
const before = defineChain({
  name: "ownd",
  modules: [...exampleChain.modules, { name: "own", consensusVersion: 1n, stores: [] }],
});

/** Writes the program of the new version, whose module `own` has these functions as well. */
function program(name: string, functions: string): string {
  const file = join(folder, `${name}.mjs`);
  const source = `
import { auth, bank, defineChain, gov, migrate, runChain, staking, upgrade } from ${JSON.stringify(pathToFileURL(join(DIST, "node.js")).href)};
const at = (height, fails) => (context) => { if (context.height === height) fails(); };
const typeError = () => undefined.x;
const deep = () => 1 + deep();
// What no trap sees: it runs later, when no function of a module does.
const hidden = (status) => void Promise.resolve().then(() => process.exit(status));
const own = { name: "own", consensusVersion: 2n, stores: [], migrations: { 1: () => undefined }, ${functions} };
await runChain(defineChain({
  name: "ownd",
  modules: [auth(), bank(), staking(), gov(), upgrade({ attestations: 1n }), own],
  upgrades: [{ plan: "v2", from: { own: 1n }, handler: migrate }],
}));
`;
  writeFileSync(file, source);
  return file;
}

/** A home one block before its upgrade. */
function preparedHome(): TestHome {
  const home = new TestHome();
  withNode({ path: home.path, chain: before }, (node) => {
    schedule(node, { name: "v2", height: HEIGHT });
    makeBlocksUpTo(node, HEIGHT - 1n);
  });
  return home;
}

const CLOCK = ["--logical-clock", "--block-time", BLOCK_TIME, "--log_format", "json", ...NO_SERVERS];
const start = (file: string, home: TestHome, ...args: readonly string[]) =>
  run(file, ["start", "--home", home.path, ...CLOCK, ...args]).end;
const rehearse = (file: string, home: TestHome) => run(file, ["upgrade", "rehearse", "--home", home.path]).end;
const keptReport = (home: TestHome) => home.data("rehearsals/v2.json");
const readReport = (home: TestHome) => JSON.parse(readFileSync(keptReport(home), "utf8"));

interface Failing {
  readonly what: string;
  readonly functions: string;
  readonly code: string;
  readonly exit: number;
  /** What the message names. */
  readonly words: readonly string[];
}

const TYPE_ERROR = "Cannot read properties of undefined (reading 'x')";
const IN_UPGRADE: readonly Failing[] = [
  {
    what: "a begin blocker that throws",
    functions: `beginBlock: at(${HEIGHT}n, typeError)`,
    ...{ code: "UPG_MIGRATION_HOOK", exit: 20, words: ['after "v2" BeginBlock of module own failed', TYPE_ERROR] },
  },
  {
    what: "an end blocker that throws",
    functions: `endBlock: at(${HEIGHT}n, typeError)`,
    ...{ code: "UPG_MIGRATION_HOOK", exit: 20, words: ['after "v2" EndBlock of module own failed', TYPE_ERROR] },
  },
  {
    what: "an invariant that throws a TypeError",
    functions: 'invariants: [{ name: "total", check: typeError }]',
    ...{ code: "UPG_MIGRATION_INVARIANT", exit: 20, words: ['invariant "total" of module own failed', TYPE_ERROR] },
  },
  {
    what: "consensus parameters that throw, on the state before the block already",
    functions: `consensusParams: typeError`,
    ...{ code: "UPG_BUG_MODULE", exit: 70, words: ['consensusParams() of module "own" failed', TYPE_ERROR] },
  },
  {
    what: "a begin blocker that ends the process",
    functions: `beginBlock: at(${HEIGHT}n, () => process.exit(0))`,
    ...{ code: "UPG_MIGRATION_HOOK", exit: 20, words: ["BeginBlock of module own", "used process.exit()"] },
  },
  {
    what: "a migration that ends the process",
    functions: "migrations: { 1: () => process.exit(0) }",
    ...{
      code: "UPG_MIGRATION_FAILED",
      exit: 20,
      words: ["module own from version 1 to version 2 used process.exit()"],
    },
  },
  {
    what: "a probe that stops the process by a signal",
    functions: 'probe: () => process.kill(process.pid, "SIGTERM")',
    ...{ code: "UPG_MIGRATION_PROBE", exit: 20, words: ["used process.kill()"] },
  },
  {
    what: "a begin blocker that recurses without end",
    functions: `beginBlock: at(${HEIGHT}n, deep)`,
    ...{ code: "UPG_BUG_ENGINE_LIMIT", exit: 70, words: ["in BeginBlock of module own, the JavaScript", "stack"] },
  },
];

describe("in the upgrade's block", () => {
  test.each(IN_UPGRADE)(
    "$what → start exits $exit with $code in halt.json; a rehearsal predicts it",
    async (failing) => {
      const { functions, code, exit, words } = failing;
      const home = preparedHome();
      const file = program(`upgrade-${IN_UPGRADE.indexOf(failing)}`, functions);

      const rehearsed = await rehearse(file, home);
      expect(rehearsed.exit, rehearsed.stderr).toBe(exit);
      expect(rehearsed.stdout).toContain(`WOULD FAIL (exit ${exit}) ${code}`);
      expect(rehearsed.stdout).toContain(`At the height nodes would exit with ${exit}`);
      const report = readReport(home);
      expect(report).toMatchObject({ verdict: "would fail", exit, code, plan: { name: "v2", height: "4" } });
      for (const word of words) expect(report.message).toContain(word);
      expect(readRehearsal(keptReport(home))).toMatchObject({ verdict: "would fail", exit });

      const end = await start(file, home);
      expect(end.exit, end.stderr).toBe(exit);
      const record = home.haltRecord;
      expect(record).toMatchObject({ code, height: "4", last_committed_height: "3" });
      expect(loggedHalt(end)).toMatchObject({ code, height: "4" });
      for (const word of words) expect(record?.message).toContain(word);
    },
  );

  test.each([
    ["a rejected promise", "void Promise.reject(new Error('of no one'))"],
    ["a promise that ends the process", "hidden(0)"],
    ["the same with 13, of an event loop that is empty", "hidden(13)"],
  ])("a migration that leaves %s → a rehearsal exits 70; what the home keeps counts as failed", async (what, code) => {
    const home = preparedHome();
    const file = program(`ends-${what.length}`, `migrations: { 1: () => { ${code}; } }`);
    const rehearsed = await rehearse(file, home);
    expect([rehearsed.exit, rehearsed.stdout]).toEqual([70, ""]);
    expect(rehearsed.stderr).toMatch(/^Error: .* \[UPG_BUG_/m);
    expect(readReport(home)).toMatchObject({ verdict: "cannot be rehearsed", exit: 70, code: "UPG_BUG_NO_RESULT" });
    const preflight = await run(file, ["upgrade", "preflight", "--home", home.path]).end;
    expect(preflight.stdout).toMatch(/^rehearsal +MISSING .*has no result/m);
  });

  test("a module that fails nowhere → the block is made, by the same program otherwise", async () => {
    const home = preparedHome();
    const file = program("sound", "");
    const rehearsed = await rehearse(file, home);
    expect(rehearsed.stdout).toContain("WOULD APPLY (exit 0)");
    const end = await start(file, home, "--max-blocks", "2");
    expect(end.exit, end.stderr).toBe(0);
    expect(home.haltRecord).toBeUndefined();
  });
});

describe("in an ordinary block", () => {
  test.each(["beginBlock", "endBlock"] as const)(
    "%s that throws → exit 70, UPG_BUG_MODULE in halt.json",
    async (hook) => {
      const home = preparedHome();
      const file = program(hook, `${hook}: at(6n, typeError)`);
      const end = await start(file, home);
      expect(end.exit, end.stderr).toBe(70);
      const facts = { code: "UPG_BUG_MODULE", height: "6", last_committed_height: "5" };
      expect(home.haltRecord).toMatchObject({ ...facts, cause: "bug" });
      expect(loggedHalt(end)).toMatchObject(facts);
      const name = hook === "beginBlock" ? "BeginBlock" : "EndBlock";
      expect(home.haltRecord?.message).toContain(`${name} of module own failed at height 6: ${TYPE_ERROR}`);
      expect(home.haltRecord?.next).toContain("Report it");
    },
  );
});
