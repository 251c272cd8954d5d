/** Settings of `start` with which the plan's block is not made → `pre-upgrade` refuses, and all that ask it say so. */

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { settingFlags } from "../../../../host/base/terminal/known-settings.js";
import { settledStart } from "../../../../host/cli/flags/start-settings.js";
import { preUpgrade } from "../../../../host/cli/offline/pre-upgrade.js";
import { hindrance } from "../../../../host/cli/offline/start-judgement.js";
import { makeProgram } from "../../../../host/cli/program/program.js";
import { rehearse } from "../../../../host/cli/rehearsal/rehearse.js";
import { HomeLock } from "../../../../host/node/home/home-lock.js";
import {
  ASKED_START,
  askedStartText,
  SIDECAR_LOCK,
  START_FILE,
  startUnderRunningSidecar,
  startUnderSidecar,
} from "../../../../host/node/home/supervised-start.js";
import { TestHome } from "../../../e2e/chaind.js";
import { exampleChain } from "../../../example-chain.js";
import { exampleContext } from "../../../example-context.js";
import { HANDLERS, rowsOf, scheduled } from "./homes.js";

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** As the command line reads them. */
async function settings(home: string) {
  const program = await makeProgram(exampleContext, ["pre-upgrade"], "0.0.0");
  program.setOptionValueWithSource("home", home, "cli");
  return {
    handlers: HANDLERS,
    settings: [...settingFlags(program, "app").keys()],
    start: () => settledStart(program, process.env, startUnderSidecar("chaind", home, process.env)),
  };
}

async function check(home: string): Promise<readonly [exit: number, text: string]> {
  const said: string[] = [];
  const exit = preUpgrade(exampleChain, home, await settings(home), (line) => said.push(line));
  return [exit, said.join("\n")];
}

const appToml = (home: string, text: string) => writeFileSync(join(home, "config", "app.toml"), text);

