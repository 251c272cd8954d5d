/**
 * Cosmovisor's own cases for its environment (args_test.go, GetConfigFromEnv, all 42 rows): the same values lead to the same settings,
 * and as many things are wrong.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { readSettings } from "../../../../host/visor/decide/settings/read.js";
import type { Settings } from "../../../../host/visor/decide/settings.js";

const home = mkdtempSync(join(tmpdir(), "chain-upgrade-visor-env-"));
mkdirSync(join(home, "cosmovisor"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const VARIABLES = [
  ...["DAEMON_HOME", "DAEMON_NAME", "DAEMON_ALLOW_DOWNLOAD_BINARIES", "DAEMON_DOWNLOAD_MUST_HAVE_CHECKSUM"],
  ...["DAEMON_RESTART_AFTER_UPGRADE", "DAEMON_RESTART_DELAY", "UNSAFE_SKIP_BACKUP", "DAEMON_DATA_BACKUP_DIR"],
  ...["DAEMON_POLL_INTERVAL", "DAEMON_PREUPGRADE_MAX_RETRIES", "COSMOVISOR_DISABLE_LOGS", "COSMOVISOR_COLOR_LOGS"],
  ...[
    "COSMOVISOR_TIMEFORMAT_LOGS",
    "COSMOVISOR_CUSTOM_PREUPGRADE",
    "COSMOVISOR_DISABLE_RECASE",
    "DAEMON_SHUTDOWN_GRACE",
  ],
];

/** In the order of the variables; durations in milliseconds. */
const FIELDS: readonly (keyof Settings)[] = [
  ...(["home", "name", "isDownloadAllowed", "isChecksumRequired", "isRestartedAfterUpgrade", "restartDelay"] as const),
  ...(["isBackupSkipped", "backupDir", "pollInterval", "preUpgradeRetriesMax", "isQuiet", "isColored"] as const),
  ...(["timeFormat", "customPreUpgrade", "isCaseKept", "shutdownGrace"] as const),
];

/** `H`: the home; `-`: empty. */
const words = (text: string) => text.split(" ").map((word) => (word === "H" ? home : word === "-" ? "" : word));
const environment = (text: string) => Object.fromEntries(words(text).map((word, at) => [VARIABLES[at], word]));

