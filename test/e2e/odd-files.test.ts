/** Files of a home that are pipes, devices or folders: a clear error at once, where opening a pipe would wait for ever. */
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { genesisText } from "../scenario/genesis-text.js";
import { DIST, TestHome } from "./chaind.js";
import { CommandLine } from "./command-line.js";
import { makeHome, withNode } from "./prepared-home.js";

const root = mkdtempSync(join(tmpdir(), "cu-odd-"));
const made = join(root, "made");
afterAll(() => rmSync(root, { recursive: true, force: true }));
beforeAll(() => {
  makeHome(made, genesisText());
  withNode({ path: made, handlers: join(root, "none") }, (node) => node.makeBlock());
});

const KINDS: Readonly<Record<string, (path: string) => void>> = {
  pipe: (path) => void execFileSync("mkfifo", [path]),
  device: (path) => symlinkSync("/dev/zero", path),
  folder: (path) => mkdirSync(path),
};

async function ends(command: readonly string[], file: string, kind: string) {
  const line = new CommandLine();
  cpSync(made, line.home, { recursive: true });
  const path = join(line.home, file);
  rmSync(path);
  KINDS[kind]?.(path);
  const end = command[0] === "start" ? await line.nodeProcess("--max-blocks", "1") : await line.run(command);
  return { exit: end.exit, stderr: end.stderr, path };
}

const FILES = [
  ["start", "data/chain.mdb"],
  ["verify", "data/chain.mdb"],
  ["export", "data/chain.mdb"],
  ["start", "config/priv_validator_key.json"],
  ["start", "data/priv_validator_state.json"],
] as const;

for (const [command, file] of FILES) {
  test(`${command} with ${file} as a pipe, a device, a folder → 30 with its name, no hang`, async () => {
    for (const kind of Object.keys(KINDS)) {
      const { exit, stderr, path } = await ends([command], file, kind);
      expect(exit, stderr).toBe(30);
      expect(stderr).toContain(path);
      // A folder that is to be written to the system refuses in its own words.
      expect(stderr).toMatch(kind === "folder" ? /but a folder|EISDIR/ : `it is no regular file, but a ${kind}`);
    }
  });
}

test("verify with the consensus key as a pipe → says that signatures are not checked, and checks the rest", async () => {
  const { exit, stderr } = await ends(["verify"], "config/priv_validator_key.json", "pipe");
  expect(exit, stderr).toBe(0);
  expect(stderr).toContain("it is no regular file, but a pipe");
});

test("start of a new chain whose genesis.json is a pipe → 30; of one that has begun → goes on, and ends when it is asked to", async () => {
  const line = new CommandLine();
  makeHome(line.home, genesisText());
  const genesis = join(line.home, "config", "genesis.json");
  rmSync(genesis);
  execFileSync("mkfifo", [genesis]);
  const { exit, stderr } = await line.nodeProcess("--max-blocks", "1");
  expect(exit, stderr).toBe(30);
  expect(stderr).toContain("it is no regular file, but a pipe");
  const begun = await ends(["start"], "config/genesis.json", "pipe");
  expect(begun.exit, begun.stderr).toBe(0);
});

test("/genesis of a running chain whose genesis.json is a pipe → an error that says so; SIGTERM → the process ends", async () => {
  const home = new TestHome();
  expect((await home.startHere("--max-blocks", "1")).exit).toBe(0);
  const path = join(home.path, "config", "genesis.json");
  rmSync(path);
  execFileSync("mkfifo", [path]);
  const running = home.startSlowly("--rpc.enable=true", "--rpc.laddr", "tcp://127.0.0.1:0");
  await running.says("servers open");
  const { rpc } = JSON.parse(readFileSync(home.data("addresses.json"), "utf8")) as { rpc: string };
  for (const method of ["genesis", "genesis_chunked"]) {
    const text = await (await fetch(`${rpc.replace("tcp", "http")}/${method}`)).text();
    expect(text).toContain("it is no regular file, but a pipe [UPG_STORE_IO]");
  }
  running.child.kill("SIGTERM");
  const end = await running.end;
  expect(end.exit, end.stderr).toBe(0);
});

