/** What `chaind` does with homes that were damaged, taken away, closed or held by others. Real processes. */
import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, lstatSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { verifyHome } from "../../host/cli/offline/verify.js";
import { BlockStore } from "../../host/node/blocks/block-store.js";
import { LmdbFileDatabase } from "../../host/state/store/disk/lmdb-file-database.js";
import { haltInLog } from "../halt-line.js";
import { chaindHere } from "../in-process.js";
import { SPLIT_BALANCES } from "../scenario/versions.js";
import { bundleWorker } from "../sim/worker-process.js";
import { DIST, NO_SERVERS, run, TestHome } from "./chaind.js";

const NODE = process.execPath;
const CHAIND = join(DIST, "chaind.js");
const NAMESPACES = ["--pid", "--fork", "--mount-proc"];
const canUnshare = spawnSync("unshare", [...NAMESPACES, "true"]).status === 0;
const canMount = spawnSync("unshare", ["--mount", "sh", "-c", "mount --bind /tmp /tmp"]).status === 0;
const isRoot = process.getuid?.() === 0;
const NOBODY = 65_534;
const IO_EXIT = 30;

/** A home of version 1 after block 3, with a plan that is due at block 4. */
const begun = () => new TestHome().schedule({ name: "v2", height: 4n }, 3n);

/** Every file and folder: whose it is, its mode, size and time of change. */
function entries(path: string): Record<string, string> {
  const names = ["", ...readdirSync(path, { recursive: true, encoding: "utf8" })];
  return Object.fromEntries(
    names.map((name) => {
      const { uid, mode, size, mtimeMs, isDirectory } = statOf(join(path, name));
      return [name, `${uid} ${mode.toString(8)} ${isDirectory ? "" : size} ${mtimeMs}`];
    }),
  );
}

function statOf(path: string) {
  const stat = lstatSync(path);
  const { uid, mode, size, mtimeMs } = stat;
  return { uid, mode, size, mtimeMs, isDirectory: stat.isDirectory() };
}

const readers = (home: TestHome): readonly (readonly string[])[] => [
  ["export", "--home", home.path],
  ["verify", "--home", home.path],
  ["pre-upgrade", "--home", home.path],
  ["handler", "run", SPLIT_BALANCES, "--state", home.path],
];

const signedFile = (home: TestHome) => readFileSync(home.data("priv_validator_state.json"), "utf8");

