/** Files of a home that were lost: what the message proposes is run, and the node makes blocks again. */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Home } from "../../host/node/home/home.js";
import { genesisText } from "../scenario/genesis-text.js";
import { CommandLine } from "./command-line.js";
import { makeHome, withNode } from "./prepared-home.js";

const root = mkdtempSync(join(tmpdir(), "cu-lost-"));
const made = join(root, "made");
afterAll(() => rmSync(root, { recursive: true, force: true }));
beforeAll(() => {
  makeHome(made, genesisText());
  withNode({ path: made, handlers: join(root, "none") }, (node) => [node.makeBlock(), node.makeBlock()]);
});

/** A home with two blocks, of which a file is moved to a backup. */
function without(file: (home: Home) => string) {
  const line = new CommandLine();
  cpSync(made, line.home, { recursive: true });
  const home = new Home(line.home);
  const lost = file(home);
  const backup = join(root, `backup-${line.home.split("-").at(-1)}`);
  renameSync(lost, backup);
  return { line, home, lost, restore: () => renameSync(backup, lost) };
}
const oneBlock = ["--max-blocks", "1"] as const;
const record = (home: Home) => JSON.parse(readFileSync(home.lastSignedFile, "utf8")) as Record<string, unknown>;

describe("a lost node key", () => {
  test("start → a new one, and a warning with the new id, which is shown from then on", async () => {
    const { line, home } = without(({ nodeKeyFile }) => nodeKeyFile);
    const { exit, stderr } = await line.runNode(...oneBlock);
    expect(exit, stderr).toBe(0);
    const { node_id } = await line.json("comet", "show-node-id");
    expect(stderr).toContain(`node_key.json was missing: made a new node key, so this node now has the id ${node_id}`);
    expect(existsSync(home.nodeKeyFile)).toBe(true);
    expect((await line.runNode(...oneBlock)).stderr).not.toContain("was missing");
  });

  test("show-node-id → 2 that names gen-node-key; that makes one, and refuses to replace it", async () => {
    const { line } = without(({ nodeKeyFile }) => nodeKeyFile);
    const { exit, stderr } = await line.run(["comet", "show-node-id"]);
    expect(exit).toBe(2);
    expect(stderr).toContain(
      "restore it from your backup of keys, or make a new one with `chaind comet gen-node-key --home ",
    );
    const { node_id } = await line.json("comet", "gen-node-key");
    expect(await line.json("comet", "show-node-id")).toEqual({ node_id });
    const again = await line.run(["comet", "gen-node-key"]);
    expect(again.exit).toBe(2);
    expect(again.stderr).toContain("node_key.json exists");
    expect(await line.json("comet", "show-node-id")).toEqual({ node_id });
  });
});

test.each([
  ["config/priv_validator_key.json", ({ validatorKeyFile }: Home) => validatorKeyFile],
  ["config/", ({ configFolder }: Home) => configFolder],
])(
  "start without %s → 2: restore it from the backup, and no init; export works without; restored, it goes on",
  async (_name, file) => {
    const { line, restore } = without(file);
    const { exit, stderr } = await line.runNode(...oneBlock);
    expect(exit).toBe(2);
    expect(stderr).toContain("priv_validator_key.json is missing: restore it from your backup of keys");
    expect(stderr).not.toContain("init");
    expect(stderr).toContain("`chaind export --home ");
    expect((await line.run(["export"])).exit).toBe(0);
    restore();
    const after = await line.runNode(...oneBlock);
    expect(after.exit, after.stderr).toBe(0);
  },
);

test("a lost consensus key before the first block → init --overwrite, which then works; a lost document → init keeps the keys", async () => {
  const line = new CommandLine();
  const home = new Home(line.home);
  const { validator } = await line.json("init", "one");
  rmSync(home.genesisFile);
  expect(await line.json("init", "one")).toMatchObject({ validator });
  rmSync(home.validatorKeyFile);
  const { exit, stderr } = await line.runNode(...oneBlock);
  expect(exit).toBe(2);
  expect(stderr).toContain("`chaind init NAME --overwrite --home ");
  expect((await line.json("init", "one", "--overwrite"))["validator"]).not.toBe(validator);
});

