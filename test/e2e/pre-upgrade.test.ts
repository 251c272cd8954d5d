/** `chaind pre-upgrade`: what a sidecar learns before and at the height of a plan. */

import { execFile, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { writeConsensusKey } from "../../host/cli/flags/key-files.js";
import { preUpgrade } from "../../host/cli/offline/pre-upgrade.js";
import { rehearse } from "../../host/cli/rehearsal/rehearse.js";
import { textReport } from "../../host/cli/rehearsal/report/text.js";
import { consensusKey } from "../../host/node/home/consensus-key.js";
import { exampleChain } from "../example-chain.js";
import { build, guest } from "../guest/build.js";
import { chaindHere } from "../in-process.js";
import { DIST, TestHome } from "./chaind.js";
import { CommandLine } from "./command-line.js";
import { schedule, withNode } from "./prepared-home.js";

describe("pre-upgrade", () => {
  test("the handler of the due plan is here → 0; it is not → 30; the home stays as it is", async () => {
    const line = new CommandLine();
    const { path } = new TestHome().schedule({ name: "v2", height: 4n }, 3n);
    const height = async () => (await line.json("export", "--home", path))["initial_height"];
    const ready = await line.run(["pre-upgrade", "--home", path]);
    expect(ready.stderr).toContain('the plan "v2" is due in the next block, 4: this binary can take over; start it');
    expect(ready.exit).toBe(0);
    const without = await line.run(["pre-upgrade", "--home", path, "--handlers", join(path, "none")]);
    expect(without.exit).toBe(30);
    expect(without.stderr).toContain("has no handler for it [UPG_HALT_UPGRADE_NEEDED]");
    mkdirSync(join(path, "handlers", "staged"), { recursive: true });
    const [file, wasm] = [join(path, "handlers", "staged", "v2.wasm"), build(guest(), { name: "v9" })];
    writeFileSync(file, wasm);
    const said: string[] = [];
    expect(preUpgrade(exampleChain, path, { handlers: join(path, "none") }, (text) => said.push(text))).toBe(30);
    const hash = createHash("sha256").update(wasm).digest("hex");
    expect(said.join("\n")).toContain(`for it; the staged file ${file} is for the plan "v9" (sha256 ${hash}) [UPG_`);
    const folder = { home: path, handlers: join(path, "none"), log: () => undefined };
    const report = await rehearse(exampleChain, folder);
    expect([report.exit, report.next]).toEqual([10, expect.stringContaining(`file ${file} is for the plan "v9"`)]);
    expect(textReport(report).match(/^not checked/gm)).toHaveLength(1);
    expect((await line.run(["pre-upgrade"])).exit).toBe(30);
    expect(await height()).toBe("4");
  });

  test("no --home, as Cosmovisor calls it → the home of DAEMON_HOME; the program's own variable and --home count more", async () => {
    const { path } = new TestHome().schedule({ name: "v2", height: 4n }, 3n);
    const check = async (env: Readonly<Record<string, string>>, ...flags: readonly string[]) =>
      (await chaindHere(["pre-upgrade", ...flags], { env })).status;
    const none = join(path, "none");
    expect(await check({ DAEMON_HOME: path })).toBe(0);
    expect(await check({ DAEMON_HOME: path, CHAIND_HOME: none })).toBe(30);
    expect(await check({ DAEMON_HOME: none, CHAIND_HOME: path })).toBe(0);
    expect(await check({ DAEMON_HOME: path }, "--home", none)).toBe(30);
  });

  test("settings that no start accepts, skip the plan or hide its version → not ready, by rehearse as well", async () => {
    const line = new CommandLine();
    const { path } = new TestHome().schedule({ name: "v2", height: 9n }, 3n);
    const check = (env: Readonly<Record<string, string>> = {}) => line.run(["pre-upgrade", "--home", path], "", env);
    const toml = join(path, "config", "app.toml");
    writeFileSync(toml, "[grpc\n");
    expect(await check()).toMatchObject({ exit: 30, stderr: expect.stringContaining("UPG_INVALID_CONFIG") });
    writeFileSync(toml, 'unsafe-skip-upgrades = "9"\nhalt-height = 9\n');
    for (const setting of ["unsafe-skip-upgrades", "halt-height"]) {
      const { exit, stderr } = await check();
      expect([exit, stderr]).toEqual([30, expect.stringContaining(setting)]);
      const [, command = ""] = /: chaind (config set .*) \[UPG_INVALID_CONFIG\]/.exec(stderr) ?? [];
      const words = command.split(" ").map((word) => (word === '""' ? "" : word));
      expect((await line.run(words)).exit, command).toBe(0);
    }
    expect((await check()).exit).toBe(0);
    expect((await check({ CHAIND_HALT_LINGER: "junk" })).exit).toBe(30);
    const old = { CHAIND_APP_VERSION: "1" };
    expect(await check(old)).toMatchObject({ exit: 0, stderr: expect.stringContaining("CHAIND_APP_VERSION") });
    const rehearsed = await line.run(["upgrade", "rehearse", "--home", path], "", old);
    expect(rehearsed).toMatchObject({ exit: 10, stderr: expect.stringContaining("CHAIND_APP_VERSION") });
    expect((await line.run(["upgrade", "preflight", "--home", path], "", old)).exit).toBe(30);
  });

  test("another consensus key than the one that made the blocks → 30, as start would end", () => {
    const { path } = new TestHome().schedule({ name: "v2", height: 9n }, 3n);
    writeConsensusKey(join(path, "config", "priv_validator_key.json"), consensusKey(new Uint8Array(32).fill(9)));
    const said: string[] = [];
    expect(preUpgrade(exampleChain, path, {}, (line) => said.push(line))).toBe(30);
    expect(said.join("\n")).toContain("block 4 is decided by another key than");
  });

  test("the plan is ahead, its handler comes with the program and fits → 0 with the height, whether a node runs or not", async () => {
    const line = new CommandLine();
    const home = new TestHome().schedule({ name: "v2", height: 9n }, 3n);
    const { path } = home;
    const check = () =>
      spawnSync(process.execPath, [join(DIST, "chaind.js"), "pre-upgrade", "--home", path], { encoding: "utf8" });
    const text = 'the plan "v2" is due at height 9, and the next block is 4: this binary can take over at the height';
    const alone = await chaindHere(["pre-upgrade", "--home", path]);
    expect([alone.status, alone.stderr]).toEqual([0, expect.stringContaining(text)]);
    const without = await chaindHere(["pre-upgrade", "--home", path, "--handlers", join(path, "none")]);
    expect([without.status, without.stderr]).toEqual([0, expect.stringContaining("go on until then, not beyond")]);
    const before = await line.json("export", "--home", path);
    const beside = withNode({ path, handlers: join(DIST, "handlers"), appVersion: 1n }, () => check());
    expect([beside.status, beside.stderr]).toEqual([0, expect.stringContaining(text)]);
    expect(await line.json("export", "--home", path)).toEqual(before);
    // What it says of a start before the height.
    const early = await home.startHere();
    expect(early.exit).toBe(11);
  });

  test("the plan is ahead, its handler comes with the program and does not fit → 30 with what the height would end with", async () => {
    const { path } = new TestHome().schedule({ name: "v2", height: 9n }, 3n);
    const handlers = join(path, "of-the-program");
    mkdirSync(handlers);
    const check = () =>
      spawnSync(process.execPath, [join(DIST, "chaind.js"), "pre-upgrade", "--home", path, "--handlers", handlers], {
        encoding: "utf8",
      });
    const storeUpgrades = { added: ["bank"] };
    for (const [fields, code] of [
      [{ storeUpgrades, versions: { bank: { from: [7], to: 8 } } }, "UPG_HANDLER_LAYOUT"],
      [{ storeUpgrades: { added: ["bank", "gov"] } }, "UPG_STORE_UPGRADE"],
      [{ storeUpgrades: {} }, "UPG_STORE_UPGRADE"],
      [{ storeUpgrades, versions: { bank: { from: [1], to: 9 } } }, "UPG_MIGRATION_VERSION_MAP"],
      [
        { storeUpgrades: { ...storeUpgrades, deleted: ["gov"] }, allows: { deleteStores: ["gov"] } },
        'the module "gov" is in the version map and has no store ("gov")',
      ],
    ] as const) {
      writeFileSync(join(handlers, "v2.wasm"), build(guest(), { name: "v2", ...fields }));
      const alone = await chaindHere(["pre-upgrade", "--home", path, "--handlers", handlers]);
      expect([alone.status, alone.stderr], alone.stderr).toEqual([30, expect.stringContaining(code)]);
      const beside = withNode({ path, handlers: join(DIST, "handlers"), appVersion: 1n }, check);
      expect([beside.status, beside.stderr]).toEqual([30, expect.stringContaining(code)]);
    }
  });

  test("the plan is ahead, its staged handler does not fit → the error is the plan's, not the state's; at the height it is alone", () => {
    for (const [height, words] of [
      [9n, 'the plan "v2" is due at height 9, and the next block is 4: the upgrade cannot be made there: '],
      [4n, ""],
    ] as const) {
      const { path } = new TestHome().schedule({ name: "v2", height }, 3n);
      mkdirSync(join(path, "handlers", "staged"), { recursive: true });
      const wasm = build(guest(), { name: "v2", storeUpgrades: {} });
      writeFileSync(join(path, "handlers", "staged", "v2.wasm"), wasm);
      const said: string[] = [];
      expect(preUpgrade(exampleChain, path, { handlers: join(path, "none") }, (text) => said.push(text))).toBe(30);
      expect(said.at(-1)).toMatch(new RegExp(`^Error: ${words}the stores do not fit: .* \\[UPG_STORE_UPGRADE\\]$`));
    }
  });

  test("the plan is ahead, its handler lies in <home>/handlers → 30 with the command that stages it", async () => {
    const line = new CommandLine();
    const home = new TestHome().schedule({ name: "v2", height: 4n }, 3n);
    expect((await home.startHere("--max-blocks", "2")).exit).toBe(0);
    withNode({ path: home.path, handlers: join(DIST, "handlers") }, (node) =>
      schedule(node, { name: "v9", height: 100_000n }),
    );
    mkdirSync(join(home.path, "handlers"));
    writeFileSync(join(home.path, "handlers", "v9.wasm"), build(guest(), { name: "v9" }));
    const early = await line.run(["pre-upgrade", "--home", home.path]);
    expect(early.exit).toBe(30);
    const [, command = ""] =
      / \(exit 11\); stage it: (mkdir .*) \[UPG_HALT_BINARY_TOO_EARLY\]\n/.exec(early.stderr) ?? [];
    await promisify(execFile)("/bin/sh", ["-c", command]);
    const staged = await line.run(["pre-upgrade", "--home", home.path]);
    expect([staged.exit, staged.stderr]).toEqual([0, expect.stringContaining("apply the upgrade at the height")]);
  });

  test("less disk than the upgrade may need → warning by start and by pre-upgrade, by flag and by app.toml; enough → figures", async () => {
    const line = new CommandLine();
    const home = new TestHome().schedule({ name: "v2", height: 9n }, 3n);
    const much = String(Number.MAX_SAFE_INTEGER);
    const short = /disk: .* free, the upgrade "v2" may need at most 8\.0 PiB: .*--handler-disk-max/;
    const enough = /disk: .* free, the upgrade "v2" may need at most \d+\.\d MiB["\n]/;
    const check = (...flags: readonly string[]) => line.run(["pre-upgrade", "--home", home.path, ...flags]);
    const warned = await check("--handler-disk-max", much);
    expect([warned.exit, warned.stderr]).toEqual([0, expect.stringMatching(short)]);
    expect(warned.stderr).toMatch(/^warning: disk: /m);
    expect((await check("--handler-disk-max", "0")).stderr).toMatch(enough);
    for (const [max, said] of [
      [much, short],
      ["0", enough],
    ] as const) {
      const { stderr } = await home.startHere("--app-version", "1", "--max-blocks", "2", "--handler-disk-max", max);
      const text = stderr.replaceAll('\\"', '"');
      expect(text).toMatch(said);
      expect(text.match(/disk: /g)).toHaveLength(1);
    }
    writeFileSync(join(home.path, "config", "app.toml"), `handler-disk-max = ${much}\n`);
    expect((await check()).stderr).toMatch(short);
  });

  test("the plan is due and another process has the home → 31 with its handler, 30 without", () => {
    const { path } = new TestHome().schedule({ name: "v2", height: 4n }, 3n);
    const check = (...flags: readonly string[]) =>
      spawnSync(process.execPath, [join(DIST, "chaind.js"), "pre-upgrade", "--home", path, ...flags], {
        encoding: "utf8",
      });
    const [ready, without] = withNode({ path, handlers: join(DIST, "handlers") }, () => [
      check(),
      check("--handlers", join(path, "none")),
    ]);
    expect([ready?.status, ready?.stderr]).toEqual([31, expect.stringContaining("try again")]);
    expect([without?.status, without?.stderr]).toEqual([30, expect.stringContaining("has no handler for it")]);
    expect(check().status).toBe(0);
  });
});
