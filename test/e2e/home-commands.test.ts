/** What `chaind` does with a new home, and with one in trouble. Real processes. */
import { execFile } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { DIST, TestHome } from "./chaind.js";
import { CommandLine } from "./command-line.js";

const lastLine = (text: string) => text.trimEnd().split("\n").at(-1) ?? "";

describe("a new home", () => {
  test("init → keys, settings and a document; again → refused; a chain without a validator does not start", async () => {
    const line = new CommandLine();
    expect(await line.json("init", "one", "--chain-id", "demo-1")).toMatchObject({ chain_id: "demo-1" });
    for (const file of ["genesis.json", "client.toml", "app.toml", "priv_validator_key.json", "node_key.json"]) {
      expect(existsSync(join(line.home, "config", file)), file).toBe(true);
    }
    expect((await line.run(["init", "two"])).exit).toBe(2);
    const started = await line.runNode("--max-blocks", "1");
    expect(started.exit).toBe(2);
    expect(lastLine(started.stderr)).toContain("chaind genesis add-account");
    expect(existsSync(join(line.home, "data", "chain.mdb"))).toBe(false);
    await line.json("init", "two", "--overwrite", "--chain-id", "demo-2");
    expect(readFileSync(join(line.home, "config", "client.toml"), "utf8")).toContain('chain-id = "demo-2"');
    for (const offline of [["export"], ["rollback"]]) expect((await line.run(offline)).exit).toBe(2);
  });

  test("config get, set, view → what a file says; a flag and the environment count more", async () => {
    const line = new CommandLine();
    await line.json("init", "one", "--chain-id", "demo-1");
    expect((await line.run(["config", "set", "node", "tcp://127.0.0.1:2"])).exit).toBe(0);
    expect(await line.text("config", "get", "client", "node")).toBe("tcp://127.0.0.1:2\n");
    expect(await line.json("config", "get", "app", "api.address")).toEqual({ "api.address": "tcp://127.0.0.1:1317" });
    expect((await line.run(["config", "get", "nope"])).exit).toBe(2);
    expect((await line.run(["status"])).stderr).toContain("tcp://127.0.0.1:2");
    expect((await line.run(["status"], "", { CHAIND_NODE: "tcp://127.0.0.1:3" })).stderr).toContain(
      "tcp://127.0.0.1:3",
    );
    expect((await line.run(["status", "--node", "tcp://127.0.0.1:4"])).stderr).toContain("tcp://127.0.0.1:4");
    expect(await line.json("config", "view", "client", "--sources")).toMatchObject({
      "keyring-backend": { value: "test", source: "CHAIND_KEYRING_BACKEND" },
      node: { value: "tcp://127.0.0.1:2" },
    });
    writeFileSync(join(line.home, "config", "client.toml"), "node = \n");
    const broken = await line.run(["status"]);
    expect(broken.exit).toBe(2);
    expect(broken.stderr).toContain("client.toml, line 1");
  });
});

describe("a home in trouble", () => {
  const hasFull = existsSync("/dev/full");
  const onLinux = (title: string, run: () => unknown) =>
    test.skipIf(!hasFull)(
      hasFull ? title : `${title} (skipped: there is no /dev/full)`,
      async () => void (await run()),
    );

  test("export with a genesis document cut in half, or none → the state all the same; before the first block → 2", async () => {
    const line = new CommandLine();
    const { path } = new TestHome().schedule({ name: "v2", height: 9n }, 3n);
    const exported = (await line.json("export", "--home", path))["app_state"] as { auth: object };
    expect(JSON.stringify(exported.auth)).toContain('"name":"gov","permissions":["burner"]');
    const file = join(path, "config", "genesis.json");
    writeFileSync(file, readFileSync(file, "utf8").slice(0, 200));
    const whole = JSON.stringify(exported);
    expect(JSON.stringify((await line.json("export", "--home", path))["app_state"])).toBe(whole);
    rmSync(file);
    expect(JSON.stringify((await line.json("export", "--home", path))["app_state"])).toBe(whole);
    const fresh = new TestHome();
    expect((await fresh.startHere("--halt-height", "1")).exit).toBe(13);
    const early = await line.run(["export", "--home", fresh.path]);
    expect(early.exit).toBe(2);
    expect(early.stderr).toContain("no block was made here yet");
  });

  test("start --handlers with a folder that is absent → 2, and nothing is written", async () => {
    const home = new TestHome();
    const end = await home.startHere("--handlers", join(home.path, "no-such-folder"));
    expect(end.exit).toBe(2);
    expect(end.stderr).toContain("no-such-folder");
    expect(existsSync(home.data("chain.mdb"))).toBe(false);
  });

  onLinux("the answer goes to a full disk → 30, in one line", async () => {
    const script = `"${process.execPath}" "${join(DIST, "chaind.js")}" version > /dev/full`;
    const failed = await promisify(execFile)("/bin/sh", ["-c", script]).then(
      () => undefined,
      (error: { code: number; stderr: string }) => error,
    );
    expect(failed?.code).toBe(30);
    expect(failed?.stderr).toMatch(/^Error: ENOSPC[^\n]*\[UPG_STORE_IO\]\n$/);
  });
});