describe("pre-upgrade with settings of start, the plan v2 at height 9, next block 6", () => {
  test.each<[text: string, words: string, remedy: string]>([
    [
      'unsafe-skip-upgrades = "9"',
      "9 is in unsafe-skip-upgrades (unsafe-skip-upgrades in app.toml)",
      'unsafe-skip-upgrades ""',
    ],
    ['unsafe-skip-upgrades = "3,9,20"', "this node leaves out the upgrade", "unsafe-skip-upgrades 3,20"],
    ['skip-upgrade-heights = "9"', "9 is in skip-upgrade-heights", 'skip-upgrade-heights ""'],
    ["halt-height = 9", 'this node ends before block 9, which applies the upgrade "v2"', 'halt-height ""'],
    ["halt-height = 7", "halt-height is 7 (halt-height in app.toml)", 'halt-height ""'],
    [
      "max-blocks = 3",
      "max-blocks is 3 (max-blocks in app.toml): a node that is started now ends before",
      'max-blocks ""',
    ],
  ])("%s in app.toml → 30 with the command that removes it", async (text, words, remedy) => {
    const home = scheduled();
    appToml(home, `${text}\n`);
    const [exit, said] = await check(home);
    expect([exit, said]).toEqual([30, expect.stringContaining(words)]);
    expect(said).toContain(`chaind config set app ${remedy} --home ${home} [UPG_INVALID_CONFIG]`);
  });

  test.each<[variable: string, value: string, words: string]>([
    ["CHAIND_UNSAFE_SKIP_UPGRADES", "9", "unset CHAIND_UNSAFE_SKIP_UPGRADES"],
    ["CHAIND_HALT_HEIGHT", "9", "halt-height is 9 (CHAIND_HALT_HEIGHT in the environment)"],
    ["CHAIND_HALT_HEIGHT", "junk", 'invalid value "junk" of the environment\'s CHAIND_HALT_HEIGHT'],
    ["CHAIND_MIN_RETAIN_BLOCKS", "-1", "CHAIND_MIN_RETAIN_BLOCKS"],
    ["CHAIND_HANDLERS", "/no/such/folder", "--handlers: there is no folder /no/such/folder"],
  ])("%s=%s in the environment → 30", async (variable, value, words) => {
    const home = scheduled();
    vi.stubEnv(variable, value);
    expect(await check(home)).toEqual([30, expect.stringContaining(words)]);
  });

  test.each([
    'unsafe-skip-upgrades = "8,10"',
    "halt-height = 10",
    "halt-height = 0",
    "max-blocks = 4",
    "app-version = 2",
    'engine = "embedded"',
  ])("%s in app.toml → 0", async (text) => {
    const home = scheduled();
    appToml(home, `${text}\n`);
    expect(await check(home)).toEqual([0, expect.stringContaining("this binary can take over at the height")]);
  });

  test("a halt-height that is past → 30", async () => {
    const home = scheduled();
    appToml(home, "halt-height = 2\n");
    expect(await check(home)).toEqual([30, expect.stringContaining("halt-height is 2")]);
  });

  test("app-version hides the plan's version → not beyond the height, naming the setting; rehearse ends with 10; preflight: no handler", async () => {
    const home = scheduled();
    appToml(home, "app-version = 1\n");
    const [exit, said] = await check(home);
    expect(exit).toBe(0);
    expect(said).toMatch(/can go on until then, not beyond: .*; app-version is 1 \(app-version in app\.toml\), so/);
    const { exit: rehearsed } = await rehearse(exampleChain, {
      home,
      handlers: HANDLERS,
      appVersion: 1n,
      log: () => undefined,
    });
    expect(rehearsed).toBe(10);
    expect((await rowsOf(home, await settings(home))).get("handler")).toMatchObject({ state: "missing" });
  });

  const lastStart = (home: string, ...args: readonly string[]) => {
    mkdirSync(join(home, "cosmovisor"), { recursive: true });
    writeFileSync(join(home, "cosmovisor", START_FILE), JSON.stringify({ v: 1, args, service: null }));
  };

  test.each<[args: readonly string[], exit: number, words: string | RegExp]>([
    [["start", "--halt-height", "9"], 30, "halt-height is 9 (--halt-height of the sidecar's last start, "],
    [["start", "--halt-height=9"], 30, "start the sidecar without --halt-height"],
    [["start", "--log_level", "info", "--unsafe-skip-upgrades", "3,9"], 30, "this node leaves out the upgrade"],
    [["start", "--app-version", "1"], 0, "not beyond"],
    [["start", "--halt-height", "junk"], 30, "does not take the flags of the sidecar's last start"],
    [["--log_level", "info", "start", "--halt-height", "9"], 30, "halt-height is 9"],
    [["--trace", "--halt-height=9", "start"], 30, "halt-height is 9"],
    [["start", "--handlers", "none"], 30, /--handlers: there is no folder .*cosmovisor.none/],
    [["start", "--with-comet=false"], 30, "was decided by the embedded engine"],
    [["start", "--halt-height", "10", "--flag-of-another-version", "--x=y"], 0, "at the height"],
    [["version"], 0, "at the height"],
  ])("the sidecar was started with %j → %i", async (args, exit, words) => {
    const home = scheduled();
    lastStart(home, ...args);
    vi.spyOn(process.stderr, "write").mockReturnValue(true);
    const [status, said] = await check(home);
    expect(status).toBe(exit);
    if (typeof words === "string") expect(said).toContain(words);
    else expect(said).toMatch(words);
  });

  test.each<[args: readonly string[], exit: number, words: string]>([
    [["start", "--halt-height", "9"], 30, "halt-height is 9 (--halt-height of /etc/n.service)"],
    [["start", "--unsafe-skip-upgrades=9"], 30, "this node leaves out the upgrade"],
    [["start", "--bogus-flag", "3"], 30, "does not take the flags of /etc/n.service: unknown flag: --bogus-flag"],
    [["start", "--log_level", "info", "--home", "/h", "--trace"], 0, "at the height"],
  ])("asked for a start of a unit file with %j → %i, whatever the last start was", async (args, exit, words) => {
    const home = scheduled();
    lastStart(home, "start", "--halt-height", "8");
    vi.stubEnv(ASKED_START, askedStartText({ file: "/etc/n.service", folder: join(home, "cosmovisor"), args }));
    vi.stubEnv("DAEMON_NAME", "chaind");
    expect(await check(home)).toEqual([exit, expect.stringContaining(words)]);
    vi.stubEnv("DAEMON_NAME", "another");
    expect(startUnderSidecar("chaind", home, process.env)?.args).not.toEqual(args);
  });

  test("the record of a sidecar that does not run → pre-upgrade does not count it: another supervisor may start the node", async () => {
    const home = scheduled();
    lastStart(home, "start", "--halt-height", "9");
    const program = await makeProgram(exampleContext, ["pre-upgrade"], "0.0.0");
    program.setOptionValueWithSource("home", home, "cli");
    const lookNow = () =>
      settledStart(program, process.env, startUnderRunningSidecar("chaind", home, process.env)).haltHeight;
    expect(lookNow()).toBe(0n);
    const lock = HomeLock.acquire(join(home, "cosmovisor", SIDECAR_LOCK));
    try {
      expect(lookNow()).toBe(9n);
    } finally {
      lock.release();
    }
  });

  test("max-blocks of a node that runs → not known where it ends, wherever it is set; of one that does not → counted", async () => {
    const home = scheduled();
    const { start } = await settings(home);
    const plan = { name: "v2", height: 9n, info: "" };
    for (const [isRunning, maxBlocks, words] of [
      [true, 100, /counts from the node's start, which is not known here, and may end the node before block 9/],
      [false, 100, /^none$/],
      [false, 1, /a node that is started now ends before block 9/],
    ] as const) {
      const facts = { home, next: 6n, start: { ...start(), maxBlocks }, isRunning };
      expect(hindrance(plan, facts) ?? "none").toMatch(words);
    }
  });

  test("the sidecar was started with --max-blocks, and the height is reached → 0: the next start counts from there", async () => {
    const home = new TestHome().schedule({ name: "v2", height: 9n, info: "" }, 8n).path;
    lastStart(home, "start", "--max-blocks", "1");
    expect(await check(home)).toEqual([0, expect.stringContaining("can take over")]);
  });

  test("the sidecar's flags come before app.toml; a command that the sidecar runs reads them, too", async () => {
    const home = scheduled();
    lastStart(home, "start", "--halt-height", "0");
    appToml(home, "halt-height = 9\n");
    expect((await check(home))[0]).toBe(0);
    lastStart(home, "start", "--halt-height", "9");
    appToml(home, "halt-height = 0\n");
    expect(await check(home)).toEqual([30, expect.stringContaining("halt-height is 9")]);
    vi.stubEnv("CHAINVISOR_SUPERVISES", join(home, "cosmovisor"));
    expect(await check(home)).toEqual([30, expect.stringContaining("halt-height is 9")]);
  });

  test("another engine than the one that decided the blocks → 30, as start would end", async () => {
    const home = scheduled();
    appToml(home, 'engine = "cometbft"\n');
    expect(await check(home)).toEqual([30, expect.stringContaining("was decided by the embedded engine")]);
    appToml(home, "with-comet = false\n");
    expect((await check(home))[0]).toBe(30);
  });

  test("a damaged node key → 30; none → 0, as start makes one", async () => {
    const home = scheduled();
    expect((await check(home))[0]).toBe(0);
    writeFileSync(join(home, "config", "node_key.json"), "junk\n");
    expect(await check(home)).toEqual([30, expect.stringContaining("node_key.json holds no ed25519 node key")]);
  });

  test.each(["upgrade-info.json", "halt.json"])(
    "a folder in the place of %s → 30: no sidecar would see the height",
    async (name) => {
      const home = scheduled();
      rmSync(join(home, "data", name), { force: true });
      mkdirSync(join(home, "data", name));
      expect(await check(home)).toEqual([30, expect.stringContaining(`${name} is a folder`)]);
    },
  );

  test("preflight: CometBFT is to be started and its program is missing → a warning; nothing starts it → no row", async () => {
    const home = scheduled();
    const row = async () => (await rowsOf(home, await settings(home))).get("cometbft");
    vi.stubEnv("COMETBFT_BIN", "/no/such/cometbft");
    expect(await row()).toBeUndefined();
    appToml(home, 'engine = "cometbft"\n');
    const missing = { state: "warning", words: expect.stringContaining("/no/such/cometbft cannot be run") };
    expect(await row()).toMatchObject(missing);
    appToml(home, 'engine = "cometbft"\nwith-comet = false\n');
    expect(await row()).toBeUndefined();
  });

  test("preflight: the row `start` is missing", async () => {
    const home = scheduled();
    mkdirSync(join(home, "config"), { recursive: true });
    appToml(home, "halt-height = 9\n");
    const row = (await rowsOf(home, await settings(home))).get("start");
    expect(row).toMatchObject({ state: "missing", words: expect.stringContaining("halt-height is 9") });
  });
});