describe("chaind start", () => {
  test("a lock file of LMDB that this user may not write to → 30 and a message that names it, no signal", () => {
    const home = begun();
    const lock = home.data("chain.mdb-lock");
    if (isRoot) {
      // The node's user has the home; a command of root's has made the lock file.
      for (let at = home.path; at !== "/tmp" && at !== "/"; at = dirname(at)) chmodSync(at, 0o755);
      for (const name of Object.keys(entries(home.path))) chownSync(join(home.path, name), NOBODY, NOBODY);
      chownSync(lock, 0, 0);
    }
    chmodSync(lock, 0o444);
    const user = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
    const end = spawnSync(NODE, [CHAIND, "start", "--home", home.path, ...NO_SERVERS, "--max-blocks", "1"], user);
    const said = end.stderr.toString();
    expect(said).toContain("chain.mdb-lock");
    expect(said).toContain("UPG_STORE_IO");
    expect({ status: end.status, signal: end.signal }).toEqual({ status: IO_EXIT, signal: null });
  });

  test.skipIf(!existsSync("/dev/full"))(
    "its log cannot be written, or nobody reads it → it makes its blocks, 0",
    () => {
      const home = new TestHome();
      const start = `"${NODE}" "${CHAIND}" start --home "${home.path}" ${NO_SERVERS.join(" ")} --block-time 10ms --max-blocks 2`;
      for (const log of [
        "2> /dev/full",
        "2> >(exit)",
        "--log_format json 2> /dev/full",
        "--log_format json 2> >(exit)",
      ]) {
        expect([log, spawnSync("bash", ["-c", `${start} ${log}`]).status]).toEqual([log, 0]);
      }
      expect(verifyHome(home.path, () => undefined).height).toBe("8");
    },
  );

  for (const [what, damage] of [
    ["missing", (file: string) => rmSync(file)],
    ["empty", (file: string) => writeFileSync(file, "")],
  ] as const) {
    test(`chain.mdb is ${what}, and this key has signed → 30 UPG_STORE_SIGNED, no database is made`, async () => {
      const home = begun();
      const signed = signedFile(home);
      damage(home.data("chain.mdb"));
      rmSync(home.data("chain.mdb-lock"));
      const end = await home.start("--app-version", "1", "--max-blocks", "1").end;
      expect(end.exit).toBe(IO_EXIT);
      expect(end.stderr).toContain("UPG_STORE_SIGNED");
      expect(home.haltRecord).toMatchObject({ code: "UPG_STORE_SIGNED" });
      expect(existsSync(home.data("chain.mdb")) && statOf(home.data("chain.mdb")).size).toBe(
        what === "empty" ? 0 : false,
      );
      expect(signedFile(home)).toBe(signed);
    });
  }

  test.skipIf(!canUnshare)(
    "two nodes in two pid namespaces → the second: UPG_STORE_LOCKED, and it signs nothing",
    async () => {
      const home = new TestHome();
      const args = ["start", "--home", home.path, "--log_format", "json", ...NO_SERVERS, "--block-time", "1h"];
      const first = run(CHAIND, args);
      await first.says("block made");
      const signed = signedFile(home);
      const second = spawnSync("unshare", [...NAMESPACES, NODE, CHAIND, ...args, "--max-blocks", "1"]);
      expect(second.stderr.toString()).toContain("UPG_STORE_LOCKED");
      expect(second.status).toBe(IO_EXIT);
      expect(signedFile(home)).toBe(signed);
      expect(home.haltRecord).toBeUndefined();
      first.child.kill("SIGTERM");
      expect((await first.end).exit).toBe(0);
      expect(verifyHome(home.path, () => undefined).height).toBe((JSON.parse(signed) as { height: string }).height);
    },
  );

  test("killed between signature and commit → the next process makes the same block with the same signature", async () => {
    const home = begun();
    const worker = await bundleWorker();
    try {
      const args = ["start", "--home", home.path, "--handlers", join(DIST, "handlers"), ...NO_SERVERS];
      const killed = await run(worker.file, [...args, "--max-blocks", "1"], { SIM_KILL: "transaction ends:0" }).end;
      expect(killed.signal).toBe("SIGKILL");
      const signed = JSON.parse(signedFile(home)) as { height: string; signature: string };
      expect(signed.height).toBe("4");
      expect(verifyHome(home.path, () => undefined).height).toBe("3");
      expect((await run(worker.file, [...args, "--max-blocks", "1"]).end).exit).toBe(0);
      expect(JSON.parse(signedFile(home))).toEqual(signed);
      const database = LmdbFileDatabase.open(home.data("chain.mdb"));
      const [signature] = new BlockStore(database).at(4n).commit.signatures;
      database.close();
      expect(Buffer.from(signature?.signature ?? []).toString("base64")).toBe(signed.signature);
    } finally {
      worker.remove();
    }
  });
});

