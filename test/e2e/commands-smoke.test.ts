/**
 * Each command of both programs, once, as a process of the built package. What the commands do is tested where they are called as
 * functions (component/, in-process.ts); here is only that the programs that people start have them.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { VERSION } from "../../host/base/terminal/version.js";
import { demoCommand } from "../../host/cli/demo/run-demo.js";
import { makeProgram } from "../../host/cli/program/program.js";
import { makeProgram as makeVisorProgram } from "../../host/visor/run/program.js";
import { exampleContext } from "../example-context.js";
import { genesisText } from "../scenario/genesis-text.js";
import { DIST } from "./chaind.js";
import { makeHome, withNode } from "./prepared-home.js";

const root = mkdtempSync(join(tmpdir(), "chain-upgrade-smoke-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const home = join(root, "home");
beforeAll(() => {
  mkdirSync(join(root, "visor/cosmovisor/genesis/bin"), { recursive: true });
  writeFileSync(join(root, "visor/cosmovisor/genesis/bin/chaind"), "#!/bin/sh\n", { mode: 0o755 });
  makeHome(home, genesisText());
  withNode({ path: home, handlers: join(DIST, "handlers"), appVersion: 1n }, (node) => [
    node.makeBlock(),
    node.makeBlock(),
  ]);
});

/** Words of a simple use, the exit status, and a part of what it prints. */
type Use = readonly [words: readonly string[], exit: number, printed: string];

const NO_NODE = ["--node", "tcp://127.0.0.1:1"];
const CHAIND: Readonly<Record<string, Use>> = {
  backup: [["backup", join(root, "copy")], 0, "verified"],
  comet: [["comet", "show-node-id"], 0, ""],
  compact: [["compact"], 0, ""],
  completion: [["completion", "bash"], 0, "__complete"],
  config: [["config", "view", "app"], 0, ""],
  demo: [["demo", "--help"], 0, "chaind demo"],
  export: [["export"], 0, '"app_state"'],
  genesis: [["genesis", "validate"], 0, ""],
  handler: [["handler", "check", join(DIST, "handlers/split-balances.wasm")], 0, "v2"],
  help: [["help"], 0, "Available Commands"],
  init: [["init", "one", "--home", join(root, "new")], 0, ""],
  keys: [["keys", "list"], 0, ""],
  localnet: [["localnet", "--help"], 0, "chaind localnet"],
  "pre-upgrade": [["pre-upgrade"], 0, ""],
  query: [["query", "upgrade", "plan", ...NO_NODE], 1, "UPG_REMOTE_UNAVAILABLE"],
  relay: [["relay", "--help"], 0, "chaind relay"],
  replay: [["replay", "--from", home], 0, ""],
  rescue: [["rescue", "--help"], 0, "chaind rescue"],
  rollback: [["rollback", "--help"], 0, "chaind rollback"],
  snapshots: [["snapshots", "list"], 0, ""],
  start: [["start", "--help"], 0, "chaind start"],
  status: [["status", ...NO_NODE], 1, "UPG_REMOTE_UNAVAILABLE"],
  tx: [["tx", "bank", "send", "--help"], 0, "chaind tx bank send"],
  upgrade: [["upgrade", "rehearse"], 3, ""],
  verify: [["verify"], 0, ""],
  "verify-chain": [["verify-chain", "--help"], 0, "chaind verify-chain"],
  version: [["version"], 0, VERSION],
};

const CHAINVISOR: Readonly<Record<string, Use>> = {
  "add-batch-upgrade": [["add-batch-upgrade"], 2, "--upgrade-file"],
  "add-upgrade": [["add-upgrade", "--help"], 0, "chainvisor add-upgrade"],
  backups: [["backups"], 0, ""],
  completion: [["completion", "bash"], 0, "__complete"],
  config: [["config"], 0, ""],
  doctor: [["doctor"], 2, "wrong"],
  help: [["help"], 0, "Available Commands"],
  init: [["init", "--help"], 0, "chainvisor init"],
  plan: [["plan"], 0, ""],
  prepare: [["prepare", "--help"], 0, "chainvisor prepare"],
  restart: [["restart", "--help"], 0, "chainvisor restart"],
  rollback: [["rollback", "--help"], 0, "chainvisor rollback"],
  run: [["run", "start"], 0, "the application has ended with 0"],
  service: [["service", "start"], 0, "[Unit]"],
  "show-upgrade-info": [["show-upgrade-info"], 0, "No upgrade info"],
  status: [["status"], 3, "No sidecar runs"],
  version: [["version", "--cosmovisor-only"], 0, VERSION],
};

const ENV: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "chaind.js": { CHAIND_HOME: home, CHAIND_KEYRING_BACKEND: "test" },
  "chainvisor.js": { DAEMON_HOME: join(root, "visor"), DAEMON_NAME: "chaind", CHAINVISOR_STATUS_ADDRESS: "" },
};

async function ends(program: string, words: readonly string[]) {
  const child = spawn(process.execPath, [join(DIST, program), ...words], {
    ...{ env: { ...process.env, ...ENV[program] }, stdio: ["ignore", "pipe", "pipe"] },
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (printed += text));
  const [exit] = (await once(child, "close")) as [number | null];
  return { exit, printed };
}

test("the tables have every command", async () => {
  const namesOf = (program: { readonly commands: readonly { name(): string }[] }) =>
    program.commands.map((each) => each.name()).filter((name) => !name.startsWith("_"));
  expect(Object.keys(CHAIND).sort()).toEqual(
    namesOf(await makeProgram(exampleContext, [], VERSION, [demoCommand])).sort(),
  );
  const tools = {} as Parameters<typeof makeVisorProgram>[2];
  expect(Object.keys(CHAINVISOR).sort()).toEqual(namesOf(await makeVisorProgram([], VERSION, tools)).sort());
});

test.each(Object.entries(CHAIND))("chaind %s", async (_, [words, exit, part]) => {
  const end = await ends("chaind.js", words);
  expect(end.exit, end.printed).toBe(exit);
  expect(end.printed).toContain(part);
});

test.each(Object.entries(CHAINVISOR))("chainvisor %s", async (_, [words, exit, part]) => {
  const end = await ends("chainvisor.js", words);
  expect(end.exit, end.printed).toBe(exit);
  expect(end.printed).toContain(part);
});
