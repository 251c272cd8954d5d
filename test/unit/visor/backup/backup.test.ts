/** Backups: whole or absent, one a plan, restorable, and never a signature set back. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Files } from "../../../../host/base/files/files.js";
import { listBackups } from "../../../../host/visor/backup/list.js";
import { manifestOf, problemIn } from "../../../../host/visor/backup/manifest.js";
import { planText, ScriptsHome, walOf } from "../scripts-home.js";

import { back, files, filled, make, NOON, names, never } from "./filled-home.js";

describe("makeBackup()", () => {
  test("the data → a folder of Cosmovisor's date, the plan and its height, with all files, links and a manifest", async () => {
    const home = filled();
    const seen: number[] = [];
    const { folder, manifest } = await make(home, { onProgress: (done, total) => void seen.push(done / total) });
    expect(folder).toBe(home.file("data-backup-2026-2-3-v2-49"));
    expect(manifest).toMatchObject({ plan: { name: "v2", height: "49" }, program: "genesis", how: "copy" });
    expect(manifest.files.map(({ path }) => path)).toEqual([
      ...["application.db/000001.ldb", "application.db/CURRENT", "priv_validator_state.json"],
    ]);
    expect(readFileSync(join(folder, "application.db/LATEST"), "utf8")).toBe("1");
    expect(seen.at(-1)).toBe(1);
    expect(await problemIn(files, folder, manifest, never)).toBeUndefined();
  });

  test("a database on another disk, by links → its files are in the backup, and in the data after a restore", async () => {
    const home = filled();
    const disk = new ScriptsHome();
    disk.write("db/1.ldb", "state of before");
    disk.write("db/deep/2.ldb", "more");
    disk.write("one", "a file");
    disk.write("beside", "of a link in it");
    symlinkSync("1.ldb", disk.file("db", "LATEST"));
    symlinkSync("../beside", disk.file("db", "UP"));
    symlinkSync(disk.file("db"), home.file("data", "far.db"));
    symlinkSync(disk.file("one"), home.file("data", "one"));
    symlinkSync("/no/such", home.file("data", "nowhere"));
    const lines: string[] = [];
    const { folder, manifest } = await make(home, { log: (_, line) => void lines.push(line) });
    const paths = manifest.files.map(({ path }) => path).filter((path) => /^(far|one)/.test(path));
    expect(paths).toEqual(["far.db/1.ldb", "far.db/UP", "far.db/deep/2.ldb", "one"]);
    expect(lines.join("\n")).toContain("data/far.db leads elsewhere");
    expect((await make(home)).folder).toBe(folder);
    disk.write("db/1.ldb", "state of after");
    await back(home, folder);
    expect(home.read("data/far.db/1.ldb")).toBe("state of before");
    expect(home.read("data/far.db/LATEST")).toBe("state of before");
    expect(home.read("data/far.db/UP")).toBe("of a link in it");
    expect([home.read("data/one"), readlinkSync(home.file("data", "nowhere"))]).toEqual(["a file", "/no/such"]);
    expect(disk.read("db/1.ldb")).toBe("state of after");
  });

  test("links that lead in a circle → refused in words, and no backup", async () => {
    const home = filled();
    const disk = new ScriptsHome();
    disk.write("db/1", "x");
    symlinkSync(disk.file("db"), disk.file("db", "again"));
    symlinkSync(disk.file("db"), home.file("data", "far.db"));
    await expect(make(home)).rejects.toThrow("links lead in a circle");
    expect(names(home)).toEqual([]);
  });

  test("again for the same plan → the same one; it was damaged → another, beside it", async () => {
    const home = filled();
    const { folder } = await make(home);
    expect((await make(home)).folder).toBe(folder);
    writeFileSync(join(folder, "application.db/CURRENT"), "2");
    expect((await make(home)).folder).toBe(`${folder}.2`);
    expect(readFileSync(join(folder, "application.db/CURRENT"), "utf8")).toBe("2");
  });

  test("the data has changed since, in size, bytes, one more file, one less → another one, and the first stays", async () => {
    const home = filled();
    const made = [(await make(home)).folder];
    const changes = [
      () => home.write("data/application.db/CURRENT", "22"),
      () => home.write("data/application.db/CURRENT", "33"),
      () => home.write("data/newfile", "x"),
      () => rmSync(home.file("data", "newfile")),
    ];
    for (const [at, change] of changes.entries()) {
      change();
      const lines: string[] = [];
      const settings = home.settings({ backupsKept: 0 });
      const options = {
        settings,
        clock: { wall: () => NOON + 3_600_000 },
        log: (_: string, line: string) => lines.push(line),
      };
      made.push((await make(home, options)).folder);
      if (at === 0) expect(lines.join()).toMatch(/v2-49, made at .*, 60 minutes ago, is of other data, and stays: /);
      expect((await make(home, options)).folder).toBe(made.at(-1));
    }
    // Without the file it is again what the third was made of.
    expect(made.map((folder) => folder.replace(/.*v2-49/, ""))).toEqual(["", ".2", ".3", ".4", ".3"]);
  });

  test("who had a file open has changed → the same backup; a rest of a second one that was cut → removed", async () => {
    const home = filled();
    home.write("data/LOCK", "1");
    home.write("data/chain.mdb-lock", "1");
    const { folder } = await make(home);
    home.write("data/LOCK", "22");
    rmSync(home.file("data", "chain.mdb-lock"));
    expect((await make(home)).folder).toBe(folder);
    home.write("data/more", "x");
    home.write("data-backup-2026-2-3-v2-49.2.part/rest", "x");
    const second = await make(home);
    expect([second.folder, existsSync(join(second.folder, "rest"))]).toEqual([`${folder}.2`, false]);
  });

  test("many of one plan → the first one and the last ones are kept", async () => {
    const home = filled();
    for (let at = 1; at <= 4; at++) {
      home.write("data/more", "x".repeat(at));
      await make(home, { clock: { wall: () => NOON + at * 1_000 } });
    }
    expect(names(home)).toEqual(["data-backup-2026-2-3-v2-49", "data-backup-2026-2-3-v2-49.2"]);
  });

  test("a folder of Cosmovisor's of the same day, a rest of a backup that was cut → the one stays, the other is removed", async () => {
    const home = filled();
    home.write("data-backup-2026-2-3/theirs", "x");
    home.write("data-backup-2026-2-2-v1-9.part/rest", "x");
    await make(home);
    expect(names(home)).toEqual(["data-backup-2026-2-3", "data-backup-2026-2-3-v2-49"]);
    expect(readdirSync(home.file("data-backup-2026-2-3"))).toEqual(["theirs"]);
  });

  test("more than are kept → the oldest of ours go, Cosmovisor's stay; 0 → all stay", async () => {
    const home = filled();
    home.write("data-backup-2026-1-1/theirs", "x");
    for (let height = 1n; height <= 4n; height++) {
      await make(home, { plan: { name: "v", height }, clock: { wall: () => NOON + Number(height) * 1_000 } });
    }
    expect(names(home)).toEqual(["data-backup-2026-1-1", "data-backup-2026-2-3-v-3", "data-backup-2026-2-3-v-4"]);
    await make(home, { settings: home.settings({ backupsKept: 0 }), plan: { name: "v", height: 5n } });
    expect(names(home)).toHaveLength(4);
  });

  test("another home's in the same folder → is no backup of this one, and stays whatever number is kept", async () => {
    const [one, other] = [filled(), filled()];
    const settings = { backupDir: one.path, backupsKept: 1 };
    const first = await make(one, { settings: { ...one.settings(), ...settings } });
    const second = await make(other, { settings: { ...other.settings(), ...settings } });
    expect(second.folder).not.toBe(first.folder);
    expect(manifestOf(files, first.folder)?.data).toBe(one.file("data"));
  });

  test("too little room → refused before a byte is written, with what to do", async () => {
    const home = filled();
    const full: Files = { ...files, freeBytes: () => 1_000 };
    await expect(make(home, { files: full })).rejects.toThrow(/DAEMON_DATA_BACKUP_DIR.*UNSAFE_SKIP_BACKUP/);
    expect(names(home)).toEqual([]);
    // More than the data has, and less than the reserve besides.
    const small: Files = { ...files, freeBytes: () => 3_092_480 };
    await expect(make(home, { files: small })).rejects.toThrow(
      "a backup takes 67114899 bytes, 6035 of the data and a reserve of 67108864",
    );
  });

  test("too few inodes → refused before a file is made, with the command that shows them", async () => {
    const home = filled();
    await expect(make(home, { files: { ...files, freeFiles: () => 4 } })).rejects.toThrow(/inodes for 4 \(`df -i /);
    expect(names(home)).toEqual([]);
  });

  test("reflinks alone, where there are none → refused; a folder inside the data → refused", async () => {
    const home = filled();
    const none: Files = { ...files, copy: () => Promise.reject(new Error("ENOTSUP")) };
    await expect(make(home, { files: none, settings: home.settings({ backupKind: "reflink" }) })).rejects.toThrow(
      "no reflinks",
    );
    const inside = home.settings({ backupDir: home.file("data", "backups") });
    await expect(make(home, { settings: inside })).rejects.toThrow("inside the data");
  });

  test("the disk refuses at any call → an error or a whole backup, and never a folder that looks whole", async () => {
    let calls = 0;
    for (let at = 0; at === calls; at++) {
      const home = filled();
      let count = 0;
      const failing = Object.fromEntries(
        Object.entries(files).map(([name, call]) => [
          name,
          (...args: unknown[]) => {
            if (count++ === at) throw Object.assign(new Error(`EIO at call ${at}, ${name}`), { code: "EIO" });
            return (call as (...given: unknown[]) => unknown)(...args);
          },
        ]),
      ) as unknown as Files;
      const made = await make(home, { files: failing }).catch((error: unknown) => error);
      if (count > at) calls++;
      for (const { folder, manifest } of listBackups(files, home.path)) {
        expect(manifest && (await problemIn(files, folder, manifest, never)), `call ${at}`).toBeUndefined();
      }
      if (!(made instanceof Error)) expect(names(home)).toEqual(["data-backup-2026-2-3-v2-49"]);
    }
    expect(calls).toBeGreaterThan(40);
  });
});

describe("runVisor() with backups", () => {
  test("a switch → the backup is of the data before it; a switch that is made again has the same one", async () => {
    const home = new ScriptsHome();
    home.program("genesis", "exit 1");
    home.program("upgrades/chain2", "exit 30");
    home.write("data/upgrade-info.json", planText("chain2", 49));
    home.write("data/cs.wal/wal", walOf(49n));
    mkdirSync(home.file("backups"));
    const settings = { isBackupSkipped: false, backupDir: home.file("backups") };
    expect(await home.run(["start"], settings)).toBe(30);
    home.program("upgrades/chain2", 'test "$1" = pre-upgrade && exit 0; echo up >> $OUT');
    expect(await home.run(["start"], settings), home.lines.join("\n")).toBe(0);
    const found = listBackups(files, home.file("backups"));
    expect(found).toHaveLength(1);
    expect(found[0]?.manifest).toMatchObject({ plan: { name: "chain2", height: "49" }, program: "genesis" });
    expect(home.board.totals.backupBytes).toBeGreaterThan(0);
  });
});
