/** What a rehearsal looks at, by name, and what it found there. What was not looked at has a name and a reason too. */
import { UpgradeError } from "../../../base/errors/errors.js";

const CHECKS = Object.freeze({
  plan: "the plan is in the state that was rehearsed on, and that is the state just before its height",
  pin: "the handler is the file that the plan pins",
  versions: "module versions are those of a version that this program knows",
  invariants: "the invariants of modules and handler hold",
  probes: "the probes of modules succeed on the state after the block",
  determinism: "a second run comes to the same state",
  time: "the state after the block does not depend on its time, but for the gas of reading it",
  idempotence: "the handler, run on what it has written, changes nothing",
  supply: "the supply of coins is what it was",
  queries: "what queries returned before, they return after",
  validators: "the chain keeps validators with power",
  disk: "the disk has room for the block",
  memory: "the machine has memory for the block",
});

export type CheckName = keyof typeof CHECKS;

export interface Check {
  readonly name: CheckName;
  readonly result: "passed" | "found" | "not checked";
  /** What was looked at, or why it was not. */
  readonly what: string;
}

export interface Finding {
  readonly check: CheckName;
  readonly message: string;
}

export class CheckList {
  readonly #checks = new Map<CheckName, Check>();
  readonly findings: Finding[] = [];

  passed(name: CheckName): void {
    if (!this.#checks.has(name)) this.#checks.set(name, { name, result: "passed", what: CHECKS[name] });
  }

  found(name: CheckName, message: string): void {
    this.#checks.set(name, { name, result: "found", what: CHECKS[name] });
    this.findings.push({ check: name, message });
  }

  notChecked(name: CheckName, why: string): void {
    this.#checks.set(name, { name, result: "not checked", what: why });
  }

  /** All of them, in the order of the table. */
  get all(): readonly Check[] {
    const rest = "the rehearsal did not come so far";
    return (Object.keys(CHECKS) as CheckName[]).map(
      (name) => this.#checks.get(name) ?? { name, result: "not checked", what: rest },
    );
  }
}

const NAMES = Object.keys(CHECKS) as CheckName[];
/** Findings of these end the upgrade itself, so nobody can accept them. */
const FATAL: readonly CheckName[] = ["determinism", "disk"];

/** @param text `all`, or names with commas between @throws UpgradeError UPG_INVALID_ARGUMENT */
export function parseRequired(text: string): readonly CheckName[] {
  return text === "all" ? NAMES : parseNames("--require", text, NAMES, "all, ");
}

/** @param text names with commas between @throws UpgradeError UPG_INVALID_ARGUMENT */
export function parseAccepted(text: string): readonly CheckName[] {
  return parseNames(
    "--accept",
    text,
    NAMES.filter((name) => !FATAL.includes(name)),
    "",
  );
}

function parseNames(flag: string, text: string, known: readonly CheckName[], more: string): readonly CheckName[] {
  return text.split(",").map((part) => {
    const name = known.find((each) => each === part.trim());
    if (name) return name;
    const what = `${flag}: there is no check "${part.trim().slice(0, 40)}"; there are ${more}${known.join(", ")}`;
    throw new UpgradeError("UPG_INVALID_ARGUMENT", what);
  });
}

/** A required check that did not pass: it found something, or was not made. */
export interface Unmet {
  readonly name: CheckName;
  readonly isMade: boolean;
  /** The result of the check, or the reason why it did not run. */
  readonly why: string;
}

export function unmet(
  required: readonly CheckName[],
  { checks, findings }: { readonly checks: readonly Check[]; readonly findings: readonly Finding[] },
): readonly Unmet[] {
  return checks
    .filter(({ name, result }) => required.includes(name) && result !== "passed")
    .map(({ name, result, what }) => {
      const found = findings.filter(({ check }) => check === name).map(({ message }) => message);
      const isMade = result === "found";
      return { name, isMade, why: isMade ? found.join("; ") : what };
    });
}

/** Exit status of the process: that of the upgrade, or 1 where only a required check is missing. */
export function exitStatus({ exit }: { readonly exit: number }, missing: readonly Unmet[]): number {
  return exit === 0 && missing.length > 0 ? 1 : exit;
}

/** For the end of the headline. "": all required checks passed. */
export function unmetSummary(missing: readonly Unmet[]): string {
  const named = (what: string, isMade: boolean) => {
    const names = missing.filter((each) => each.isMade === isMade).map(({ name }) => name);
    return names.length === 0 ? "" : `; required checks that ${what}: ${names.join(", ")}`;
  };
  return named("found something", true) + named("were not made", false);
}