describe("export, verify, pre-upgrade, handler run", () => {
  test("on a home without LMDB's lock file → nothing in the home is made, changed or removed", async () => {
    const home = begun();
    rmSync(home.data("chain.mdb-lock"));
    const before = entries(home.path);
    for (const args of readers(home)) {
      const { status, stderr } = await chaindHere(args);
      expect(status, stderr).toBe(0);
      expect(entries(home.path), args.join(" ")).toEqual(before);
    }
  });

  test.skipIf(!canMount)("on a file system that is mounted read-only → they work", () => {
    const home = begun();
    rmSync(home.data("chain.mdb-lock"));
    const mount = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && ! touch "$0/x" 2>/dev/null && exec "$@"';
    for (const args of readers(home)) {
      const { status, stderr } = spawnSync("unshare", ["--mount", "sh", "-c", mount, home.path, NODE, CHAIND, ...args]);
      expect(status, `${args.join(" ")}: ${stderr}`).toBe(0);
    }
  });

  test.skipIf(!isRoot)("by a user who may not look into data → 30 and the file, not that there is no chain", () => {
    const home = begun();
    for (let at = home.path; at !== "/tmp" && at !== "/"; at = dirname(at)) chmodSync(at, 0o755);
    chmodSync(home.data("."), 0o700);
    const user = { uid: NOBODY, gid: NOBODY, env: { ...process.env, HOME: home.path } };
    for (const args of [
      ["export", "--home", home.path],
      ["verify", "--home", home.path],
    ]) {
      const { status, stderr } = spawnSync(NODE, [CHAIND, ...args], user);
      expect({ status, stderr: stderr.toString() }).toEqual({
        status: IO_EXIT,
        stderr: expect.stringMatching(/cannot look for .*chain\.mdb: EACCES.*UPG_STORE_IO/),
      });
    }
  });

  test.skipIf(!isRoot)("by a user who may only read → they work", () => {
    const home = begun();
    for (let at = home.path; at !== "/tmp" && at !== "/"; at = dirname(at)) chmodSync(at, 0o755);
    for (const name of Object.keys(entries(home.path))) {
      const path = join(home.path, name);
      chmodSync(path, statOf(path).isDirectory ? 0o555 : 0o444);
    }
    rmSync(home.data("chain.mdb-lock"));
    const before = entries(home.path);
    for (const args of readers(home)) {
      const { status, stderr } = spawnSync(NODE, [CHAIND, ...args], {
        ...{ uid: NOBODY, gid: NOBODY },
        env: { ...process.env, HOME: home.path },
      });
      expect(status, `${args.join(" ")}: ${stderr}`).toBe(0);
    }
    expect(entries(home.path)).toEqual(before);
  });

  test("beside a node that runs → pre-upgrade and handler run answer, export and verify say it; no new file", async () => {
    const home = new TestHome().schedule({ name: "v2", height: 1_000n }, 3n);
    const node = run(CHAIND, [
      ...["start", "--home", home.path, "--app-version", "1", "--log_format", "json", ...NO_SERVERS],
      ...["--block-time", "1h"],
    ]);
    await node.says("block made");
    const names = Object.keys(entries(home.path));
    const exits: number[] = [];
    for (const args of readers(home)) exits.push((await chaindHere(args)).status);
    // The plan is not due yet: this binary can take over at its height.
    expect(exits).toEqual([IO_EXIT, IO_EXIT, 0, 0]);
    expect(Object.keys(entries(home.path))).toEqual(names);
    node.child.kill("SIGTERM");
    expect((await node.end).exit).toBe(0);
  });
});

describe("a database that is damaged", () => {
  test("start → 30, and a line without a height that nobody could read; verify → the place, without naming itself", async () => {
    const home = begun();
    const file = home.data("chain.mdb");
    const bytes = readFileSync(file);
    writeFileSync(file, Buffer.concat([Buffer.alloc(8_192, 0xff), bytes.subarray(8_192)]));
    const { exit, stderr } = await home.start().end;
    expect(exit, stderr).toBe(IO_EXIT);
    const fields = haltInLog(stderr);
    expect(fields).toMatchObject({ code: "UPG_STORE_CORRUPT", next: expect.stringContaining("chaind verify --home") });
    for (const name of ["height", "last_committed_height", "app_hash"]) expect(fields).not.toHaveProperty(name);
    // Past the first pages a walk finds it.
    writeFileSync(file, bytes.subarray(0, bytes.length - 4_096 * 4));
    const verified = await chaindHere(["verify", "--home", home.path]);
    expect(verified.status, verified.stderr).toBe(IO_EXIT);
    expect(verified.stderr).toMatch(/^Error: .* \[UPG_STORE_CORRUPT\]$/m);
    expect(verified.stderr).not.toMatch(/`[a-z]+ verify`/);
  });
});
