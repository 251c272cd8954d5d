/** The database without its free pages, in its place and in a folder elsewhere: whole, verified, or not there. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { toUpperHex } from "../../../../host/base/text/bytes.js";
import { backupHome } from "../../../../host/cli/offline/backup.js";
import { compactHome } from "../../../../host/cli/offline/compact.js";
import { verifyHome } from "../../../../host/cli/offline/verify.js";
import { Home } from "../../../../host/node/home/home.js";
import { HomeLock } from "../../../../host/node/home/home-lock.js";
import { LmdbDatabase } from "../../../../host/state/store/disk/lmdb-database.js";
import { DIST, TestHome } from "../../../e2e/chaind.js";
import { makeBlocksUpTo, withNode } from "../../../e2e/prepared-home.js";

const HANDLERS = join(DIST, "handlers");
const silent = () => undefined;
const open = (home: TestHome) => ({ path: home.path, handlers: HANDLERS, versionsKept: 2 });

/** A home that has upgraded, with free pages in the middle of its file. */
function grown(): TestHome {
  const home = new TestHome().schedule({ name: "v2", height: 4n }, 3n);
  withNode(open(home), (node) => makeBlocksUpTo(node, 6n));
  const database = new LmdbDatabase(home.data("chain.mdb"));
  const keys = Array.from({ length: 40 }, (_, i) => new TextEncoder().encode(`x${i}`));
  database.transaction((batch) => {
    for (const key of keys) batch.put(key, new Uint8Array(30_000).fill(7));
  });
  database.transaction((batch) => {
    for (const key of keys) batch.remove(key);
  });
  database.close();
  return home;
}

const files = (folder: string) => readdirSync(folder, { recursive: true, encoding: "utf8" });

describe("compactHome()", () => {
  test("a file with free pages → smaller, the same state and blocks, and the chain goes on", async () => {
    const home = grown();
    const before = verifyHome(home.path, silent);
    const compacted = await compactHome(home.path, silent);
    expect(compacted).toMatchObject({ height: "6", app_hash: before.app_hash });
    expect(compacted.bytes_after).toBeLessThan(compacted.bytes_before - 1_000_000);
    expect(statSync(home.data("chain.mdb")).size).toBe(compacted.bytes_after);
    const { pages: _, ...rest } = before;
    expect(verifyHome(home.path, silent)).toMatchObject(rest);
    withNode(open(home), (node) => makeBlocksUpTo(node, 9n));
    expect(verifyHome(home.path, silent)).toMatchObject({ height: "9" });
    const again = await compactHome(home.path, silent);
    expect(again.bytes_after).toBeLessThanOrEqual(again.bytes_before);
  });

  test("a home that a node holds, one without a chain, a damaged record → refused, the file as it was and no other one", async () => {
    const home = grown();
    const { lockFile, databaseFile } = new Home(home.path);
    const lock = HomeLock.acquire(lockFile, databaseFile);
    await expect(compactHome(home.path, silent)).rejects.toMatchObject({ code: "UPG_STORE_LOCKED" });
    lock.release();
    await expect(compactHome(new TestHome().path, silent)).rejects.toMatchObject({ code: "UPG_INVALID_CONFIG" });
    const database = new LmdbDatabase(home.data("chain.mdb"));
    const [chunk] = database.keys({
      start: new TextEncoder().encode("n"),
      end: new TextEncoder().encode("o"),
      limit: 1,
    });
    const bytes = database.get(chunk as Uint8Array) as Uint8Array;
    database.transaction((batch) =>
      batch.put(
        chunk as Uint8Array,
        bytes.map((byte, at) => (at === 40 ? byte ^ 1 : byte)),
      ),
    );
    database.close();
    const damaged = readFileSync(home.data("chain.mdb"));
    await expect(compactHome(home.path, silent)).rejects.toMatchObject({ code: "UPG_STORE_CORRUPT" });
    expect(readFileSync(home.data("chain.mdb")).equals(damaged)).toBe(true);
    expect(files(join(home.path, "data")).filter((name) => name.includes("compact"))).toEqual([]);
  });

  test("killed before and after the copy takes the name → the one file or the other, sound, and the next run ends it", () => {
    const home = grown();
    const { app_hash } = verifyHome(home.path, silent);
    for (const [moment, isSmaller] of [
      ["synced", false],
      ["renamed", true],
    ] as const) {
      const twin = new TestHome();
      cpSync(home.path, twin.path, { recursive: true });
      const before = statSync(twin.data("chain.mdb")).size;
      const end = spawnSync(
        process.execPath,
        [
          "--import",
          join(import.meta.dirname, "../../../e2e/kill-at.mjs"),
          join(DIST, "chaind.js"),
          "compact",
          "--home",
          twin.path,
        ],
        { env: { ...process.env, CHAIND_TEST_KILL_AT: `${moment} chain.mdb` } },
      );
      expect(end.signal, end.stderr.toString()).toBe("SIGKILL");
      expect(statSync(twin.data("chain.mdb")).size < before, moment).toBe(isSmaller);
      expect(verifyHome(twin.path, silent)).toMatchObject({ height: "6", app_hash });
      expect(twin.last.height).toBe("6");
    }
  });
});

