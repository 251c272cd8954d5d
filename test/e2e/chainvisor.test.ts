/** `chainvisor run` over two versions of `chaind`, as processes: an upgrade without a hand, signals, a sidecar that is killed. */
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test, vi } from "vitest";
import { shellWord } from "../../host/base/text/shell-word.js";
import { MARK } from "../../host/visor/decide/child-env.js";
import { left } from "../../host/visor/decide/orphaned-processes.js";
import { chainvisorHere } from "../in-process.js";
import { DIST, NO_SERVERS, type Running, run, TestHome } from "./chaind.js";
import { freePort } from "./free-port.js";
import { BLOCK_TIME } from "./prepared-home.js";

vi.setConfig({ testTimeout: 120_000 });

const CHAINVISOR = join(DIST, "chainvisor.js");
const CHAIND = join(DIST, "chaind.js");

function place(home: TestHome, folder: string, environment: string): void {
  const file = join(home.path, "cosmovisor", folder, "bin/chaind");
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `#!/bin/sh\n${environment}exec ${shellWord(process.execPath)} ${shellWord(CHAIND)} "$@"\n`);
  chmodSync(file, 0o755);
}

/** At height 3 of a chain whose version 2 comes at 6. */
function scheduledHome(): TestHome {
  const home = new TestHome().schedule({ name: "v2", height: 6n }, 3n);
  place(home, "genesis", "export CHAIND_APP_VERSION=1\n");
  place(home, "upgrades/v2", "");
  return home;
}

const FAST = [...NO_SERVERS, "--logical-clock", "--block-time", BLOCK_TIME, "--log_format", "json"];

function supervise(home: TestHome, env: Readonly<Record<string, string>> = {}, flags = FAST): Running {
  const own = { DAEMON_NAME: "chaind", DAEMON_HOME: home.path, CHAINVISOR_STATUS_ADDRESS: "127.0.0.1:0", ...env };
  return run(CHAINVISOR, ["run", "start", "--home", home.path, ...flags], own, true);
}

const isAlive = (pid: number) =>
  existsSync(`/proc/${pid}`) && !readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ");
const appOf = (home: TestHome): number | undefined => left(MARK, join(home.path, "cosmovisor"))[0]?.pid;
const linkOf = (home: TestHome) => readlinkSync(join(home.path, "cosmovisor/current"));

async function until(what: () => boolean): Promise<void> {
  for (let look = 0; !what(); look++) {
    if (look > 2_000) throw new Error("it did not come");
    await sleep(20);
  }
}

/** A command as an operator pastes it: with the programs of this build on the path, and a yes to each question. */
function paste(command: string, bin: string) {
  const env = { ...process.env, PATH: `${bin}:${process.env["PATH"]}` };
  const { status, stdout, stderr } = spawnSync("sh", ["-c", command], { env, input: "y\n", encoding: "utf8" });
  return { status, stdout, stderr };
}

describe("a node that cannot start", () => {
  test.each([
    [
      "no genesis document",
      "config/genesis.json",
      /genesis\.json is missing: make a home with `chaind init NAME --home \S+` first \[UPG_INVALID_CONFIG\]/,
      /chaind init NAME --home/,
    ],
    [
      "no consensus key",
      "config/priv_validator_key.json",
      /priv_validator_key\.json is missing: restore it from your backup of keys.*\[UPG_INVALID_CONFIG\]/,
      /run start/,
    ],
    ["an unknown setting", "", /app\.toml.*halt-heigth.*\[UPG_INVALID_CONFIG\]/, /run start/],
  ])("%s → not started again: exit 2, and `status` shows the error and what is next", async (_, file, error, next) => {
    const home = new TestHome();
    place(home, "genesis", "");
    if (file === "") writeFileSync(join(home.path, "config/app.toml"), "halt-heigth = 5\n");
    else rmSync(join(home.path, file));
    const { exit, stderr } = await supervise(home).end;
    expect(exit, stderr).toBe(2);
    expect(stderr).not.toContain("started again");
    const env = { DAEMON_NAME: "chaind", DAEMON_HOME: home.path };
    const asked = await chainvisorHere(["status", "-o", "json"], { env });
    const status = JSON.parse(asked.stdout) as { message: string; next: string[] };
    expect(status.message).toMatch(error);
    expect(status.message).not.toContain("..");
    expect(status.next.join("\n")).toMatch(next);
  });
});

