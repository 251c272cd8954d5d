/**
 * What the sidecar is set to: Cosmovisor's variables under their names, and its own. A setting is taken from a flag, else from the
 * environment, else from `<root>/config.toml`, else it is the default.
 */

/** When the new version refuses the upgrade (exit 20, 21, 30). */
type OnRefusal = "stop" | "retry" | "return";

/** Durations are in milliseconds. */
export interface Settings {
  /** DAEMON_HOME; absolute. */
  readonly home: string;
  /** DAEMON_NAME: of the program's file in each `bin`. */
  readonly name: string;
  /** `<home>/cosmovisor`. */
  readonly root: string;
  /** DAEMON_ALLOW_DOWNLOAD_BINARIES, default false. */
  readonly isDownloadAllowed: boolean;
  /** DAEMON_DOWNLOAD_MUST_HAVE_CHECKSUM, default false. */
  readonly isChecksumRequired: boolean;
  /** DAEMON_RESTART_AFTER_UPGRADE, default true. */
  readonly isRestartedAfterUpgrade: boolean;
  /** DAEMON_RESTART_DELAY, default 0. */
  readonly restartDelay: number;
  /** DAEMON_SHUTDOWN_GRACE; 0, the default: killed at once, as Cosmovisor does. */
  readonly shutdownGrace: number;
  /** DAEMON_POLL_INTERVAL, default 300: how often files are looked at, besides what the system reports. */
  readonly pollInterval: number;
  /** DAEMON_DATA_BACKUP_DIR, default the home. */
  readonly backupDir: string;
  /** UNSAFE_SKIP_BACKUP, default false. */
  readonly isBackupSkipped: boolean;
  /** DAEMON_PREUPGRADE_MAX_RETRIES, default 0. */
  readonly preUpgradeRetriesMax: number;
  /** DAEMON_GRPC_ADDRESS, default localhost:9090. */
  readonly grpcAddress: string;
  /** COSMOVISOR_DISABLE_LOGS, default false. */
  readonly isQuiet: boolean;
  /** COSMOVISOR_COLOR_LOGS, default true; files, pipes and NO_COLOR have none. */
  readonly isColored: boolean;
  /** COSMOVISOR_TIMEFORMAT_LOGS, default kitchen, which is the one time of all logs here; "" for none. */
  readonly timeFormat: string;
  /** COSMOVISOR_CUSTOM_PREUPGRADE: a file name below the root; "": none. */
  readonly customPreUpgrade: string;
  /** COSMOVISOR_DISABLE_RECASE, default false: folders have the plan's name in lower case. */
  readonly isCaseKept: boolean;

  // Its own, CHAINVISOR_…
  /** CHAINVISOR_STATUS_ADDRESS, default 127.0.0.1:26670; "": nothing is served. */
  readonly statusAddress: string;
  /** CHAINVISOR_RPC_ADDRESS, default http://127.0.0.1:26657: of the node, asked for its height and plan. */
  readonly rpcAddress: string;
  /** CHAINVISOR_ON_REFUSAL, default stop. */
  readonly onRefusal: OnRefusal;
  /** CHAINVISOR_RETURN_HEIGHT: the height that was agreed on, for `return`; undefined: none. */
  readonly returnHeight: bigint | undefined;
  /** CHAINVISOR_HOLD, default false: after a failure it stays, serves its status and waits for `chainvisor restart`, instead of ending with the failure's exit status. */
  readonly isHeldOnFailure: boolean;
  /** CHAINVISOR_RESTARTS_MAX, default 5: crashes within `restartWindow` after which it stops. 0: a crash ends the sidecar, as Cosmovisor's. */
  readonly restartsMax: number;
  /** CHAINVISOR_RESTART_WINDOW, default 10 minutes. */
  readonly restartWindow: number;
  /** CHAINVISOR_HALT_AT_HEIGHT, default true: the application is started so that it does not make the block of an operator's plan. */
  readonly isHaltedAtHeight: boolean;
  /** CHAINVISOR_HOT_SWITCH, default false: holds CometBFT's connections, so that only the application restarts. */
  readonly isHotSwitch: boolean;
  /** CHAINVISOR_DOWNLOAD_BYTES_MAX, default 2 GiB. */
  readonly downloadBytesMax: number;
  /** CHAINVISOR_DOWNLOAD_TIMEOUT, default 1 hour for the whole, CHAINVISOR_DOWNLOAD_STALL 30 s without a byte. */
  readonly downloadTimeout: number;
  readonly downloadStall: number;
  /** CHAINVISOR_BACKUP, default reflink-or-copy: `auto` | `reflink` (or none) | `copy`. */
  readonly backupKind: "auto" | "reflink" | "copy";
  /** CHAINVISOR_BACKUPS_KEPT, default 2: older ones that are whole are removed after a new one is; 0: all are kept. */
  readonly backupsKept: number;
  /** CHAINVISOR_LOG_FORMAT, default that of the application (`--log_format`), else plain. */
  readonly logFormat: "plain" | "json";
}

/** Where a value came from, for `config view --sources`. */
export type SettingSource = "flag" | "env" | "file" | "default";
