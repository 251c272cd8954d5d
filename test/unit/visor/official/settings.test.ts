/** Cosmovisor's own cases for its configuration (args_test.go, facts 10.12 no. 1, 2, 4, 5, 7, 8): paths, checks, files, the printed form. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { Layout } from "../../../../host/node/programs/layout.js";
import { settingsDetail } from "../../../../host/visor/decide/settings/detail.js";
import { readSettings } from "../../../../host/visor/decide/settings/read.js";
import { TIME_FORMATS } from "../../../../host/visor/decide/settings/time-formats.js";

const root = mkdtempSync(join(tmpdir(), "chain-upgrade-visor-settings-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const home = join(root, "validate");
mkdirSync(join(home, "cosmovisor"), { recursive: true });
const GOOD = { DAEMON_HOME: home, DAEMON_NAME: "bind" };

describe("no. 1: Layout.of()", () => {
  const fileOf = (home: string, name: string, plan: string, isCaseKept: boolean) =>
    new Layout({ home, name, program: undefined, upgrades: new Map(), own: "", isCaseKept }).of(plan).file;

  test("a plan → its folder below the root", () => {
    expect(fileOf("/foo", "myd", "bar", false)).toBe("/foo/cosmovisor/upgrades/bar/bin/myd");
  });
  test("a name with spaces → escaped as a part of a URL", () => {
    const file = fileOf("/longer/prefix/", "yourd", "some spaces", false);
    expect(file).toBe("/longer/prefix/cosmovisor/upgrades/some%20spaces/bin/yourd");
  });
  test("a name in mixed case, kept → as it is", () => {
    const file = fileOf("/longer/prefix/", "appd", "myUpgrade", true);
    expect(file).toBe("/longer/prefix/cosmovisor/upgrades/myUpgrade/bin/appd");
  });
});

describe("no. 2: readSettings() checks", () => {
  const skip = { UNSAFE_SKIP_BACKUP: "true" };
  test.each([
    ["happy", {}],
    ["with download", { DAEMON_ALLOW_DOWNLOAD_BINARIES: "true" }],
    ["backup skipped", skip],
    ["backup skipped, its folder empty", { ...skip, DAEMON_DATA_BACKUP_DIR: "" }],
    ["backup skipped, its folder missing", { ...skip, DAEMON_DATA_BACKUP_DIR: "/no/such/dir" }],
    ["backup skipped, its folder relative", { ...skip, DAEMON_DATA_BACKUP_DIR: "testdata/validate" }],
  ])("%s → nothing is wrong", (_case, more) => {
    expect(readSettings({ ...GOOD, ...more }, undefined).problems).toEqual([]);
  });

  const missing = (path: string) => `stat ${path}: no such file or directory`;
  test.each([
    ["no home", { DAEMON_HOME: "" }, ["DAEMON_HOME is not set", "DAEMON_DATA_BACKUP_DIR must not be empty"]],
    ["no name", { DAEMON_NAME: "" }, ["DAEMON_NAME is not set"]],
    [
      "a relative home",
      { DAEMON_HOME: "testdata/validate" },
      ["DAEMON_HOME must be an absolute path", "testdata/validate must be an absolute path"],
    ],
    [
      "no folder cosmovisor",
      { DAEMON_HOME: root },
      [`cannot stat home dir: ${missing(`${root}/cosmovisor`)}; \`chainvisor init\` makes it`],
    ],
    [
      "no such home",
      { DAEMON_HOME: "/no/such/dir", DAEMON_DATA_BACKUP_DIR: home },
      [`cannot stat home dir: ${missing("/no/such/dir/cosmovisor")}; \`chainvisor init\` makes it`],
    ],
    [
      "no such folder of backups",
      { DAEMON_DATA_BACKUP_DIR: "/no/such/dir" },
      [`"/no/such/dir" must be a valid directory: ${missing("/no/such/dir")}`],
    ],
    ["a relative folder of backups", { DAEMON_DATA_BACKUP_DIR: "a/b" }, ["a/b must be an absolute path"]],
  ])("%s → Cosmovisor's words", (_case, more, problems) => {
    expect(readSettings({ ...GOOD, ...more }, undefined).problems).toEqual(problems);
  });
});

describe("no. 4: readSettings() of a switch", () => {
  const read = (text: string) => readSettings({ ...GOOD, DAEMON_RESTART_AFTER_UPGRADE: text }, undefined);
  test.each(["wrong", "truee", "1", "yes"])("%s → wrong, in Cosmovisor's words", (text) => {
    expect(read(text).problems).toEqual([
      `env variable "DAEMON_RESTART_AFTER_UPGRADE" must have a boolean value ("true" or "false"), got "${text}"`,
    ]);
  });
  test.each([
    ["", true],
    ["false", false],
    ["faLSe", false],
    ["true", true],
    ["TRUE", true],
  ])('"%s" → %s', (text, value) => {
    expect(read(text).settings.isRestartedAfterUpgrade).toBe(value);
  });
});

describe("no. 5: readSettings() of a time format", () => {
  const read = (env: object) => readSettings({ ...GOOD, ...env }, undefined);
  test("unset → kitchen; empty → none; another word → wrong, with all names", () => {
    expect(read({}).settings.timeFormat).toBe("kitchen");
    expect(read({ COSMOVISOR_TIMEFORMAT_LOGS: "" }).settings.timeFormat).toBe("");
    expect(read({ COSMOVISOR_TIMEFORMAT_LOGS: "wrong" }).problems).toEqual([
      'env variable "COSMOVISOR_TIMEFORMAT_LOGS" must have a timeformat value ("layout|ansic|unixdate|rubydate|rfc822|rfc822z|rfc850|rfc1123|rfc1123z|rfc3339|rfc3339nano|kitchen"), got "wrong"',
    ]);
  });
  test.each(Object.keys(TIME_FORMATS))("%s → itself", (name) => {
    expect(read({ COSMOVISOR_TIMEFORMAT_LOGS: name }).settings.timeFormat).toBe(name);
  });
});

describe("no. 7: readSettings() of a file", () => {
  const file = join(root, "given.toml");
  const lines = [
    `daemon_home = '${home}'`,
    ...["daemon_name = 'bind'", "daemon_allow_download_binaries = true", "daemon_restart_after_upgrade = false"],
    // As Cosmovisor writes them: nanoseconds.
    ...["daemon_restart_delay = 600000000", "daemon_poll_interval = 303000000", "daemon_shutdown_grace = 0"],
    ...[
      `daemon_data_backup_dir = '${home}'`,
      "daemon_preupgrade_max_retries = 3",
      'cosmovisor_timeformat_logs = "rfc3339"',
    ],
  ];
  writeFileSync(file, `${lines.join("\n")}\n`);

  test("a file that Cosmovisor wrote → its values", () => {
    const { settings, problems } = readSettings({}, file);
    expect(problems).toEqual([]);
    expect(settings).toMatchObject({ home, name: "bind", isDownloadAllowed: true, isRestartedAfterUpgrade: false });
    expect(settings).toMatchObject({ restartDelay: 600, pollInterval: 303, shutdownGrace: 0, preUpgradeRetriesMax: 3 });
    expect(settings.timeFormat).toBe("rfc3339");
  });
  test("the environment beside it → goes first", () => {
    expect(readSettings({ DAEMON_NAME: "env-name" }, file).settings.name).toBe("env-name");
  });
  test("no file named → the environment alone", () => {
    expect(readSettings(GOOD, undefined)).toMatchObject({ settings: { name: "bind" }, file: undefined });
  });
  test("a file that does not exist → config not found", () => {
    expect(() => readSettings(GOOD, "/no/such.toml")).toThrow("config not found: at /no/such.toml : ");
  });
});

test("no. 8: settingsDetail() → each variable's line, and the derived ones", () => {
  const env = {
    ...{ DAEMON_HOME: "/srv/h", DAEMON_NAME: "test-name", DAEMON_ALLOW_DOWNLOAD_BINARIES: "true" },
    ...{ DAEMON_POLL_INTERVAL: "406ms", DAEMON_PREUPGRADE_MAX_RETRIES: "8" },
  };
  const detail = settingsDetail(readSettings(env, undefined, {}, { areFoldersChecked: false }).settings);
  for (const piece of [
    ...["Configurable Values:", "  DAEMON_HOME: /srv/h\n", "  DAEMON_NAME: test-name\n"],
    ...["  DAEMON_ALLOW_DOWNLOAD_BINARIES: true\n", "  DAEMON_RESTART_AFTER_UPGRADE: true\n"],
    ...["  DAEMON_POLL_INTERVAL: 406ms\n", "  UNSAFE_SKIP_BACKUP: false\n", "  DAEMON_DATA_BACKUP_DIR: /srv/h\n"],
    ...["  DAEMON_PREUPGRADE_MAX_RETRIES: 8\n", "  COSMOVISOR_TIMEFORMAT_LOGS: 3:04PM\n", "Derived Values:"],
    ...["Root Dir: /srv/h/cosmovisor\n", "Upgrade Dir: /srv/h/cosmovisor/upgrades\n"],
    ...["Genesis Bin: /srv/h/cosmovisor/genesis/bin/test-name\n", "Monitored File: /srv/h/data/upgrade-info.json\n"],
    "Data Backup Dir: /srv/h\n",
  ]) {
    expect(detail).toContain(piece);
  }
});