describe("chainvisor rollback", () => {
  test("the embedded engine has signed blocks after the backup → refused, nothing moved; the printed commands lead back, and it starts", async () => {
    const home = scheduledHome();
    const bin = join(home.path, "bin");
    mkdirSync(bin);
    const script = `#!/bin/sh\nexec ${shellWord(process.execPath)} ${shellWord(CHAINVISOR)} "$@"\n`;
    writeFileSync(join(bin, "chainvisor"), script, { mode: 0o755 });
    const isOn = () => existsSync(home.data("receipts/v2.json"));
    const first = supervise(home);
    await until(() => isOn() || first.child.exitCode !== null);
    first.child.kill("SIGTERM");
    expect((await first.end).exit).toBe(0);
    const { height } = home.last;
    const rollback = `chainvisor --home ${shellWord(home.path)} --name chaind rollback`;
    for (const flags of ["", " --yes"]) {
      const refused = paste(`${rollback}${flags}`, bin);
      expect(refused.status, refused.stderr).toBe(30);
      expect(refused.stderr).toMatch(/UPG_STORE_SIGNED/);
      expect([home.last.height, linkOf(home), existsSync(join(home.path, "data-before-rollback-1"))]).toEqual([
        ...[height, "upgrades/v2", false],
      ]);
      if (flags === "") continue;
      const commands = Array.from(refused.stderr.matchAll(/`([^`]*)`/g), ([, command = ""]) => command);
      expect(commands).toHaveLength(2);
      for (const command of commands) {
        const { status, stdout, stderr } = paste(command, bin);
        expect(status, `${command}\n${stdout}${stderr}`).toBe(0);
      }
    }
    expect([home.last.height, linkOf(home)]).toEqual(["5", "genesis"]);
    // It starts, and makes the upgrade again.
    const again = supervise(home);
    await until(() => isOn() || again.child.exitCode !== null);
    expect(again.child.exitCode, again.stderr).toBeNull();
    again.child.kill("SIGTERM");
    expect((await again.end).exit).toBe(0);
    expect(linkOf(home)).toBe("upgrades/v2");
  });

  test("the key has signed nothing after the backup → asked first: no answer or n leaves the data, y and --yes replace it", async () => {
    const home = scheduledHome();
    const bin = join(home.path, "bin");
    mkdirSync(bin);
    const script = `#!/bin/sh\nexec ${shellWord(process.execPath)} ${shellWord(CHAINVISOR)} "$@"\n`;
    writeFileSync(join(bin, "chainvisor"), script, { mode: 0o755 });
    // Ends at the height for the want of a program that can be run, after the backup.
    place(home, "upgrades/v2", "exit 5\n");
    await supervise(home, { DAEMON_RESTART_AFTER_UPGRADE: "false" }).end;
    const rollback = `chainvisor --home ${shellWord(home.path)} --name chaind rollback`;
    const kept = (number: number) => existsSync(join(home.path, `data-before-rollback-${number}`));
    for (const command of [`${rollback} < /dev/null`, `echo n | ${rollback}`]) {
      expect(paste(command, bin).status, command).toBe(2);
      expect(kept(1)).toBe(false);
    }
    const asked = paste(rollback, bin);
    expect(asked.status, asked.stderr).toBe(0);
    expect(asked.stderr).toContain(`replaces ${home.path}/data, which stays beside it`);
    expect([kept(1), home.last.height, linkOf(home)]).toEqual([true, "5", "genesis"]);
    const sure = paste(`${rollback} --yes < /dev/null`, bin);
    expect([sure.status, kept(2)], sure.stderr).toEqual([0, true]);
  });
});

describe("chainvisor run start", () => {
  test("the height of v2 → backup, the new version, its block; SIGTERM → 0, and nothing runs", async () => {
    const home = scheduledHome();
    const sidecar = supervise(home);
    await until(() => existsSync(home.data("receipts/v2.json")) || sidecar.child.exitCode !== null);
    expect(sidecar.child.exitCode, sidecar.stderr).toBeNull();
    const pid = appOf(home) ?? 0;
    sidecar.child.kill("SIGTERM");
    const end = await sidecar.end;
    expect([end.exit, isAlive(pid)], end.stderr).toEqual([0, false]);
    expect(linkOf(home)).toBe("upgrades/v2");
    expect(BigInt(home.last.height)).toBeGreaterThanOrEqual(6n);
    expect(end.stderr).toContain('\\"v2\\" is due at height 6: the node has come to height 6 (its store)');
    expect(end.stderr).toMatch(/the backup is .*data-backup-[0-9-]+-v2-6: /);
    // It ended at once: the sidecar needs no time to look.
    expect(end.stderr).not.toContain("holding at the height");
  });

  test("the next version waits, loaded, before the height → no other process is started there; its first block comes soon", async () => {
    const home = new TestHome().schedule({ name: "v2", height: 60n }, 3n);
    place(home, "genesis", "export CHAIND_APP_VERSION=1\n");
    place(home, "upgrades/v2", "");
    const port = await freePort();
    const rpc = [`--rpc.laddr=tcp://127.0.0.1:${port}`, "--grpc.enable=false", "--api.enable=false"];
    const flags = [...rpc, "--block-time", "250ms", "--log_format", "json"];
    const env = { UNSAFE_SKIP_BACKUP: "true", CHAINVISOR_RPC_ADDRESS: `http://127.0.0.1:${port}` };
    const sidecar = supervise(home, env, flags);
    await until(() => existsSync(home.data("receipts/v2.json")) || sidecar.child.exitCode !== null);
    expect(sidecar.child.exitCode, sidecar.stderr).toBeNull();
    const [, waiting] = /v2 is started, process ([0-9]+), and waits for height 60/.exec(sidecar.stderr) ?? [];
    const pid = appOf(home);
    sidecar.child.kill("SIGTERM");
    const { exit, stderr } = await sidecar.end;
    expect([exit, String(pid)], stderr).toEqual([0, waiting]);
    expect(isAlive(Number(pid))).toBe(false);
    expect(stderr).toContain("switched from genesis to v2 at height 60");
  });

  test("a height of the operator's own → the old program does not make its block; the next one does, with no plan of the chain's", async () => {
    const home = new TestHome();
    place(home, "genesis", "");
    place(home, "upgrades/v1.1", "");
    const plans = [{ name: "v1.1", height: "8", info: "" }];
    writeFileSync(join(home.path, "cosmovisor/queue.json"), JSON.stringify({ v: 1, plans }));
    const sidecar = supervise(home, { UNSAFE_SKIP_BACKUP: "true" });
    const linked = join(home.path, "cosmovisor/current/upgrade-info.json");
    const isOn = () => existsSync(linked) && / app path=.*v1\.1.*"height":"(9|[1-9][0-9]+)"/s.test(sidecar.stderr);
    await until(() => isOn() || sidecar.child.exitCode !== null);
    expect(sidecar.child.exitCode, sidecar.stderr).toBeNull();
    sidecar.child.kill("SIGTERM");
    const { exit, stderr } = await sidecar.end;
    expect(exit, stderr).toBe(0);
    expect(linkOf(home)).toBe("upgrades/v1.1");
    expect(stderr).toContain("args=[start --halt-height 8 --home");
    expect(stderr).toContain("halt per configuration height 8");
    expect(stderr).toContain('\\"v1.1\\" is due at height 8: the node has come to height 8 (its store)');
    expect(BigInt(home.last.height)).toBeGreaterThan(8n);
  });

  test.each(["SIGINT", "SIGTERM"] as const)(
    "%s to the process group, as by Ctrl-C or systemd → one request, although the sidecar passes it on: 0",
    async (signal) => {
      const home = new TestHome();
      place(home, "genesis", "");
      const sidecar = supervise(home);
      await sidecar.says("block made");
      process.kill(-(sidecar.child.pid ?? 0), signal);
      const { exit, stderr } = await sidecar.end;
      expect(exit, stderr).toBe(0);
      expect(stderr).toContain("node stopped");
      expect(stderr).not.toContain("at once");
    },
  );

  test("two sidecars on one home → the second ends with 30; killed → its node runs on, and the next one ends it first", async () => {
    const home = new TestHome();
    place(home, "genesis", "");
    const killed = supervise(home);
    await until(() => appOf(home) !== undefined);
    const second = await supervise(home).end;
    expect(second.exit, second.stderr).toBe(30);
    expect(second.stderr).toContain("UPG_STORE_LOCKED");
    const pid = appOf(home) ?? 0;
    killed.child.kill("SIGKILL");
    await once(killed.child, "exit");
    expect(isAlive(pid)).toBe(true);
    const next = supervise(home);
    await until(() => ![undefined, pid].includes(appOf(home)));
    expect(isAlive(pid)).toBe(false);
    expect(next.stderr).toContain(`process ${pid} is the application of a sidecar that was killed`);
    next.child.kill("SIGTERM");
    expect((await next.end).exit).toBe(0);
  });
});
