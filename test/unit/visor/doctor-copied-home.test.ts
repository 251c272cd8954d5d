/** A home that is a copy of another one: doctor warns about settings and backup folders that still name the other home. */
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { goodHome, look } from "./doctor-home.js";

describe("examine() a home that was copied", () => {
  const copied = (from: string) => {
    const { home, put } = goodHome();
    const file = put(
      "cosmovisor/config.toml",
      `daemon_home = "${from}"\ndaemon_data_backup_dir = "${from}/backups"\n`,
      0o600,
    );
    return { home, file };
  };

  test("settings and backup folder of the home that it came from → a warning for each", () => {
    const other = goodHome();
    other.put("backups/x");
    const { home, file } = copied(other.home);
    expect(look(home)).toEqual([
      `warning settings: ${file} names another home, ${other.home}, as a copy of that home does: a sidecar that is started with this file works there, not on ${home} → daemon_home = "${home}"`,
      `warning backup: backups of ${home} go to ${other.home}/backups, which is in another home, ${other.home}: those of both nodes are mixed, and the oldest are removed → DAEMON_DATA_BACKUP_DIR=<a folder that no other node uses>`,
    ]);
  });

  test("a backup folder in another home by the environment → a warning; in this home, or in none → nothing", () => {
    const other = goodHome();
    other.put("backups/x");
    const { home, put } = goodHome();
    put("backups/x");
    const by = (folder: string) => look(home, { env: { DAEMON_DATA_BACKUP_DIR: folder } });
    expect(by(join(other.home, "backups"))).toEqual([expect.stringContaining("which is in another home")]);
    expect(by(join(home, "backups"))).toEqual([]);
    expect(by(join(home, ".."))).toEqual([]);
  });

  test("the home by a link that leads to it → nothing", () => {
    const { home } = goodHome();
    const link = `${home}-link`;
    symlinkSync(home, link);
    writeFileSync(join(home, "cosmovisor/config.toml"), `daemon_home = "${link}"\n`);
    expect(look(home)).toEqual([]);
  });
});
