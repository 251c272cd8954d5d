/** Commands of `chainvisor` that read and write files: Cosmovisor's own cases for them (facts 10.12 no. 9 to 10), output, exit statuses. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { chainvisorHere } from "../../in-process.js";

const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-chainvisor-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const home = join(folder, "home");
const ENV = { DAEMON_HOME: home, DAEMON_NAME: "myd" };
const exe = join(folder, "v1");
const LONG = '{"name":"myd","version":"1.2.3"}';
writeFileSync(exe, `#!/bin/sh\n[ "$2" = --long ] && echo '${LONG}' || echo "1.2.3"\n`, { mode: 0o755 });

const chainvisor = (args: readonly string[], env: Record<string, string> = ENV, stdin = "") =>
  chainvisorHere(args, { env, stdin });

describe("chainvisor", () => {
  test("version without a home → exit 2, DAEMON_NAME is not set; --cosmovisor-only needs none", async () => {
    const { status, stdout, stderr } = await chainvisor(["version"], {});
    expect([status, `${stdout}${stderr}`]).toEqual([2, expect.stringContaining("DAEMON_NAME is not set")]);
    expect(await chainvisor(["version", "--cosmovisor-only"], {})).toMatchObject({ status: 0, stderr: "" });
  });

  test("--help → the names of both variables and of every command of Cosmovisor", async () => {
    const { status, stdout } = await chainvisor(["--help"], {});
    expect(status).toBe(0);
    for (const word of ["Cosmovisor", "DAEMON_NAME", "DAEMON_HOME", "init", "run", "prepare", "config", "version"]) {
      expect(stdout).toContain(word);
    }
    for (const word of ["add-upgrade", "add-batch-upgrade", "show-upgrade-info", "doctor", "rollback"])
      expect(stdout).toContain(`  ${word} `);
  });

  test("service with a flag of the node and no -- → unknown flag, and where such flags go", async () => {
    const { status, stderr } = await chainvisor(["service", "start", "--log_format", "json"]);
    expect([status, stderr]).toEqual([
      2,
      expect.stringContaining("unknown flag: --log_format; flags of the node come after `--`; see"),
    ]);
  });

  test("service with the node's log format → the unit sets the sidecar's to the same", async () => {
    const { stdout } = await chainvisor(["service", "start", "--", "--log_format", "json"]);
    expect(stdout).toContain("\nEnvironment=CHAINVISOR_LOG_FORMAT=json\n");
    expect((await chainvisor(["service", "start"])).stdout).not.toContain("LOG_FORMAT");
    const env = { ...ENV, CHAIND_LOG_FORMAT: "json", DAEMON_NAME: "chaind" };
    expect((await chainvisor(["service", "start"], env)).stdout).toContain(
      "\nEnvironment=CHAINVISOR_LOG_FORMAT=json\n",
    );
  });

  test("run --help before there is a program → help of run, as `help run`; start → says `run start`", async () => {
    const help = (await chainvisor(["help", "run"], {})).stdout;
    expect(help).toContain("cosmovisor/current/bin");
    for (const env of [{}, ENV]) {
      expect(await chainvisor(["run", "--help"], env)).toMatchObject({ status: 0, stdout: help });
    }
    expect((await chainvisor(["--help"], {})).stdout).toContain("chainvisor help run");
    expect((await chainvisor(["start"])).stderr).toContain('did you mean "run start"?');
  });

  test("init, then again: y writes config.toml again, n keeps it", async () => {
    expect(await chainvisor(["init", exe])).toMatchObject({
      status: 0,
      stdout: expect.stringContaining(`make the node's home with \`myd init NAME --home ${home}\``),
    });
    expect((await chainvisor(["doctor"])).stdout).toContain(`→ myd init NAME --home ${home}`);
    const config = join(home, "cosmovisor/config.toml");
    const written = readFileSync(config, "utf8");
    writeFileSync(config, "# mine\n");
    expect((await chainvisor(["init", exe], ENV, "n\n")).stderr).toContain("file already exists, not overriding");
    expect(readFileSync(config, "utf8")).toBe("# mine\n");
    expect((await chainvisor(["init", exe], ENV, "y\n")).stderr).toContain(`config file written: ${config}`);
    expect(readFileSync(config, "utf8")).toBe(written);
  });

  test("version → the sidecar's and the program's; -o json → Cosmovisor's names", async () => {
    expect((await chainvisor(["version"])).stdout).toMatch(/^chainvisor version: \d+\.\d+\.\d+\n1\.2\.3\n$/);
    const json = JSON.parse((await chainvisor(["version", "-o", "json"])).stdout) as Record<string, unknown>;
    expect(json).toEqual({
      ...{ chainvisor_version: expect.any(String), cosmovisor_version: expect.any(String) },
      app_version: JSON.parse(LONG) as unknown,
    });
  });

  test("add-upgrade with a height → plan has it, the node's own file is not written", async () => {
    mkdirSync(join(home, "data"), { recursive: true });
    const copy = ["add-upgrade", "V2", exe, "--upgrade-height", "12"];
    expect(await chainvisor(copy)).toMatchObject({ status: 0 });
    expect(await chainvisor(["plan"])).toMatchObject({
      status: 30,
      stdout: expect.stringContaining("is a copy of the program"),
    });
    const other = join(home, "other");
    writeFileSync(other, `${readFileSync(exe, "utf8")}# The next version.\n`, { mode: 0o755 });
    expect(await chainvisor(copy.with(2, other).concat("--force"))).toMatchObject({ status: 0 });
    expect(existsSync(join(home, "data/upgrade-info.json"))).toBe(false);
    const { plans } = JSON.parse((await chainvisor(["plan", "-o", "json"])).stdout) as { plans: object[] };
    expect(plans).toMatchObject([{ name: "v2", height: "12", origin: "operator", is_ready: true }]);
    const file = join(home, "data/upgrade-info.json");
    expect((await chainvisor(["show-upgrade-info"])).stdout).toBe(`No upgrade info found at ${file}\n`);
    expect(await chainvisor(["show-upgrade-info", "-o", "json"])).toMatchObject({ status: 0, stdout: "null\n" });
    for (const [text, status] of [
      ['{"name":"v9","height":99}', 0],
      ['{"name":"v9","hei', 2],
    ] as const) {
      writeFileSync(file, text);
      expect((await chainvisor(["show-upgrade-info"])).stdout).toBe(`${text}\n`);
      expect(await chainvisor(["show-upgrade-info", "-o", "json"])).toMatchObject({ status });
    }
    rmSync(file);
  });

  test("add-upgrade --restart without a sidecar → exit 1, and nothing is written", async () => {
    const program = join(folder, "v5");
    writeFileSync(program, "#!/bin/sh\n# v5\n", { mode: 0o755 });
    const queue = readFileSync(join(home, "cosmovisor/queue.json"), "utf8");
    const { status, stderr } = await chainvisor(["add-upgrade", "v5", program, "--upgrade-height", "50", "--restart"]);
    expect([status, stderr]).toEqual([1, expect.stringContaining(`no sidecar runs on ${home}`)]);
    expect(existsSync(join(home, "cosmovisor/upgrades/v5"))).toBe(false);
    expect(readFileSync(join(home, "cosmovisor/queue.json"), "utf8")).toBe(queue);
  });

  test("doctor → exit 2 and the next command when something is wrong, else 0", async () => {
    const env = { ...ENV, DAEMON_SHUTDOWN_GRACE: "30s" };
    expect(await chainvisor(["doctor"], env)).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/! sidecar: no chainvisor runs on .*\n\n0 wrong, 1 warning\n$/),
    });
    mkdirSync(join(home, "cosmovisor/upgrades/V3"));
    const { status, stdout } = await chainvisor(["doctor"], env);
    expect(status).toBe(2);
    expect(stdout).toContain(`→ mv ${home}/cosmovisor/upgrades/V3 ${home}/cosmovisor/upgrades/v3`);
    rmSync(join(home, "cosmovisor/upgrades/V3"), { recursive: true });
  });

  test.each([
    [["nosuch"], 'unknown command "nosuch" for "chainvisor"'],
    [["add-batch-upgrade"], "either --upgrade-file or --upgrade-list must be provided"],
    [["run", "start", "--cosmovisor-config"], "--cosmovisor-config requires an argument"],
    [["config", "--cosmovisor-config", "/no/such.toml"], "config not found: at /no/such.toml : "],
  ])("%j → exit 2, said in one line", async (args, words) => {
    const { status, stderr } = await chainvisor(args);
    expect([status, stderr]).toEqual([2, expect.stringContaining(words)]);
    expect(stderr.trim().split("\n")).toHaveLength(1);
  });

  test("rollback --program-only: the program before is missing → refused, no link changes; it is there → linked, and absolute links are followed", async () => {
    const own = join(folder, "back");
    const bin = join(own, "cosmovisor/genesis/bin");
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, "myd"), "#!/bin/sh\nexit 0\n", { mode: 0o755 });
    const root = join(own, "cosmovisor");
    mkdirSync(join(root, "upgrades/v2/bin"), { recursive: true });
    writeFileSync(join(root, "upgrades/v2/bin/myd"), "#!/bin/sh\n# v2\n", { mode: 0o755 });
    symlinkSync(join(root, "upgrades/v2"), join(root, "current"));
    symlinkSync("upgrades/v1", join(root, "previous"));
    const env = { ...ENV, DAEMON_HOME: own };
    const refused = await chainvisor(["rollback", "--program-only"], env);
    expect(refused.stderr).toContain(`${root}/upgrades/v1/bin/myd is missing. Nothing was changed`);
    expect([refused.status === 0, readlinkSync(join(root, "previous"))]).toEqual([false, "upgrades/v1"]);
    rmSync(join(root, "previous"));
    symlinkSync(join(root, "genesis"), join(root, "previous"));
    const { status, stdout } = await chainvisor(["rollback", "--program-only", "-o", "json"], env);
    const next = `${root}/upgrades/v2/bin/myd rollback --to HEIGHT --home ${own}`;
    expect([status, JSON.parse(stdout)]).toMatchObject([0, { next }]);
    expect(realpathSync(join(root, "current"))).toBe(realpathSync(join(root, "genesis")));
  });
});
