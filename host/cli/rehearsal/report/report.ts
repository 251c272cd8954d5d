/** What a rehearsal found: one value, of which the lines for people, the JSON and the HTML page are made. 64-bit integers are texts, hashes hex. */
import type { JsonValue } from "@bufbuild/protobuf";
import type { Probes } from "../../../upgrade/module/hooks.js";
import type { GasProfile } from "../../../upgrade/test-kit/gas/gas-profile.js";
import type { DescribedChange } from "../diff/described-change.js";
import type { Check, CheckName, Finding } from "./checks.js";

export type Verdict =
  | "would apply"
  | "would apply with findings"
  | "would fail"
  | "would be refused"
  | "would halt"
  | "cannot be rehearsed";

export interface StoreReport {
  readonly name: string;
  readonly fate: string;
  /** "": it had the same name. */
  readonly from: string;
  readonly pairs_before: string;
  readonly pairs_after: string;
  readonly added: string;
  readonly written: string;
  readonly deleted: string;
  readonly bytes_written: string;
  readonly bytes_deleted: string;
  readonly root_before: string | null;
  readonly root_after: string | null;
}

interface PhaseReport {
  readonly phase: string;
  readonly store: string;
  readonly ms: number;
}

export interface QueryReport {
  readonly method: string;
  readonly request: JsonValue;
  readonly before: JsonValue;
  readonly after: JsonValue;
  readonly is_same: boolean;
  readonly lost: string | null;
}

interface RunReport {
  readonly time: string;
  readonly app_hash: string;
  readonly ms: number;
}

/** What the block did; null in the report of one that failed. */
export interface AppliedReport {
  readonly app_hash: string;
  readonly app_hash_when: string;
  /** By the nanoseconds of the block's time, as far as they were tried; empty where the state itself depends on the time. */
  readonly app_hashes: readonly { readonly nanos_from: number; readonly nanos_to: number; readonly app_hash: string }[];
  /** Is it known that the block's time has no part in the app hash? null: it was not looked at. */
  readonly depends_on_time: boolean | null;
  readonly versions: readonly {
    readonly module: string;
    readonly before: string | null;
    readonly after: string | null;
  }[];
  readonly stores: readonly StoreReport[];
  readonly changes: {
    readonly total: string;
    readonly shown: readonly DescribedChange[];
    readonly file: string | null;
  };
  /** Values that were written, by their bytes: up to `bytes`, so many. */
  readonly value_sizes: readonly { readonly bytes: string; readonly values: string }[];
  /** null: a handler in TypeScript has none. */
  readonly gas: string | null;
  readonly gas_limit: string | null;
  readonly gas_profile: GasProfile | null;
  readonly phases: readonly PhaseReport[];
  readonly block_ms: number;
  readonly invariants: readonly { readonly module: string; readonly name: string; readonly ms: number }[];
  readonly handler_checks: readonly string[];
  /** Modules by name. */
  readonly probes: Probes;
  readonly other_writes: readonly {
    readonly module: string;
    readonly hook: string;
    readonly store: string;
    readonly writes: number;
  }[];
  readonly receipt: JsonValue;
  readonly queries: readonly QueryReport[];
  readonly events: number;
  readonly validators: { readonly before: number; readonly after: number; readonly updates: number };
  readonly memory: { readonly peak: string; readonly available: string; readonly guest: string | null };
  readonly disk: {
    readonly growth: string;
    readonly spill: string;
    readonly reserve: string;
    readonly needed: string;
    /** null: the system does not say. */
    readonly free: string | null;
  };
  readonly runs: readonly RunReport[];
}

export interface Report {
  readonly v: 1;
  readonly verdict: Verdict;
  readonly exit: number;
  /** "": it would apply. */
  readonly code: string;
  readonly message: string;
  readonly next: string;
  readonly commands: readonly string[];
  readonly chain_id: string;
  readonly home: string;
  readonly plan: { readonly name: string; readonly height: string; readonly info: string } | null;
  /** null: not known, the rehearsal did not come so far. */
  readonly handler: { readonly kind: "wasm" | "typescript"; readonly sha256: string; readonly file: string } | null;
  readonly state: {
    readonly kind: string;
    readonly height: string;
    readonly app_hash: string;
    readonly block_height: string;
    readonly block_time: string;
    /** It is the state of the height before the plan's, and the plan is in it. */
    readonly is_exact: boolean;
  } | null;
  readonly applied: AppliedReport | null;
  /** Where and with what in hand a handler failed; null: it did not. */
  readonly failure: JsonValue;
  readonly findings: readonly Finding[];
  /** Checks whose findings are expected (`--accept`): they do not change verdict and exit status. */
  readonly accepted: readonly CheckName[];
  readonly checks: readonly Check[];
  readonly not_checked: readonly string[];
  readonly reading: { readonly renewals: number; readonly longest_ms: number } | null;
  readonly total_ms: number;
  readonly program: string;
}
