/** What doctor reports about a disk: no room for a backup, and folders that the system refuses to show. */
import { describe, expect, test } from "vitest";
import { diskFiles } from "../../../host/base/files/disk-files.js";
import type { Files } from "../../../host/base/files/files.js";
import { Home } from "../../../host/node/home/home.js";
import { HomeLock } from "../../../host/node/home/home-lock.js";
import { readSettings } from "../../../host/visor/decide/settings/read.js";
import { examine } from "../../../host/visor/stage/doctor/doctor.js";
import { goodHome, look } from "./doctor-home.js";

describe("examine() backups, and what cannot be looked at", () => {
  test("less room than the data has → wrong; skipped → a warning", () => {
    const { home, put } = goodHome();
    put("data/x/chain.db", "12345");
    const files = { ...diskFiles, freeBytes: () => 1_000 };
    const read = readSettings({ DAEMON_HOME: home, DAEMON_NAME: "n", DAEMON_SHUTDOWN_GRACE: "1s" }, undefined);
    const patient = { files, read, platform: "linux", arch: "x64", units: [] };
    expect(examine(patient).find(({ what }) => what === "backup")?.detail).toContain("does not fit");
    expect(look(home, { env: { UNSAFE_SKIP_BACKUP: "true" } })[0]).toContain("UNSAFE_SKIP_BACKUP is true");
  });

  test("a relay runs on the home → a warning that the switch makes no backup, with the command that makes one", () => {
    const { home } = goodHome();
    const relay = HomeLock.acquire(new Home(home).relayLockFile);
    try {
      const skipped = { UNSAFE_SKIP_BACKUP: "true" };
      expect(look(home, { env: skipped })).toEqual(look(home));
      expect(look(home)).toEqual([
        expect.stringMatching(
          /^warning backup: under a relay or the hot switch an upgrade makes no backup: .* → n backup FOLDER --home \//,
        ),
      ]);
    } finally {
      relay.release();
    }
    expect(look(home)).toEqual([]);
  });

  test("the backup folder has less free than the backup's own reserve, or takes no file → wrong", () => {
    const { home } = goodHome();
    const read = readSettings({ DAEMON_HOME: home, DAEMON_NAME: "n", DAEMON_SHUTDOWN_GRACE: "1s" }, undefined);
    const found = (files: Files) =>
      examine({ files, read, platform: "linux", arch: "x64", units: [] }).find(({ what }) => what === "backup");
    expect(found({ ...diskFiles, freeBytes: () => 63 * 2 ** 20 })).toMatchObject({
      level: "wrong",
      detail: expect.stringContaining("with a reserve of 64 MiB"),
    });
    const tryWrite = () => {
      throw Object.assign(new Error("EROFS: read-only file system"), { code: "EROFS" });
    };
    expect(found({ ...diskFiles, tryWrite })).toMatchObject({
      ...{ level: "wrong", next: `findmnt -T ${home}` },
      detail: `nothing can be written into ${home}: EROFS: read-only file system`,
    });
  });

  test("the node found a vote of its key that the record of signatures lacks → a warning with both files", () => {
    const { home, put } = goodHome();
    put(
      "data/unrecorded-vote.json",
      JSON.stringify({ v: 1, height: "9", recorded: "2", validator_key: "K", last_signed: "R" }),
    );
    const found = look(home).filter((line) => line.includes("validator key"));
    expect(found).toEqual([expect.stringMatching(/the key in K has signed block 9, but R ends at height 2/)]);
    put("data/unrecorded-vote.json", "{");
    expect(look(home).filter((line) => line.includes("validator key"))).toEqual([]);
  });

  test("a folder that the system refuses to show → a finding, not an end", () => {
    const { home } = goodHome();
    const read = readSettings({ DAEMON_HOME: home, DAEMON_NAME: "n" }, undefined);
    const refuse = () => {
      throw Object.assign(new Error("EIO: i/o error"), { code: "EIO" });
    };
    const files = { ...diskFiles, list: refuse };
    const found = examine({ files, read, platform: "linux", arch: "x64", units: undefined });
    expect(found.filter(({ detail }) => detail === "cannot be looked at: EIO: i/o error").length).toBeGreaterThan(2);
  });
});