/** Name, environment, and the settings or how many things are wrong. */
const ROWS: readonly (readonly [name: string, env: string, expected: string | number])[] = [
  ["all bad", "- - bad bad bad bad bad bad bad bad - - bad - bad bad", 13],
  [
    "all good",
    "H testname true true false 600ms true - 303ms 1 false true kitchen preupgrade.sh true 10s",
    "H testname true true false 600 true H 303 1 false true kitchen preupgrade.sh true 10000",
  ],
  ["nothing set", "- - - - - - - - - - false false - - - -", 3],
  ["download bin bad", "H testname bad true false 600ms true - 303ms 1 false true kitchen - - -", 1],
  [
    "download bin not set",
    "H testname - true false 600ms true - 303ms 1 false true kitchen - - -",
    "H testname false true false 600 true H 303 1 false true kitchen - false 0",
  ],
  [
    "download bin true",
    "H testname true true false 600ms true - 303ms 1 false true kitchen preupgrade.sh - -",
    "H testname true true false 600 true H 303 1 false true kitchen preupgrade.sh false 0",
  ],
  [
    "download bin false",
    "H testname false true false 600ms true - 303ms 1 false true kitchen preupgrade.sh - -",
    "H testname false true false 600 true H 303 1 false true kitchen preupgrade.sh false 0",
  ],
  [
    "download ensure checksum true",
    "H testname true false false 600ms true - 303ms 1 false true kitchen preupgrade.sh - -",
    "H testname true false false 600 true H 303 1 false true kitchen preupgrade.sh false 0",
  ],
  ["restart upgrade bad", "H testname true true bad 600ms true - 303ms 1 false true kitchen preupgrade.sh - -", 1],
  [
    "restart upgrade not set",
    "H testname true true - 600ms true - 303ms 1 false true kitchen preupgrade.sh - -",
    "H testname true true true 600 true H 303 1 false true kitchen preupgrade.sh false 0",
  ],
  [
    "restart upgrade true",
    "H testname true true true 600ms true - 303ms 1 false true kitchen preupgrade.sh - -",
    "H testname true true true 600 true H 303 1 false true kitchen preupgrade.sh false 0",
  ],
  [
    "restart upgrade true",
    "H testname true true false 600ms true - 303ms 1 false true kitchen preupgrade.sh - -",
    "H testname true true false 600 true H 303 1 false true kitchen preupgrade.sh false 0",
  ],
  ["skip unsafe backups bad", "H testname true true false 600ms bad - 303ms 1 false true kitchen preupgrade.sh - -", 1],
  [
    "skip unsafe backups not set",
    "H testname true true false 600ms - - 303ms 1 false true kitchen preupgrade.sh - -",
    "H testname true true false 600 false H 303 1 false true kitchen preupgrade.sh false 0",
  ],
  [
    "skip unsafe backups true",
    "H testname true true false 600ms true - 303ms 1 false true kitchen preupgrade.sh - -",
    "H testname true true false 600 true H 303 1 false true kitchen preupgrade.sh false 0",
  ],
  [
    "skip unsafe backups false",
    "H testname true true false 600ms false - 303ms 1 false true kitchen preupgrade.sh - -",
    "H testname true true false 600 false H 303 1 false true kitchen preupgrade.sh false 0",
  ],
  ["poll interval bad", "H testname false true false 600ms false - bad 1 false true kitchen preupgrade.sh - -", 1],
  ["poll interval 0", "H testname false true false 600ms false - 0 1 false true kitchen preupgrade.sh - -", 1],
  [
    "poll interval not set",
    "H testname false true false 600ms false - - 1 false false kitchen preupgrade.sh - -",
    "H testname false true false 600 false H 300 1 false false kitchen preupgrade.sh false 0",
  ],
  ["poll interval 600", "H testname false true false 600ms false - 600 1 false true kitchen preupgrade.sh - -", 1],
  [
    "poll interval 1s",
    "H testname false true false 600ms false - 1s 1 false false kitchen preupgrade.sh - -",
    "H testname false true false 600 false H 1000 1 false false kitchen preupgrade.sh false 0",
  ],
  ["poll interval -3m", "H testname false true false 600ms false - -3m 1 false true kitchen preupgrade.sh - -", 1],
  ["restart delay bad", "H testname false true false bad false - 303ms 1 false true kitchen preupgrade.sh - -", 1],
  ["restart delay 0", "H testname false true false 0 false - 303ms 1 false true kitchen preupgrade.sh - -", 1],
  [
    "restart delay not set",
    "H testname false true false - false - 303ms 1 false false kitchen preupgrade.sh - -",
    "H testname false true false 0 false H 303 1 false false kitchen preupgrade.sh false 0",
  ],
  ["restart delay 600", "H testname false true false 600 false - 300ms 1 false true kitchen preupgrade.sh - -", 1],
  [
    "restart delay 1s",
    "H testname false true false 1s false - 303ms 1 false false kitchen preupgrade.sh - -",
    "H testname false true false 1000 false H 303 1 false false kitchen preupgrade.sh false 0",
  ],
  ["restart delay -3m", "H testname false true false -3m false - 303ms 1 false true kitchen preupgrade.sh - -", 1],
  [
    "prepupgrade max retries bad",
    "H testname false true false 600ms false - 406ms bad false true kitchen preupgrade.sh - -",
    1,
  ],
  [
    "prepupgrade max retries 0",
    "H testname false true false 600ms false - 406ms 0 false false kitchen preupgrade.sh - -",
    "H testname false true false 600 false H 406 0 false false kitchen preupgrade.sh false 0",
  ],
  [
    "prepupgrade max retries not set",
    "H testname false true false 600ms false - 406ms - false false kitchen preupgrade.sh - -",
    "H testname false true false 600 false H 406 0 false false kitchen preupgrade.sh false 0",
  ],
  [
    "prepupgrade max retries 5",
    "H testname false true false 600ms false - 406ms 5 false false kitchen preupgrade.sh - -",
    "H testname false true false 600 false H 406 5 false false kitchen preupgrade.sh false 0",
  ],
  ["disable logs bad", "H testname false true false 600ms false - 406ms 5 bad true kitchen preupgrade.sh - -", 1],
  [
    "disable logs good",
    "H testname false true false 600ms false - 406ms - true false kitchen preupgrade.sh - -",
    "H testname false true false 600 false H 406 0 true false kitchen preupgrade.sh false 0",
  ],
  ["disable logs color bad", "H testname false true false 600ms false - 406ms 5 true bad kitchen preupgrade.sh - -", 1],
  [
    "disable logs color good",
    "H testname false true false 600ms false - 406ms - true false kitchen preupgrade.sh - -",
    "H testname false true false 600 false H 406 0 true false kitchen preupgrade.sh false 0",
  ],
  [
    "disable logs timestamp",
    "H testname false true false 600ms false - 406ms - true false - preupgrade.sh - -",
    "H testname false true false 600 false H 406 0 true false - preupgrade.sh false 0",
  ],
  [
    "enable rf3339 logs timestamp",
    "H testname false true false 600ms false - 406ms - true true rfc3339 preupgrade.sh - -",
    "H testname false true false 600 false H 406 0 true true rfc3339 preupgrade.sh false 0",
  ],
  [
    "invalid logs timestamp format",
    "H testname false true false 600ms false - 406ms - true true invalid preupgrade.sh - -",
    1,
  ],
  [
    "disable recase good",
    "H testname false true false 600ms false - 406ms - true true rfc3339 preupgrade.sh true -",
    "H testname false true false 600 false H 406 0 true true rfc3339 preupgrade.sh true 0",
  ],
  ["disable recase bad", "H testname false true false 600ms false - 406ms - true true rfc3339 preupgrade.sh bad -", 1],
  [
    "shutdown grace good",
    "H testname false true false 600ms false - 406ms - true true rfc3339 preupgrade.sh true 15s",
    "H testname false true false 600 false H 406 0 true true rfc3339 preupgrade.sh true 15000",
  ],
];

describe("readSettings()", () => {
  test.each(ROWS.map((row, at) => [at + 1, ...row] as const))(
    '%i: Cosmovisor\'s case "%s" → its settings, or as many things wrong',
    (_number, _name, env, expected) => {
      const { settings, problems } = readSettings(environment(env), undefined);
      if (typeof expected === "number") expect(problems).toHaveLength(expected);
      else {
        expect(problems).toEqual([]);
        expect(FIELDS.map((field) => String(settings[field]))).toEqual(words(expected));
      }
    },
  );

  test("gRPC address that is not set → localhost:9090", () => {
    expect(readSettings({ DAEMON_HOME: home, DAEMON_NAME: "n" }, undefined).settings.grpcAddress).toBe(
      "localhost:9090",
    );
  });
});
