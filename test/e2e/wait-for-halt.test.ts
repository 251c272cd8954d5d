/** The script of docs/operate.md that waits for a halt, where an earlier upgrade has left its halt.json. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { DIST, TestHome } from "./chaind.js";
import { pageText, runSession, sessionOf } from "./page-session.js";

const PAGE = pageText("docs/operate.md");
const HEADING = "### Wait for a halt in a script";
const SECTION = PAGE.slice(PAGE.indexOf(HEADING), PAGE.indexOf("### What a node keeps"));

const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-wait-"));
mkdirSync(join(folder, "bin"));
symlinkSync(join(DIST, "chaind.js"), join(folder, "bin/chaind"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A home that halted for its plan v2 at height 4. */
async function haltedHome(): Promise<TestHome> {
  const home = new TestHome().schedule({ name: "v2", height: 4n }, 3n);
  expect((await home.startHere("--app-version", "1")).exit).toBe(10);
  expect(JSON.parse(readFileSync(join(home.path, "data/halt.json"), "utf8"))).toMatchObject({ height: "4" });
  return home;
}

async function typed(home: TestHome, replaced: ReadonlyMap<string, string>) {
  for (const from of replaced.keys()) expect(SECTION).toContain(from);
  const off = { CHAIND_RPC_ENABLE: "false", CHAIND_API_ENABLE: "false", CHAIND_GRPC_ENABLE: "false" };
  const env = {
    ...{ ...off, CHAIND_HOME: home.path, CHAIND_BLOCK_TIME: "200ms" },
    PATH: `${join(folder, "bin")}${delimiter}${process.env["PATH"]}`,
  };
  return runSession(sessionOf(SECTION, replaced), { folder, env, millisMax: 60_000 });
}

test("the snippet with --halt-height → the halt of that height, not that of the upgrade before", async () => {
  const { exit, output } = await typed(await haltedHome(), new Map());
  expect(exit, output).toBe(0);
  expect(output).toMatch(/^UPG_HALT_HEIGHT at height 6$/m);
  expect(output).not.toContain("UPG_HALT_UPGRADE_NEEDED");
}, 120_000);

test("the snippet for a plan, at whose height the node ends again → the halt of that plan", async () => {
  const home = await haltedHome();
  const flag = "--halt-height $(($(chaind verify -o json | jq -r .height) + 3))";
  const { exit, output } = await typed(
    home,
    new Map([
      [flag, "--app-version 1"],
      ["# exit 13", "# exit 10"],
    ]),
  );
  expect(exit, output).toBe(0);
  expect(output).toMatch(/^UPG_HALT_UPGRADE_NEEDED at height 4$/m);
}, 120_000);
