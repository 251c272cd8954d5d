/** A relay on a home. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { diskFiles } from "../../../../host/base/files/disk-files.js";
import { Home } from "../../../../host/node/home/home.js";
import { HomeLock } from "../../../../host/node/home/home-lock.js";
import { queuePlans } from "../../../../host/visor/decide/decision/queue.js";
import { runRelay } from "../../../../host/visor/run/hot/run-relay.js";

const root = mkdtempSync(join(tmpdir(), "chain-upgrade-open-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Is never started: no program serves. */
const comet = join(root, "cometbft");
writeFileSync(comet, "#!/bin/sh\necho 0.38.17\n", { mode: 0o755 });

const lines: string[] = [];
const open = (path: string) =>
  runRelay({
    ...{
      home: new Home(path),
      name: "chaind",
      env: { COMETBFT_BIN: comet },
      program: undefined,
      upgrades: new Map(),
      own: "/no/such/program",
      args: ["start", "--home", path, "--engine", "cometbft"],
      command: "chaind relay",
    },
    log: (_level: string, line: string) => void lines.push(line),
  });

/** A home whose first program knows the flags of the hot switch. @returns its path */
function inFolders(name: string, script: string): string {
  const home = join(root, name);
  for (const folder of ["config", "cosmovisor/genesis/bin"]) mkdirSync(join(home, folder), { recursive: true });
  writeFileSync(join(home, "config/genesis.json"), "{}");
  const help = 'test "$2" = --help && exec echo --engine --with-comet --transport --halt-linger';
  writeFileSync(join(home, "cosmovisor/genesis/bin/chaind"), `#!/bin/sh\n${help}\n${script}\n`, { mode: 0o755 });
  return home;
}

describe("runRelay()", () => {
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

  test("a home that has a supervisor → UPG_STORE_LOCKED; its socket and what is asked of it stay", async () => {
    const home = inFolders("prepared", "exit 0");
    writeFileSync(join(home, "cosmovisor/restart.json"), "{}");
    const socket = join(home, "cosmovisor/chainvisor.sock");
    const first = createServer((connection) => connection.end("first"));
    await new Promise<void>((resolve) => first.listen(socket, resolve));
    const lock = HomeLock.acquire(join(home, "cosmovisor/chainvisor.lock"));
    await expect(open(home)).rejects.toMatchObject({ code: "UPG_STORE_LOCKED", kind: { exit: 30 } });
    expect([existsSync(socket), existsSync(join(home, "cosmovisor/restart.json"))]).toEqual([true, true]);
    const said: Buffer[] = [];
    for await (const bytes of connect(socket)) said.push(bytes as Buffer);
    expect(Buffer.concat(said).toString()).toBe("first");
    lock.release();
    first.close();
  });

  test("folders without a first program → UPG_INVALID_CONFIG, 2; its name may be in config.toml", async () => {
    const home = inFolders("named", "exit 0");
    writeFileSync(join(home, "cosmovisor/config.toml"), 'daemon_name = "otherd"\n');
    await expect(open(home)).rejects.toMatchObject({
      code: "UPG_INVALID_CONFIG",
      message: expect.stringMatching(
        /cosmovisor\/genesis\/bin\/otherd is missing.* Next: chainvisor .*--name otherd init PROGRAM$/,
      ),
    });
  });

  test("programs in their folders → supervised: a crash is started again, and the last start is on record", async () => {
    const home = inFolders(
      "supervised",
      `test -e "$DAEMON_HOME/once" && exit 13; touch "$DAEMON_HOME/once"; kill -9 $$`,
    );
    expect(await open(home), lines.join("\n")).toBe(13);
    expect(lines.join("\n")).toMatch(/worker genesis at startup.*SIGKILL|worker genesis ended by SIGKILL/);
    const record = JSON.parse(readFileSync(join(home, "cosmovisor/last-start.json"), "utf8"));
    expect(record).toMatchObject({ args: ["start", "--home", home, "--engine", "cometbft"], command: "chaind relay" });
    HomeLock.acquire(join(home, "data/RELAY")).release();
    HomeLock.acquire(join(home, "cosmovisor/chainvisor.lock")).release();
  });

  test("a height of the operator's own is queued → the program runs without the hot switch, and stops before the height", async () => {
    const home = inFolders("queued", `test "$1" = start && echo "$@" > started; exit 13`);
    // A home of this project, whose exit statuses are known.
    mkdirSync(join(home, "data"));
    writeFileSync(join(home, "data/chain.mdb"), "");
    queuePlans(diskFiles, join(home, "cosmovisor"), [{ name: "v2", height: 9n, info: "" }]);
    expect(await open(home)).toBe(13);
    expect(lines).toContainEqual(
      expect.stringMatching(/^`relay` has no effect, .*a height of the operator's own is queued/),
    );
    expect(readFileSync(join(home, "cosmovisor/started"), "utf8")).toMatch(
      /^start --halt-height 9 .*--engine cometbft/,
    );
  });

  test("a home whose path is too long for a socket → UPG_INVALID_CONFIG, with what to do", async () => {
    const long = join(root, "x".repeat(120));
    mkdirSync(join(long, "config"), { recursive: true });
    writeFileSync(join(long, "config/genesis.json"), "{}");
    await expect(open(long)).rejects.toThrow("a home with a shorter path");
    HomeLock.acquire(join(long, "data/RELAY")).release();
  });
});
