/** Every setting of the sidecar: its variable, its kind, its default. The key of config.toml is the variable in lower case. */
import type { Settings } from "../settings.js";

export type SettingKind =
  | "text"
  | "switch"
  | "duration"
  | "count"
  | "time format"
  | "bytes"
  | "height"
  | { readonly choices: readonly string[] };

export interface Variable {
  readonly env: string;
  readonly field: Exclude<keyof Settings, "root">;
  readonly kind: SettingKind;
  /** As it would be written. */
  readonly preset: string;
  /** One line, for help and for config.toml. */
  readonly means: string;
  /** A variable that is set to nothing means nothing, not the default. */
  readonly isEmptyMeant?: boolean;
  /** Cosmovisor does not know it. */
  readonly isOwn: boolean;
}

type Row = readonly [env: string, field: Variable["field"], kind: SettingKind, preset: string, means: string];

/** In the order in which Cosmovisor's `config` prints them. */
const COSMOVISOR: readonly Row[] = [
  ["DAEMON_HOME", "home", "text", "", "the node's home, an absolute path"],
  ["DAEMON_NAME", "name", "text", "", "the name of the program's file in each bin"],
  ["DAEMON_ALLOW_DOWNLOAD_BINARIES", "isDownloadAllowed", "switch", "false", "fetch programs that a plan's info names"],
  [
    "DAEMON_DOWNLOAD_MUST_HAVE_CHECKSUM",
    "isChecksumRequired",
    "switch",
    "false",
    "fetch nothing that the plan has no checksum of",
  ],
  ["DAEMON_RESTART_AFTER_UPGRADE", "isRestartedAfterUpgrade", "switch", "true", "start the new program at once"],
  ["DAEMON_RESTART_DELAY", "restartDelay", "duration", "0", "wait between the node's end and the backup"],
  [
    "DAEMON_SHUTDOWN_GRACE",
    "shutdownGrace",
    "duration",
    "0",
    "let the node end by itself for so long; 0: killed at once",
  ],
  ["DAEMON_POLL_INTERVAL", "pollInterval", "duration", "300ms", "how often files are looked at"],
  ["UNSAFE_SKIP_BACKUP", "isBackupSkipped", "switch", "false", "upgrade without a backup"],
  ["DAEMON_DATA_BACKUP_DIR", "backupDir", "text", "", "where backups are made (default: the home)"],
  [
    "DAEMON_PREUPGRADE_MAX_RETRIES",
    "preUpgradeRetriesMax",
    "count",
    "0",
    "how often pre-upgrade is asked again after 31",
  ],
  ["COSMOVISOR_DISABLE_LOGS", "isQuiet", "switch", "false", "print no logs"],
  ["COSMOVISOR_COLOR_LOGS", "isColored", "switch", "true", "colours in logs on a terminal"],
  [
    "COSMOVISOR_TIMEFORMAT_LOGS",
    "timeFormat",
    "time format",
    "kitchen",
    "time of plain lines; kitchen: date, seconds, UTC",
  ],
  [
    "COSMOVISOR_CUSTOM_PREUPGRADE",
    "customPreUpgrade",
    "text",
    "",
    "a script in cosmovisor/ that runs before the switch",
  ],
  ["COSMOVISOR_DISABLE_RECASE", "isCaseKept", "switch", "false", "folders have a plan's name in its own case"],
  ["DAEMON_GRPC_ADDRESS", "grpcAddress", "text", "localhost:9090", "the node's gRPC"],
];

const GIBIBYTE = 2 ** 30;

const OWN: readonly Row[] = [
  ["CHAINVISOR_STATUS_ADDRESS", "statusAddress", "text", "127.0.0.1:26670", "status page and metrics; empty: none"],
  ["CHAINVISOR_RPC_ADDRESS", "rpcAddress", "text", "http://127.0.0.1:26657", "the node's RPC: its height, its plan"],
  [
    "CHAINVISOR_ON_REFUSAL",
    "onRefusal",
    { choices: ["stop", "retry", "return"] },
    "stop",
    "when the new version refuses the upgrade",
  ],
  ["CHAINVISOR_RETURN_HEIGHT", "returnHeight", "height", "", "the height that all agreed on, for return"],
  [
    "CHAINVISOR_HOLD",
    "isHeldOnFailure",
    "switch",
    "false",
    "after a failure stay, serve the status and wait for `chainvisor restart`, instead of ending",
  ],
  ["CHAINVISOR_RESTARTS_MAX", "restartsMax", "count", "5", "crashes in the window after which it stops; 0: the first"],
  ["CHAINVISOR_RESTART_WINDOW", "restartWindow", "duration", "10m", "in which crashes are counted"],
  [
    "CHAINVISOR_HALT_AT_HEIGHT",
    "isHaltedAtHeight",
    "switch",
    "true",
    "start the node with --halt-height of the next queued plan",
  ],
  [
    "CHAINVISOR_HOT_SWITCH",
    "isHotSwitch",
    "switch",
    "false",
    "hold CometBFT's connections, restart the application alone",
  ],
  [
    "CHAINVISOR_DOWNLOAD_BYTES_MAX",
    "downloadBytesMax",
    "bytes",
    String(2 * GIBIBYTE),
    "of one download and what it holds",
  ],
  ["CHAINVISOR_DOWNLOAD_TIMEOUT", "downloadTimeout", "duration", "1h", "of one download, whole"],
  ["CHAINVISOR_DOWNLOAD_STALL", "downloadStall", "duration", "30s", "of one download without a byte"],
  ["CHAINVISOR_BACKUP", "backupKind", { choices: ["auto", "reflink", "copy"] }, "auto", "how backups are made"],
  [
    "CHAINVISOR_BACKUPS_KEPT",
    "backupsKept",
    "count",
    "2",
    "older ones are removed after a new one is whole; 0: none is",
  ],
  ["CHAINVISOR_LOG_FORMAT", "logFormat", { choices: ["plain", "json"] }, "plain", "format of logs, the node's too"],
];

const EMPTY_IS_MEANT = new Set(["COSMOVISOR_TIMEFORMAT_LOGS", "CHAINVISOR_STATUS_ADDRESS"]);

const variable =
  (isOwn: boolean) =>
  ([env, field, kind, preset, means]: Row): Variable => ({
    ...{ env, field, kind, preset, means, isOwn },
    isEmptyMeant: EMPTY_IS_MEANT.has(env),
  });

export const VARIABLES: readonly Variable[] = [...COSMOVISOR.map(variable(false)), ...OWN.map(variable(true))];

/** The key of config.toml, and the name of what a flag overrides. */
export const keyOf = ({ env }: Variable) => env.toLowerCase();
