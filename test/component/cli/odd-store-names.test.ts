/** Stores, modules and plans with names that programs stumble over: kept as they are, and never made into a path. */
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect, test, vi } from "vitest";
import { DIST, TestHome } from "../../e2e/chaind.js";
import { CommandLine } from "../../e2e/command-line.js";
import { makeBlocksUpTo, schedule, withNode } from "../../e2e/prepared-home.js";
import { build, data, guest } from "../../guest/build.js";

vi.setConfig({ testTimeout: 120_000 });

const HANDLERS = join(DIST, "handlers");
const PLAN = "../../../../x/constructor";
const NAMES = ["__proto__", "a..b/..c", "constructor"];

const set = (handle: number) =>
  `(drop (call $set (i32.const ${handle}) (i32.const 16) (i32.const 1) (i32.const 17) (i32.const 1)))`;
const handler = () =>
  build(
    guest({
      imports: '(import "chain" "store_set" (func $set (param i32 i32 i32 i32 i32) (result i32)))',
      run: `${NAMES.map((_, handle) => set(handle)).join(" ")} (i32.const 0)`,
      more: data(16, "k7"),
    }),
    JSON.stringify({ abi: 1, name: PLAN, gasLimit: "10000000000", storeUpgrades: { added: NAMES } }).replace(
      /\}$/,
      `,"stores":${JSON.stringify(NAMES.map((name) => ({ name, access: "rw" })))},"versions":{${NAMES.map((name) => `${JSON.stringify(name)}:{"to":7}`).join()}}}`,
    ),
  );

/** Every file and folder of the test's own temporary folder that is not in the home's own three. */
function outside(home: string): string[] {
  const root = dirname(home);
  const found = readdirSync(root, { recursive: true, encoding: "utf8" });
  const own = ["config", "data", "handlers"].map((name) => relative(root, join(home, name)));
  return found.filter((path) => !own.some((folder) => path === folder || path.startsWith(`${folder}/`))).sort();
}

test("stores, modules and a plan with such names, from the handler to the next chain → kept, no file outside the home's folders", async () => {
  const home = new TestHome().schedule({ name: "v2", height: 4n }, 3n);
  expect((await home.startHere("--max-blocks", "2")).exit).toBe(0);
  const before = outside(home.path);
  const height = withNode({ path: home.path, handlers: HANDLERS }, (node) => {
    const at = node.app.nextHeight + 2n;
    schedule(node, { name: PLAN, height: at });
    makeBlocksUpTo(node, at - 1n);
    return at;
  });
  mkdirSync(join(home.path, "handlers"), { recursive: true });
  writeFileSync(join(home.path, "handlers", "odd.wasm"), handler());
  const end = await home.startHere("--max-blocks", "1");
  expect(end.exit, end.stderr).toBe(0);

  const line = new CommandLine();
  const exported = await line.run(["export", "--home", home.path]);
  expect(exported.exit, exported.stderr).toBe(0);
  const { raw } = (JSON.parse(exported.stdout) as { app_state: { raw: Raw } }).app_state;
  expect([...raw.stores].sort()).toEqual(NAMES);
  expect(raw.pairs.map(({ store }) => store).sort()).toEqual(NAMES);
  for (const name of NAMES) expect(raw.module_versions).toContainEqual({ name, version: "7" });

  expect(outside(home.path)).toEqual(before);
  const receipts = readdirSync(join(home.path, "data", "receipts"));
  expect(receipts).toContain(`${encodeURIComponent(PLAN)}.json`);
  const file = `${line.home}.json`;
  writeFileSync(file, exported.stdout);
  await line.json("init", "next", "--chain-id", "demo-2", "--genesis", file);
  expect((await line.runNode("--max-blocks", "2")).exit).toBe(0);
  expect(height).toBeGreaterThan(4n);
});

interface Raw {
  readonly stores: readonly string[];
  readonly pairs: readonly { readonly store: string }[];
  readonly module_versions: readonly object[];
}