describe("backupHome()", () => {
  test("beside a node that makes blocks → a home that verifies, without a key; from it the chain goes on with the same hashes", async () => {
    const home = grown();
    writeFileSync(join(home.path, "mnemonic.txt"), "never");
    const node = home.startSlowly("--handlers", HANDLERS);
    await node.says("block made");
    const folder = join(home.path, "../backup-of-a-node");
    const lines: string[] = [];
    const backup = await backupHome(home.path, folder, {}, (line) => lines.push(line));
    // The copy has no key; the home that it is of has.
    expect(lines.join("\n")).toMatch(/commits ✓ \d+ signatures/);
    await node.says("block made");
    node.child.kill("SIGTERM");
    expect((await node.end).exit).toBe(0);
    const said: string[] = [];
    const verified = verifyHome(folder, (line) => said.push(line));
    expect(verified).toMatchObject({ height: backup.height, app_hash: backup.app_hash });
    expect(said.join("\n")).toContain("there is no validator key here, as in a copy that was made without keys");
    const names = backup.files.map(({ file }) => file);
    expect(names).toEqual(expect.arrayContaining(["data/chain.mdb", "config/genesis.json", "config/app.toml"]));
    expect(files(folder).filter((name) => /key|priv_|mnemonic|LOCK/.test(name))).toEqual([]);
    for (const { file, bytes, sha256 } of backup.files) {
      const content = readFileSync(join(folder, file));
      expect([content.length, createHash("sha256").update(content).digest("hex")], file).toEqual([bytes, sha256]);
    }
    const list = JSON.parse(readFileSync(join(folder, "backup.json"), "utf8"));
    expect(list).toMatchObject({ height: backup.height, with_keys: false });
    const hash = withNode(open(home), (live) =>
      toUpperHex(live.app.multiStore.at(live.app.lastCommitID.version - 1n).appHash),
    );
    expect(hash).toHaveLength(64);
    expect(existsSync(`${folder}.part`)).toBe(false);
  });

  test("--with-keys → the keys and the record of what was signed; a folder with files, or one in the home → refused", async () => {
    const home = grown();
    const folder = `${home.path}-keys`;
    const backup = await backupHome(home.path, folder, { withKeys: true }, silent);
    const keys = backup.files.map(({ file }) => file).filter((name) => /priv_|node_key/.test(name));
    expect(keys).toEqual(["config/priv_validator_key.json", "config/node_key.json", "data/priv_validator_state.json"]);
    expect(statSync(join(folder, "config/priv_validator_key.json")).mode & 0o077).toBe(0);
    withNode({ ...open(home), path: folder }, (node) => makeBlocksUpTo(node, 8n));
    withNode(open(home), (node) => makeBlocksUpTo(node, 8n));
    expect(verifyHome(folder, silent).app_hash).toBe(verifyHome(home.path, silent).app_hash);
    const refused = expect.objectContaining({ code: "UPG_INVALID_ARGUMENT" });
    await expect(backupHome(home.path, folder, {}, silent)).rejects.toThrow(refused);
    await expect(backupHome(home.path, join(home.path, "data/copy"), {}, silent)).rejects.toThrow(refused);
    const empty = `${home.path}-empty`;
    mkdirSync(empty);
    expect(await backupHome(home.path, empty, {}, silent)).toMatchObject({ height: "8" });
  });
});
