/** What the sidecar knows, for people, probes and metrics: `chainvisor status`, `/status`, `/metrics`. */

export type Phase =
  | "starting" // before the first decision, and after a crash until the application responds
  | "running" // the application runs, no plan is scheduled
  | "waiting" // a plan is scheduled, something is missing
  | "downloading"
  | "ready" // a plan is scheduled, all is staged
  | "halted" // the height is reached, the application has ended or is being ended
  | "backing up"
  | "switching" // scripts, link
  | "migrating" // the new version makes the upgrade's block
  | "stopped" // by a signal, or nothing is known of a sidecar
  | "failed"; // it does not go on by itself: `message` and `next` say why

/** The node makes blocks, below the height of a plan. */
export const BEFORE_HEIGHT: ReadonlySet<Phase> = new Set<Phase>(["running", "waiting", "downloading", "ready"]);

export interface PlanStatus {
  readonly name: string;
  readonly height: string;
  readonly info: string;
  /** `chain`: governance; `operator`: add-upgrade --upgrade-height. */
  readonly origin: "chain" | "operator";
}

/** One thing that must be there before the height. */
export interface Readiness {
  readonly what:
    | "plan" // that the node has and the sidecar has not read yet, or that another one contradicts
    | "program"
    | "checksum"
    | "handler"
    | "pre-upgrade"
    | "rehearsal"
    | "halt-height"
    | "skip" // a flag that passes over the plan
    | "settings" // that the application does not run with, since app.toml was changed after its start
    | "current" // the link
    | "script" // COSMOVISOR_CUSTOM_PREUPGRADE
    | "disk"
    | "files" // of the home: what is of the wrong kind, or closed to the node's user
    | "backup"
    | "sidecar";
  readonly state: "ready" | "missing" | "wrong" | "unknown" | "skipped";
  /** In words, with the file. */
  readonly detail: string;
  /** A command to paste; null: nothing to do. */
  readonly next: string | null;
}

interface RpcFailure {
  /** CHAINVISOR_RPC_ADDRESS. */
  readonly address: string;
  /** In words. */
  readonly why: string;
  /** To paste: sets the address at which the node serves, where something names it. */
  readonly next?: string;
}

/** 64-bit integers are strings; times are RFC 3339, UTC; durations are seconds. */
export interface VisorStatus {
  readonly v: 1;
  readonly phase: Phase;
  /** Since when it is in this phase. */
  readonly since: string;
  readonly program: { readonly name: string; readonly file: string; readonly pid: number | null } | null;
  /** The last height that is known to be committed; null: not known. */
  readonly height: { readonly value: string; readonly source: "store" | "wal" | "rpc" | "status" } | null;
  readonly plan: PlanStatus | null;
  /** Until the plan's height. */
  readonly eta: { readonly seconds: number; readonly plus_minus: number } | null;
  readonly progress: { readonly what: string; readonly done: string; readonly total: string | null } | null;
  readonly readiness: readonly Readiness[];
  /** The last request to the node's RPC failed; absent: it succeeded, or none was sent. */
  readonly rpc_failure?: RpcFailure | undefined;
  /** The node that runs has returned its plan, or that it has none; absent: it has returned neither yet. */
  readonly is_plan_read?: true | undefined;
  readonly upgrades: number;
  readonly restarts: number;
  readonly message: string;
  /** What an operator may do now, each to paste. */
  readonly next: readonly string[];
}

/** What only grows while the sidecar runs, besides what the status has. */
export interface VisorTotals {
  readonly downloadBytes: number;
  readonly backupBytes: number;
}

/** What the run loop has to say, for those who show it. */
export interface StatusBoard {
  readonly current: VisorStatus;
  readonly totals: VisorTotals;
  /** Seconds from the end of the application at an upgrade's height to the first phase after it with blocks; undefined: none was seen. */
  readonly lastHaltSeconds: number | undefined;
  update(change: Partial<Omit<VisorStatus, "v" | "since">>): void;
  /** Not a change of the status: those who listen are not called. */
  count(what: keyof VisorTotals, more: number): void;
  /** Called after each change. Returns what ends it. */
  onChange(listener: (status: VisorStatus) => void): () => void;
}
