/** Settings that Cosmovisor does not have, where each comes from, and Go's durations. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { diskFiles } from "../../../../host/base/files/disk-files.js";
import { goDurationText, parseGoDuration } from "../../../../host/visor/decide/settings/go-duration.js";
import { readSettings } from "../../../../host/visor/decide/settings/read.js";
import { VARIABLES } from "../../../../host/visor/decide/settings/variables.js";
import { settingsToml } from "../../../../host/visor/decide/settings/write-file.js";
import { unitFile } from "../../../../host/visor/stage/doctor/unit-file.js";

const home = mkdtempSync(join(tmpdir(), "chain-upgrade-visor-own-"));
const file = join(home, "cosmovisor", "config.toml");
mkdirSync(join(home, "cosmovisor"));
afterAll(() => rmSync(home, { recursive: true, force: true }));
const ENV = { DAEMON_HOME: home, DAEMON_NAME: "n" };

describe("readSettings()", () => {
  test("flag, environment, file, default → the first that has it, and its source", () => {
    writeFileSync(file, 'daemon_name = "file"\ndaemon_shutdown_grace = "15s"\nchainvisor_restarts_max = 9\n');
    const { settings, sources } = readSettings({ ...ENV, CHAINVISOR_RESTARTS_MAX: "7" }, undefined, {
      daemon_name: "flag",
    });
    expect(settings).toMatchObject({ name: "flag", shutdownGrace: 15_000, restartsMax: 7, backupsKept: 2 });
    const of = (["name", "shutdownGrace", "restartsMax", "backupsKept"] as const).map((field) => sources.get(field));
    expect(of).toEqual(["flag", "file", "env", "default"]);
    rmSync(file);
  });

  test("all of its own → their values", () => {
    const { settings, problems } = readSettings(
      {
        ...ENV,
        ...{ CHAINVISOR_STATUS_ADDRESS: "", CHAINVISOR_RPC_ADDRESS: "tcp://10.0.0.1:26657", CHAINVISOR_HOLD: "true" },
        ...{ CHAINVISOR_ON_REFUSAL: "return", CHAINVISOR_RETURN_HEIGHT: "900", CHAINVISOR_RESTART_WINDOW: "1h" },
        ...{ CHAINVISOR_DOWNLOAD_BYTES_MAX: "500MiB", CHAINVISOR_BACKUP: "copy", CHAINVISOR_LOG_FORMAT: "json" },
      },
      undefined,
    );
    expect(problems).toEqual([]);
    expect(settings).toMatchObject({
      ...{ statusAddress: "", rpcAddress: "http://10.0.0.1:26657", isHeldOnFailure: true, onRefusal: "return" },
      ...{ returnHeight: 900n, restartWindow: 3_600_000, downloadBytesMax: 500 * 2 ** 20, backupKind: "copy" },
      logFormat: "json",
    });
  });

  test.each([
    ["CHAINVISOR_ON_REFUSAL", "maybe", 'must be one of "stop|retry|return", got "maybe"'],
    ["CHAINVISOR_ON_REFUSAL", "return", "CHAINVISOR_RETURN_HEIGHT is not set"],
    ["CHAINVISOR_RETURN_HEIGHT", "0", "must be a block height"],
    ["CHAINVISOR_RETURN_HEIGHT", "9223372036854775808", "must be a block height"],
    ["CHAINVISOR_RESTARTS_MAX", "-1", "must not be negative"],
    ["CHAINVISOR_RESTARTS_MAX", "1e3", 'strconv.Atoi: parsing "1e3": invalid syntax'],
    ["CHAINVISOR_RESTARTS_MAX", "99999999999999999999", "value out of range"],
    ["CHAINVISOR_RESTART_WINDOW", "0", "must be greater than 0"],
    ["CHAINVISOR_DOWNLOAD_BYTES_MAX", "lots", "must be a number of bytes"],
    ["CHAINVISOR_DOWNLOAD_BYTES_MAX", "0", "must be a number of bytes"],
    ["CHAINVISOR_RPC_ADDRESS", "ftp://x", "must be an address"],
    ["CHAINVISOR_RPC_ADDRESS", "foo", "must be an address"],
    ["CHAINVISOR_RPC_ADDRESS", "tcp://10.0.0.1", "must be an address"],
    ["CHAINVISOR_RPC_ADDRESS", ":26657", "must be an address"],
    ["CHAINVISOR_STATUS_ADDRESS", "foo", "must be host:port"],
    ["CHAINVISOR_STATUS_ADDRESS", "127.0.0.1:99999", "must be host:port"],
    ["DAEMON_GRPC_ADDRESS", "not an address", "must be host:port"],
    ["DAEMON_GRPC_ADDRESS", "localhost:99999", "must be host:port"],
    ["DAEMON_RESTART_DELAY", "1000h", "must be at most 576h"],
    ["DAEMON_NAME", "../evil", "must be the name of a file"],
  ])("%s=%s → %s", (name, value, words) => {
    const { problems } = readSettings({ ...ENV, [name]: value }, undefined);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(words);
  });

  test.each([
    "https://rpc.example.com",
    "http://rpc.example.com/node/",
    "localhost:26657",
    "tcp://[::1]:26657",
    "10.0.0.1:26657",
  ])("CHAINVISOR_RPC_ADDRESS=%s → right", (address) => {
    expect(readSettings({ ...ENV, CHAINVISOR_RPC_ADDRESS: address }, undefined).problems).toEqual([]);
  });

  test("a script that does not exist, a hot switch with a backup → warnings", () => {
    const wrong = { ...ENV, COSMOVISOR_CUSTOM_PREUPGRADE: "nofile.sh", CHAINVISOR_HOT_SWITCH: "true" };
    expect(readSettings(wrong, undefined)).toMatchObject({
      problems: [],
      warnings: [
        `COSMOVISOR_CUSTOM_PREUPGRADE: ${join(home, "cosmovisor", "nofile.sh")} is missing`,
        expect.stringContaining("CHAINVISOR_HOT_SWITCH is true, and UNSAFE_SKIP_BACKUP is not"),
      ],
    });
    writeFileSync(join(home, "cosmovisor", "script.sh"), "#!/bin/sh\n");
    const right = { ...wrong, COSMOVISOR_CUSTOM_PREUPGRADE: "script.sh", UNSAFE_SKIP_BACKUP: "true" };
    expect(readSettings(right, undefined).warnings).toEqual([]);
  });

  test("a wrong value in the file → named with the file; the default holds, nothing else is lost", () => {
    writeFileSync(
      file,
      'daemon_poll_interval = 0\ndaemon_restart_after_upgrade = "perhaps"\nunsafe_skip_backup = true\n',
    );
    const { settings, problems } = readSettings(ENV, undefined);
    expect(problems).toEqual([
      `daemon_restart_after_upgrade in ${file} must have a boolean value ("true" or "false"), got "perhaps"`,
      `invalid: daemon_poll_interval in ${file}: must be greater than 0`,
    ]);
    expect(settings).toMatchObject({ pollInterval: 300, isRestartedAfterUpgrade: true, isBackupSkipped: true });
    rmSync(file);
  });

  test("names that nothing reads → warnings with the nearest name", () => {
    writeFileSync(file, 'daemon_hom = "x"\n');
    const { warnings } = readSettings({ ...ENV, DAEMON_NAMES: "y", COSMOVISOR_ZZZ: "1" }, undefined);
    expect(warnings).toEqual([
      `${file}: there is no setting "daemon_hom" (did you mean "daemon_home"?); nothing reads it`,
      "there is no variable COSMOVISOR_ZZZ; nothing reads it",
      'there is no variable DAEMON_NAMES (did you mean "DAEMON_NAME"?); nothing reads it',
    ]);
    rmSync(file);
  });

  test.each([
    ["daemon_name = ", "line 1"],
    ["[table]\nx = 1\n", "there is no setting"],
    ["daemon_name = [1]\n", '"daemon_name" must be a text'],
  ])("a file of %j → said", (text, words) => {
    writeFileSync(file, text);
    const said = () => readSettings(ENV, undefined).warnings.join();
    if (words.startsWith("there")) expect(said()).toContain(words);
    else expect(said).toThrow(words);
    rmSync(file);
  });

  test("config.toml of init, read again → the same settings", () => {
    const env = {
      ...ENV,
      DAEMON_SHUTDOWN_GRACE: "1m30s",
      CHAINVISOR_ON_REFUSAL: "retry",
      COSMOVISOR_TIMEFORMAT_LOGS: "",
    };
    const { settings } = readSettings(env, undefined);
    writeFileSync(file, settingsToml(settings));
    const again = readSettings({ DAEMON_HOME: home }, undefined);
    expect(again.problems).toEqual([]);
    expect(again.warnings).toEqual([]);
    expect(again.settings).toEqual(settings);
    rmSync(file);
  });
});

test("the table of docs/chainvisor.md → every variable with its default, in order", () => {
  const page = readFileSync(join(import.meta.dirname, "../../../../docs/chainvisor.md"), "utf8");
  const rows = [...page.matchAll(/^\| `([A-Z_]+)` \| (?:`([^`]*)`)? ?\| /gm)].map(([, env, preset = ""]) => [
    env,
    preset,
  ]);
  expect(rows).toEqual(VARIABLES.map(({ env, preset }) => [env, preset]));
});

describe("parseGoDuration()", () => {
  test.each([
    ["300ms", "300ms"],
    ["1h15m", "1h15m0s"],
    ["1.5s", "1.5s"],
    ["15ns", "15ns"],
    ["2us", "2\u00b5s"],
    ["90s", "1m30s"],
    ["0", "0s"],
    [".5s", "500ms"],
  ])("%s, printed again → %s", (text, printed) => {
    expect(goDurationText(Number(parseGoDuration(text)) / 1e6)).toBe(printed);
  });
  test.each([
    ["", 'time: invalid duration ""'],
    ["bad", 'time: invalid duration "bad"'],
    ["600", 'time: missing unit in duration "600"'],
    ["5y", 'time: unknown unit "y" in duration "5y"'],
    ["1__proto__", 'time: unknown unit "__proto__" in duration "1__proto__"'],
    ["9999999h", 'time: invalid duration "9999999h"'],
  ])("%s → %s", (text, words) => {
    expect(() => parseGoDuration(text)).toThrow(words);
  });
});

test("unitFile() of words with spaces, quotes and % → one word each for systemd; stop time beyond the grace", () => {
  const settings = readSettings(
    {
      DAEMON_HOME: "/var/lib/a b",
      DAEMON_NAME: "n",
      DAEMON_SHUTDOWN_GRACE: "1h",
      COSMOVISOR_CUSTOM_PREUPGRADE: 'a"%.sh',
    },
    undefined,
    {},
    { files: diskFiles, areFoldersChecked: false },
  );
  const unit = unitFile({ settings, command: ["/usr/bin/chainvisor"], args: ["start", "--x=$HOME 1"], user: "chain" });
  expect(unit).toContain('\nEnvironment="DAEMON_HOME=/var/lib/a b"\n');
  expect(unit).toContain('\nEnvironment="COSMOVISOR_CUSTOM_PREUPGRADE=a\\"%%.sh"\n');
  expect(unit).toContain('\nExecStart=/usr/bin/chainvisor run start "--x=$$HOME 1"\n');
  expect(unit).toContain("\nTimeoutStopSec=3660\n");
});
