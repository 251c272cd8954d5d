/** After the first block the genesis document is not read: gone, another one, or too large for memory, the chain goes on. */
import { existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { TestHome } from "./chaind.js";
import { CommandLine } from "./command-line.js";

vi.setConfig({ testTimeout: 120_000 });

const file = (home: TestHome) => join(home.path, "config", "genesis.json");

/** A home at height 2. */
async function begun(): Promise<TestHome> {
  const home = new TestHome();
  const end = await home.startHere("--max-blocks", "2");
  expect(end.exit, end.stderr).toBe(0);
  return home;
}

async function goesOn(home: TestHome): Promise<string> {
  const end = await home.startHere("--max-blocks", "1");
  expect(end.exit, end.stderr).toBe(0);
  expect(home.last.height).toBe("3");
  return end.stderr;
}

describe("start at a height above 0", () => {
  test("the document is as it was → no word of it", async () => {
    expect(await goesOn(await begun())).not.toContain("genesis.json");
  });

  test("no document → a warning", async () => {
    const home = await begun();
    rmSync(file(home));
    expect(await goesOn(home)).toContain("genesis.json is missing");
  });

  test("600 MB of something else → a warning, and nothing of it is read", async () => {
    const home = await begun();
    truncateSync(file(home), 600_000_000);
    expect(await goesOn(home)).toContain("genesis.json is another document");
  });

  test("another document of the same length → a warning, while blocks are made", async () => {
    const home = await begun();
    const text = readFileSync(file(home), "utf8");
    writeFileSync(file(home), text.replace("scenario-1", "scenario-2"));
    const node = home.startSlowly();
    await node.says("genesis.json is another document");
    node.child.kill("SIGTERM");
    expect((await node.end).exit).toBe(0);
  });
});

describe("start at height 0", () => {
  test("a wrong entry far down a list → its path, exit 2, and no database: the home can be made again", async () => {
    const line = new CommandLine();
    await line.json("init", "one", "--chain-id", "demo-1");
    await line.json("keys", "add", "alice");
    await line.json("genesis", "add-account", "alice", "1000ustake", "--validator");
    const path = join(line.home, "config", "genesis.json");
    const document = JSON.parse(readFileSync(path, "utf8")) as { app_state: { bank: { balances: object[] } } };
    document.app_state.bank.balances.push({ address: "cosmos1nothing", coins: [] });
    writeFileSync(path, JSON.stringify(document));
    const end = await line.runNode("--max-blocks", "1");
    expect(end.exit).toBe(2);
    const named = `${path}: genesis.app_state.bank.balances[${document.app_state.bank.balances.length - 1}].address: `;
    expect(end.stderr).toContain(named);
    expect(existsSync(join(line.home, "data", "chain.mdb"))).toBe(false);
    expect((await line.run(["genesis", "validate"])).stderr).toContain(named);
    const taken = await line.run(["init", "two", "--genesis", path, "--home", `${line.home}-two`]);
    expect(taken.stderr).toContain(named);
  });

  test.each([
    [
      "no validator",
      /"validators":\[.*?\],"delegations"/,
      '"validators":[],"delegations"',
      "has no validator: give one",
    ],
    [
      "max_gas that is no number",
      /"max_gas":"-1"/,
      '"max_gas":"abc"',
      'genesis.consensus.params.block.max_gas: expected an integer, got "abc"',
    ],
    ["a duration without its unit", /"voting_period":"[0-9]+s"/, '"voting_period":"5"', 'from JSON: "5": write "5s"'],
    ["an app version of another program", /"version":\{\}/, '"version":{"app":"77"}', "names app version 77"],
  ])("%s → `genesis validate` refuses it with 2, as start does", async (_what, pattern, wrong, message) => {
    const line = new CommandLine();
    await line.json("init", "one", "--chain-id", "demo-1");
    await line.json("keys", "add", "alice");
    await line.json("genesis", "add-account", "alice", "1000ustake", "--validator");
    const path = join(line.home, "config", "genesis.json");
    const text = JSON.stringify(JSON.parse(readFileSync(path, "utf8")));
    expect(text).toMatch(pattern);
    writeFileSync(path, text.replace(pattern, wrong));
    for (const end of [await line.run(["genesis", "validate"]), await line.runNode("--max-blocks", "1")]) {
      expect(end.exit, end.stdout).toBe(2);
      expect(end.stderr).toContain(message);
    }
  });
});
