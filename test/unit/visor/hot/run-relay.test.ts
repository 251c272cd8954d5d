/** A relay on a home. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { diskFiles } from "../../../../host/base/files/disk-files.js";
import { Home } from "../../../../host/node/home/home.js";
import { HomeLock } from "../../../../host/node/home/home-lock.js";
import { queuePlans } from "../../../../host/visor/decide/decision/queue.js";
import { runRelay } from "../../../../host/visor/run/hot/run-relay.js";
import { realMachine } from "../../../../host/visor/run/real-machine.js";

const root = mkdtempSync(join(tmpdir(), "chain-upgrade-open-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const open = (path: string) =>
  runRelay({
    ...{
      home: new Home(path),
      name: "chaind",
      machine: realMachine,
      env: {},
      program: undefined,
      upgrades: new Map(),
      own: "/no/such/program",
      flags: [],
    },
    comet: {
      program: "/bin/false",
      args: [],
      files: { nodeKey: "", validatorKey: "", lastSigned: "", databases: "", hasRemoteSigner: false },
    },
    log: () => undefined,
  });

describe("openRelay()", () => {
  test("a home with a relay → UPG_STORE_LOCKED, 30; without a genesis document → UPG_INVALID_CONFIG", async () => {
    await expect(open(root)).rejects.toMatchObject({ code: "UPG_INVALID_CONFIG" });
    mkdirSync(join(root, "config"));
    writeFileSync(join(root, "config/genesis.json"), "{}");
    const lock = HomeLock.acquire(join(root, "data/RELAY"));
    await expect(open(root)).rejects.toMatchObject({ code: "UPG_STORE_LOCKED", kind: { exit: 30 } });
    lock.release();
    // Then it is the program that is in the way; what was held is given back.
    await expect(open(root)).rejects.toMatchObject({
      code: "UPG_INVALID_CONFIG",
      message: expect.stringContaining("/no/such/program is missing"),
    });
    HomeLock.acquire(join(root, "data/RELAY")).release();
  });

  test("a home with a relay that prepares upgrades → its socket and what is asked of it stay", async () => {
    const home = join(root, "prepared");
    for (const [file, text] of [
      ["config/genesis.json", "{}"],
      ["cosmovisor/restart.json", "{}"],
    ] as const) {
      mkdirSync(join(home, file, ".."), { recursive: true });
      writeFileSync(join(home, file), text);
    }
    const socket = join(home, "cosmovisor/chainvisor.sock");
    const first = createServer((connection) => connection.end("first"));
    await new Promise<void>((resolve) => first.listen(socket, resolve));
    const lock = HomeLock.acquire(join(home, "data/RELAY"));
    await expect(open(home)).rejects.toMatchObject({ code: "UPG_STORE_LOCKED", kind: { exit: 30 } });
    expect([existsSync(socket), existsSync(join(home, "cosmovisor/restart.json"))]).toEqual([true, true]);
    const said: Buffer[] = [];
    for await (const bytes of connect(socket)) said.push(bytes as Buffer);
    expect(Buffer.concat(said).toString()).toBe("first");
    lock.release();
    first.close();
  });

  test("the program's name is in config.toml → that of the folders", async () => {
    const home = join(root, "named");
    for (const folder of ["config", "cosmovisor/genesis/bin"]) mkdirSync(join(home, folder), { recursive: true });
    writeFileSync(join(home, "config/genesis.json"), "{}");
    writeFileSync(join(home, "cosmovisor/config.toml"), 'daemon_name = "otherd"\n');
    await expect(open(home)).rejects.toThrow("cosmovisor/genesis/bin/otherd is missing");
  });

  test("a home with a height of the operator's own → UPG_INVALID_CONFIG, 2: only a sidecar stops before it", async () => {
    const home = join(root, "queued");
    mkdirSync(join(home, "config"), { recursive: true });
    writeFileSync(join(home, "config/genesis.json"), "{}");
    mkdirSync(join(home, "cosmovisor"));
    queuePlans(diskFiles, join(home, "cosmovisor"), [{ name: "v2", height: 9n, info: "" }]);
    const refused = { code: "UPG_INVALID_CONFIG", message: expect.stringContaining('"v2" is queued for height 9') };
    await expect(open(home)).rejects.toMatchObject(refused);
    HomeLock.acquire(join(home, "data/RELAY")).release();
  });

  test("a home whose path is too long for a socket → UPG_INVALID_CONFIG, with what to do", async () => {
    const long = join(root, "x".repeat(120));
    mkdirSync(join(long, "config"), { recursive: true });
    writeFileSync(join(long, "config/genesis.json"), "{}");
    await expect(open(long)).rejects.toThrow("a home with a shorter path");
    HomeLock.acquire(join(long, "data/RELAY")).release();
  });
});
