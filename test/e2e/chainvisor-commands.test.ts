/** `chainvisor` as a process that runs the node's program: signals, and what the program leaves behind. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";

const PROGRAM = join(import.meta.dirname, "../../dist/chainvisor.js");
const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-chainvisor-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const ENV = { DAEMON_HOME: join(folder, "home"), DAEMON_NAME: "myd" };

describe("a command that runs the program", () => {
  const pids = join(folder, "pids");
  const body = "trap '' TERM INT QUIT HUP\nsleep 60 &\necho $$ $! > $PIDS\nwhile :; do sleep 0.1; done\n";

  const homeWith = (name: string, script: string) => {
    const own = join(folder, name);
    const bin = join(own, "cosmovisor/genesis/bin");
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, "myd"), `#!/bin/sh\n${script}`, { mode: 0o755 });
    return own;
  };

  test.each(["SIGTERM", "SIGINT", "SIGQUIT", "SIGHUP"] as const)(
    "%s → it ends by the signal, and the program with all that it has started ends, too",
    async (signal) => {
      rmSync(pids, { force: true });
      const { PATH = "" } = process.env;
      const env = { PATH, ...ENV, DAEMON_HOME: homeWith("hangs", body), PIDS: pids };
      const command = spawn(process.execPath, [PROGRAM, "version"], { env, stdio: "ignore" });
      const ended = once(command, "exit");
      while (!existsSync(pids) || readFileSync(pids, "utf8") === "")
        await new Promise((resolve) => setTimeout(resolve, 20));
      command.kill(signal);
      expect(await ended).toEqual([null, signal]);
      for (const pid of readFileSync(pids, "utf8").trim().split(" ")) {
        const isAlive = () => existsSync(`/proc/${pid}`) && !readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ");
        // After SIGKILL the system takes a moment to remove a process.
        const until = performance.now() + 5_000;
        while (isAlive() && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, 20));
        expect(isAlive(), pid).toBe(false);
      }
    },
  );

  test("`run` has ended its program, and a question to the node holds the process up → a second SIGTERM ends it with 0", async () => {
    const silent = createServer((socket) => void socket.on("error", () => undefined)).listen(0, "127.0.0.1");
    await once(silent, "listening");
    const rpc = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const { PATH = "" } = process.env;
    const own = { DAEMON_HOME: homeWith("ends", "exec sleep 60\n"), CHAINVISOR_RPC_ADDRESS: rpc };
    const env = { PATH, ...ENV, ...own, CHAINVISOR_STATUS_ADDRESS: "" };
    const sidecar = spawn(process.execPath, [PROGRAM, "run", "start"], { env, stdio: ["ignore", "pipe", "pipe"] });
    const ended = once(sidecar, "exit");
    let log = "";
    const take = (text: Buffer) => {
      log += text;
    };
    for (const stream of [sidecar.stdout, sidecar.stderr]) stream.on("data", take);
    const says = async (words: string) => {
      while (!log.includes(words)) await new Promise((resolve) => setTimeout(resolve, 20));
    };
    await says("running app");
    await new Promise((resolve) => setTimeout(resolve, 500));
    sidecar.kill("SIGTERM");
    await says("the application has ended");
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(sidecar.kill("SIGTERM"), "it runs still").toBe(true);
    expect(await ended, log).toEqual([0, null]);
    silent.close();
  });

  test("a process that the program leaves with its stdout → the command does not wait for it", () => {
    const begin = performance.now();
    const { PATH = "" } = process.env;
    const env = { PATH, ...ENV, DAEMON_HOME: homeWith("leaves", "sleep 20 &\necho 1.2.3\n") };
    const options = { env, encoding: "utf8", timeout: 30_000 } as const;
    expect(spawnSync(process.execPath, [PROGRAM, "version"], options)).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("1.2.3"),
    });
    expect(performance.now() - begin).toBeLessThan(15_000);
  });
});