describe("a lost record of what was signed", () => {
  test("start → made from the last block, with a warning; the node goes on from it", async () => {
    const { line, home } = without(({ lastSignedFile }) => lastSignedFile);
    const logs: string[] = [];
    withNode(
      { path: line.home, handlers: join(root, "none"), log: (_, message) => logs.push(message) },
      () => undefined,
    );
    expect(record(home)).toMatchObject({ height: "2" });
    expect(logs.join("\n")).toMatch(
      /priv_validator_state\.json was missing: made a new one from the database, whose last block is 2\..*restore the newest copy/,
    );
    const { exit, stderr } = await line.runNode(...oneBlock);
    expect(exit, stderr).toBe(0);
    expect(stderr).not.toContain("was missing");
    expect(record(home)).toMatchObject({ height: "3" });
  });

  test.each(["", "{", '{"height":7}'])(
    "that holds %j → 30, `verify` reports it, and the commands of halt.json help",
    async (text) => {
      const { line, home } = without(({ lastSignedFile }) => lastSignedFile);
      writeFileSync(home.lastSignedFile, text);
      const end = await line.runNode(...oneBlock);
      expect(end.exit).toBe(30);
      expect(end.stderr).toContain("priv_validator_state.json is empty or damaged: restore the newest copy of it");
      const verified = await line.run(["verify"]);
      expect([verified.exit, verified.stderr]).toEqual([
        30,
        expect.stringContaining("priv_validator_state.json is empty or damaged"),
      ]);
      const { commands, next } = JSON.parse(readFileSync(home.haltFile, "utf8")) as {
        commands: string[];
        next: string;
      };
      expect(next).toContain(`Restore the newest copy of ${home.lastSignedFile}`);
      const move = commands.find((command) => command.startsWith("mv ")) ?? "";
      expect(spawnSync("sh", ["-c", move]).status, move).toBe(0);
      const after = await line.runNode(...oneBlock);
      expect(after.exit, after.stderr).toBe(0);
      expect(after.stderr).toContain("priv_validator_state.json was missing: made a new one from the database");
      expect((await line.run(["verify"])).stderr).toContain("signed ✓");
    },
  );

  test("damaged → still 30; on a home without a block → says so, and goes on", async () => {
    const { line, home } = without(({ lastSignedFile }) => lastSignedFile);
    writeFileSync(home.lastSignedFile, "{");
    expect((await line.runNode(...oneBlock)).exit).toBe(30);
    const fresh = new CommandLine();
    makeHome(fresh.home, genesisText());
    rmSync(new Home(fresh.home).lastSignedFile);
    const { exit, stderr } = await fresh.runNode(...oneBlock);
    expect(exit, stderr).toBe(0);
    expect(stderr).toContain(
      "priv_validator_state.json was missing: made a new one from the database, whose last block is 0",
    );
  });
});

test.each([
  ["backup", (target: string) => ["backup", target]],
  ["init", (target: string) => ["init", "one", "--home", target]],
  ["init --genesis", (target: string) => ["init", "one", "--home", target, "--genesis", new Home(made).genesisFile]],
  ["keys add", (target: string) => ["keys", "add", "one", "--home", target]],
])(
  "%s into /proc, where nobody can make a folder → 30 at once, no hang",
  async (_name, args) => {
    const line = new CommandLine();
    cpSync(made, line.home, { recursive: true });
    const { exit, stderr } = await line.run(args("/proc/nothing/here"));
    expect(exit, stderr).toBe(30);
    expect(stderr).toContain("/proc/nothing");
  },
  20_000,
);