test("start of a new chain with a pipe where the database is made under another name first → it is made all the same", async () => {
  const line = new CommandLine();
  makeHome(line.home, genesisText());
  mkdirSync(join(line.home, "data"), { recursive: true });
  execFileSync("mkfifo", [join(line.home, "data", "chain.mdb.new")]);
  const { exit, stderr } = await line.nodeProcess("--max-blocks", "1");
  expect(exit, stderr).toBe(0);
});

test("verify with a socket as chain.mdb → 30", async () => {
  const line = new CommandLine();
  cpSync(made, line.home, { recursive: true });
  const path = join(line.home, "data", "chain.mdb");
  rmSync(path);
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(path, () => resolve()));
  for (const command of ["verify", "start"]) {
    const end = command === "start" ? await line.nodeProcess("--max-blocks", "1") : await line.run([command]);
    expect(end.exit, end.stderr).toBe(30);
    expect(end.stderr).toContain(path);
  }
  await new Promise<void>((resolve) => server.close(() => resolve()));
});

const READ_BY = [
  ["tx", "broadcast"],
  ["tx", "sign", "--from", "nobody"],
  ["tx", "gov", "submit-proposal", "--from", "nobody"],
  ["init", "fresh", "--overwrite", "--genesis"],
] as const;

for (const command of READ_BY) {
  test(`${command.join(" ")} FILE that is a pipe, a device, a folder → an error that says so, no hang`, async () => {
    for (const kind of Object.keys(KINDS)) {
      const line = new CommandLine();
      const path = join(root, `${command.join("-")}-${kind}`);
      KINDS[kind]?.(path);
      const { exit, stderr } = await line.run([...command, path]);
      expect(exit, stderr).toBeGreaterThan(0);
      expect(stderr).toContain(path);
      expect(stderr).toMatch(kind === "folder" ? /but a folder|EISDIR/ : `it is no regular file, but a ${kind}`);
    }
  });
}

test("tx broadcast - with a stdin that has no end → 2, and says what is too long", () => {
  const chaind = join(DIST, "chaind.js");
  const end = spawnSync("sh", ["-c", `"${process.execPath}" "${chaind}" tx broadcast - < /dev/zero`]);
  expect(end.status, end.stderr.toString()).toBe(2);
  expect(end.stderr.toString()).toContain("longer than 4194304 bytes");
});

test("version with a client.toml that is a pipe → no hang", () => {
  const home = mkdtempSync(join(root, "user-"));
  mkdirSync(join(home, ".chaind/config"), { recursive: true });
  execFileSync("mkfifo", [join(home, ".chaind/config/client.toml")]);
  const { PATH } = process.env;
  const end = spawnSync(process.execPath, [join(DIST, "chaind.js"), "version"], {
    env: { PATH, HOME: home },
    encoding: "utf8",
    timeout: 30_000,
  });
  expect([end.status, end.signal], end.stderr).toEqual([30, null]);
  expect(end.stderr).toContain("it is no regular file, but a pipe");
});

test("relay with its lock as a folder → 30 with its name, on stderr", async () => {
  const line = new CommandLine();
  makeHome(line.home, genesisText());
  const lock = join(line.home, "data", "RELAY");
  mkdirSync(lock, { recursive: true });
  const env = { ...process.env, COMETBFT_BIN: join(root, "cometbft") };
  writeFileSync(env.COMETBFT_BIN, "#!/bin/sh\necho 0.38.17\n", { mode: 0o755 });
  const end = spawnSync(process.execPath, [join(DIST, "chaind.js"), "relay", "--home", line.home], {
    ...{ env, encoding: "utf8", timeout: 30_000 },
  });
  expect([end.status, end.signal], end.stderr).toEqual([30, null]);
  expect(end.stderr).toContain(lock);
});
