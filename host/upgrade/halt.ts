/** A halt: the process stops by design. It is thrown through the block and becomes an exit status and a record on disk. */
import { type ErrorCode, UpgradeError } from "../errors.js";
import type { Height, Plan } from "../types.js";

export type HaltCode = Extract<ErrorCode, `UPG_HALT_${string}`>;

export class Halt extends UpgradeError {
  /** The plan that is due, too early, or to be gone on with; none for a downgrade or a height. */
  readonly plan: Plan | undefined;

  constructor(
    override readonly code: HaltCode,
    message: string,
    /** Height of the block that was not made. */
    readonly height: Height,
    plan?: Plan,
  ) {
    super(code, message, { details: { height: String(height), ...(plan ? { plan: plan.name } : {}) } });
    this.plan = plan;
  }
}

/** What to do, one sentence each, for the halt record. */
const NEXT: Readonly<Record<HaltCode, (name: string, height: Height) => string>> = {
  UPG_HALT_UPGRADE_NEEDED: (name) =>
    `Start the version that has the handler for "${name}" on this home; it applies the upgrade and goes on.`,
  UPG_HALT_BINARY_TOO_EARLY: (name, height) =>
    `Run the old version until the chain halts for "${name}"; this one comes too early at height ${height}.`,
  UPG_HALT_HANDLER_MISSING: () => "Run the version that applied the last upgrade, or a newer one; this one is too old.",
  UPG_HALT_HEIGHT: () => "Start again without --halt-height, or with a later one, to go on.",
  UPG_HALT_RESTART: (name) => `Start the same binary again: it opens the stores of "${name}" and applies it.`,
};

/** `<home>/data/halt.json`, and a line on stderr. 64-bit integers are strings. */
export interface HaltRecord {
  readonly v: 1;
  readonly code: string;
  readonly plan: { readonly name: string; readonly height: string; readonly info: string } | null;
  readonly height: string;
  readonly last_committed_height: string;
  /** Upper-case hex. */
  readonly app_hash: string;
  readonly message: string;
  readonly next: string;
  /** RFC 3339, UTC. */
  readonly time: string;
}

export interface HaltFacts {
  /** 0n before the first block. */
  readonly lastCommittedHeight: Height;
  readonly nextHeight: Height;
  /** Empty before the first block. */
  readonly appHash: Uint8Array;
  readonly time: string;
}

/** The record of a halt, or of any other failure that ended the process. */
export function haltRecord(error: UpgradeError, facts: HaltFacts): HaltRecord {
  const halt = error instanceof Halt ? error : undefined;
  const plan = halt?.plan;
  const height = halt?.height ?? facts.nextHeight;
  const hash = Array.from(facts.appHash, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return {
    v: 1,
    code: error.code,
    plan: plan ? { name: plan.name, height: String(plan.height), info: plan.info } : null,
    height: String(height),
    last_committed_height: String(facts.lastCommittedHeight),
    app_hash: hash.toUpperCase(),
    message: error.message,
    next: halt ? NEXT[halt.code](plan?.name ?? "", height) : nextAfterFailure(error),
    time: facts.time,
  };
}

function nextAfterFailure({ kind }: UpgradeError): string {
  if (kind.exit === 20 || kind.exit === 21) {
    return "Nothing was committed: start a version with a good handler, or skip with --unsafe-skip-upgrades <height>.";
  }
  if (kind.exit === 30) return "Nothing was committed: look at the disk and the message, then start again.";
  return "Nothing was committed: see docs/errors.md for this code.";
}
