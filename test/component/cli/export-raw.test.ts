/** Export of a chain with a store that only a handler of its home knows: a genesis made of it begins a chain that has it. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { toHex } from "../../../host/base/text/bytes.js";
import { DIST, TestHome } from "../../e2e/chaind.js";
import { CommandLine } from "../../e2e/command-line.js";
import { makeBlocksUpTo, schedule, withNode } from "../../e2e/prepared-home.js";
import { build, data, guest } from "../../guest/build.js";

vi.setConfig({ testTimeout: 120_000 });

const HANDLERS = join(DIST, "handlers");

/** Adds module and store "dots" with the pair k → 7. */
const addingDots = () =>
  build(
    guest({
      imports: '(import "chain" "store_set" (func $set (param i32 i32 i32 i32 i32) (result i32)))',
      run: "(drop (call $set (i32.const 0) (i32.const 16) (i32.const 1) (i32.const 17) (i32.const 1))) (i32.const 0)",
      more: data(16, "k7"),
    }),
    {
      name: "v3",
      stores: [{ name: "dots", access: "rw" }],
      storeUpgrades: { added: ["dots"] },
      versions: { dots: { to: 1 } },
    },
  );

/** Raises module bank from version 2 to 3. */
const raisingBank = () =>
  build(guest({ run: "(i32.const 0)" }), {
    name: "v4",
    stores: [{ name: "bank", access: "rw" }],
    versions: { bank: { from: [2], to: 3 } },
  });

async function apply(home: TestHome, name: string, handler: Uint8Array): Promise<void> {
  withNode({ path: home.path, handlers: HANDLERS }, (node) => {
    const height = node.app.nextHeight + 2n;
    schedule(node, { name, height });
    makeBlocksUpTo(node, height - 1n);
  });
  const folder = join(home.path, "handlers");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.wasm`), handler);
  const end = await home.startHere("--max-blocks", "1");
  expect(end.exit, end.stderr).toBe(0);
}

test("export with a store of a home handler → carried pair by pair, and again by the next chain; an unknown layout → refused", async () => {
  const home = new TestHome().schedule({ name: "v2", height: 4n }, 3n);
  expect((await home.startHere("--max-blocks", "2")).exit).toBe(0);
  await apply(home, "v3", addingDots());
  const line = new CommandLine();
  const exported = await line.run(["export", "--home", home.path]);
  expect(exported.exit, exported.stderr).toBe(0);
  const { app_state, consensus } = JSON.parse(exported.stdout) as Exported;
  expect(app_state.raw.stores).toEqual(["dots"]);
  expect(app_state.raw.pairs).toEqual([{ store: "dots", key: btoa("k"), value: btoa("7") }]);
  expect(app_state.raw.module_versions).toContainEqual({ name: "dots", version: "1" });
  expect(consensus.params.version).toEqual({ app: "2" });

  const file = `${line.home}.json`;
  writeFileSync(file, exported.stdout);
  await line.json("init", "next", "--chain-id", "demo-2", "--genesis", file);
  expect(await line.json("genesis", "validate")).toMatchObject({ app_version: "2" });
  expect((await line.runNode("--max-blocks", "2")).exit).toBe(0);
  expect((await line.runNode("--max-blocks", "1")).exit).toBe(0);
  withNode({ path: line.home, handlers: HANDLERS }, ({ app }) => {
    expect(app.version.modules.get("dots")).toBe(1n);
    const value = app.at().stores.store("dots").get(Uint8Array.of(0x6b));
    expect(value && toHex(value)).toBe("37");
  });
  const again = JSON.parse((await line.run(["export"])).stdout) as Exported;
  expect(again.app_state).toEqual(app_state);
  for (const [name, change] of WRONG) {
    const document = JSON.parse(exported.stdout) as Exported;
    change(document.app_state.raw);
    writeFileSync(file, JSON.stringify(document));
    const refused = await line.run(["genesis", "validate", file]);
    expect([name, refused.exit], refused.stdout).toEqual([name, 2]);
    expect(refused.stderr, name).toContain("genesis.app_state.raw");
  }
  rmSync(file);

  await apply(home, "v4", raisingBank());
  const unknown = await line.run(["export", "--home", home.path]);
  expect([unknown.exit, unknown.stdout]).toEqual([2, ""]);
  expect(unknown.stderr).toContain('module "bank" has version 3 in this state');
});

interface Raw {
  module_versions: { name: string; version: string }[];
  stores: string[];
  pairs: { store: string; key: string; value: string }[];
}

interface Exported {
  readonly app_state: { readonly raw: Raw };
  readonly consensus: { readonly params: { readonly version: object } };
}

const WRONG: readonly (readonly [string, (raw: Raw) => void])[] = [
  ["a module that is missing", (raw) => void raw.module_versions.shift()],
  ["a store of the program", (raw) => raw.stores.push("bank")],
  ["a store's name", (raw) => raw.stores.push("Dots")],
  ["a store's name that is a path", (raw) => raw.stores.push("../../../dots")],
  ["a pair of no store", (raw) => raw.pairs.push({ store: "lines", key: btoa("a"), value: "" })],
  ["a key twice", (raw) => raw.pairs.push(...raw.pairs)],
  ["an empty key", (raw) => raw.pairs.unshift({ store: "dots", key: "", value: "" })],
  ["no base64", (raw) => raw.pairs.push({ store: "dots", key: "?", value: "" })],
];
