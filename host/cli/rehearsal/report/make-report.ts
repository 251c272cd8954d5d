/** Makes the report of a rehearsal: of a block that was made, or of one that ended otherwise. */
import type { JsonValue } from "@bufbuild/protobuf";
import { UpgradeError } from "../../../base/errors/errors.js";
import { sha256 } from "../../../base/native/sha256.js";
import { toUpperHex } from "../../../base/text/bytes.js";
import { formatTime } from "../../../base/time/time.js";
import type { Home } from "../../../node/home/home.js";
import { CommitMultiStore } from "../../../state/store/versions/commit-multi-store.js";
import type { WasmHandler } from "../../../upgrade/handler/handler.js";
import type { Probes } from "../../../upgrade/module/hooks.js";
import { pinnedHash } from "../../../upgrade/plan-info/plan-info.js";
import type { Failure } from "../../../upgrade/test-kit/failure/explain.js";
import { failureAnswer } from "../../author/testing/failure-answer.js";
import type { RunResults } from "../run-results.js";
import type { OpenState } from "../state/open-state.js";
import type { Place } from "../state/state-before.js";
import { appliedReport } from "./applied-report.js";
import { type CheckList, type CheckName, CheckList as Checks } from "./checks.js";
import { bytesText } from "./number-format.js";
import type { Report } from "./report.js";
import { applies, appliesWithFindings, endsWith } from "./verdict.js";

export interface ReportFacts {
  /** Name of the program. */
  readonly program: string;
  readonly home: Home;
  readonly state: OpenState;
  /** By the clock of `performance`. */
  readonly begun: number;
  /** Undefined: the rehearsal did not come so far. */
  readonly place: Place | undefined;
  /** The Wasm handler that was given or found. */
  readonly handler: WasmHandler | undefined;
  readonly failure: Failure | undefined;
  /** Flags that choose what is rehearsed, without `--home` and `--handler`. */
  readonly flags: readonly string[];
  /** File of `--handler`. */
  readonly givenHandler: string | undefined;
  readonly isKept: boolean;
  /** Checks whose findings are expected. */
  readonly accepted: readonly CheckName[];
}

export function failedReport(error: UpgradeError, facts: ReportFacts): Report {
  const ending = endsWith(error, {
    ...endingFacts(facts),
    handler: error.details["handler_file"] ?? endingFacts(facts).handler,
  });
  // Its interface has no index signature, which JsonValue asks for; all its fields are JSON.
  const failure = facts.failure ? (failureAnswer(facts.failure) as unknown as JsonValue) : null;
  return { ...common(facts, new Checks(), undefined), ...ending, failure };
}

/** What the home keeps until there is a result: where the process ends before, the plan does not count as rehearsed. */
export function unfinishedReport(facts: ReportFacts): Report {
  const message =
    "the last rehearsal has no result: it still runs, or its process ended or was stopped, or its report could not be kept";
  return failedReport(new UpgradeError("UPG_BUG_NO_RESULT", message), facts);
}

export function reportOf(results: RunResults, facts: ReportFacts, checks: CheckList): Report {
  judge(results, facts, checks);
  const { disk, reading } = results;
  const isShort = disk.free !== undefined && disk.free < disk.needed;
  const ending = checks.findings.some(({ check }) => check === "determinism")
    ? endsWith(new UpgradeError("UPG_MIGRATION_FAILED", "the same block came to two app hashes"), endingFacts(facts))
    : isShort
      ? endsWith(new UpgradeError("UPG_STORE_FULL", shortText(results)), endingFacts(facts))
      : appliedEnding(facts, checks);
  return {
    ...common(facts, checks, results),
    ...ending,
    applied: appliedReport(results, facts.place?.isScheduled === true && isJustBefore(facts)),
    reading: { renewals: reading.renewals, longest_ms: Math.round(reading.heldMillisMax) },
  };
}

/** The block applies; what a check found there counts unless it is accepted. */
function appliedEnding(facts: ReportFacts, { findings }: CheckList) {
  const open = findings.map(({ check }) => check).filter((check) => !facts.accepted.includes(check));
  return open.length === 0 ? applies(endingFacts(facts)) : appliesWithFindings(endingFacts(facts), [...new Set(open)]);
}

function endingFacts({ program, home, place, handler, flags, givenHandler, isKept }: ReportFacts) {
  const plan = place?.plan.name ?? handler?.manifest.name ?? "";
  const file = handler?.file ?? givenHandler ?? "";
  const isGiven = givenHandler !== undefined;
  return { program, home: home.path, plan, height: String(place?.height ?? 0n), handler: file, flags, isGiven, isKept };
}

const isJustBefore = ({ place }: ReportFacts) => place !== undefined && place.stateHeight + 1n === place.height;

function common(
  facts: ReportFacts,
  checks: CheckList,
  results: RunResults | undefined,
): Omit<Report, "verdict" | "exit" | "code" | "message" | "next" | "commands"> {
  const { home, state, place, handler, begun } = facts;
  const all = checks.all;
  return {
    v: 1,
    chain_id: state.genesis.chainId,
    home: home.path,
    plan: place ? { name: place.plan.name, height: String(place.plan.height), info: place.plan.info } : null,
    handler: handler
      ? { kind: "wasm", sha256: handler.hash, file: handler.file ?? "" }
      : results
        ? { kind: "typescript", sha256: "", file: "" }
        : null,
    state: place
      ? {
          kind: state.kind,
          height: String(place.stateHeight),
          app_hash: toUpperHex(new CommitMultiStore(state.database, { sha256 }).at(place.stateHeight).appHash),
          block_height: String(place.height),
          block_time: results ? formatTime(results.block.time) : "",
          is_exact: place.isScheduled && isJustBefore(facts),
        }
      : null,
    applied: null,
    failure: null,
    findings: checks.findings,
    accepted: facts.accepted,
    checks: all,
    not_checked: all.filter(({ result }) => result === "not checked").map(({ name }) => name),
    reading: null,
    total_ms: Math.round(performance.now() - begun),
    program: facts.program,
  };
}

/** What the results say of each check that needs all of them. */
function judge(results: RunResults, facts: ReportFacts, checks: CheckList): void {
  const { block, queries, validators, disk, memory } = results;
  const { place, handler } = facts;
  if (!place?.isScheduled) checks.notChecked("plan", "the plan is not in the state: it was put there");
  else if (!isJustBefore(facts)) {
    checks.notChecked("plan", `the state is that of height ${place.stateHeight}, the plan is due at ${place.height}`);
  } else checks.passed("plan");
  judgePin(checks, place, handler);
  if (block.app.versions.some(({ plan }) => plan === place?.plan.name)) checks.passed("versions");
  else
    checks.notChecked(
      "versions",
      "no version of this program carries the plan, so the handler alone says what it leads to",
    );
  const ofHandler = block.result.applied?.report?.checks ?? [];
  if (block.invariants.length + ofHandler.length > 0) checks.passed("invariants");
  else checks.notChecked("invariants", "neither the modules nor the handler have any");
  judgeProbes(checks, block.result.applied?.probes);
  const lost = queries.filter((each) => each.lost !== undefined);
  for (const { method, lost: what } of lost) checks.found("queries", `${method}: ${what}`);
  if (lost.length === 0) checks.passed("queries");
  judgeSupply(checks, queries);
  if (validators.before > 0 && validators.after === 0) checks.found("validators", "nobody has power after the block");
  else checks.passed("validators");
  if (disk.free === undefined) checks.notChecked("disk", "the system does not say what is free");
  else if (disk.free < disk.needed) checks.found("disk", shortText(results));
  else checks.passed("disk");
  if (memory.available < memory.peak) {
    checks.found(
      "memory",
      `the block took ${bytesText(memory.peak)}, and ${bytesText(memory.available)} were available`,
    );
  } else checks.passed("memory");
}

function judgeProbes(checks: CheckList, probes: Probes | undefined): void {
  if (!probes || probes.passed.length + probes.skipped.length === 0) checks.notChecked("probes", "no module has any");
  else if (probes.skipped.length === 0) checks.passed("probes");
  else {
    const why = "the upgrade removes the modules or what they depend on";
    checks.notChecked("probes", `not run for ${probes.skipped.join(", ")}: ${why}`);
  }
}

/** Coins that come or go in an upgrade are a finding, also where they are meant. */
function judgeSupply(checks: CheckList, queries: RunResults["queries"]): void {
  const asked = queries.find(({ method }) => method === "/cosmos.bank.v1beta1.Query/TotalSupply");
  if (!asked?.before.ok || !asked.after.ok) {
    checks.notChecked("supply", "the total supply cannot be asked for on both states");
    return;
  }
  const [before, after] = [asked.before.response, asked.after.response].map((response) => JSON.stringify(response));
  if (before === after) checks.passed("supply");
  else checks.found("supply", `the total supply was ${before}, and would be ${after}`);
}

function judgePin(checks: CheckList, place: Place | undefined, handler: WasmHandler | undefined): void {
  const pin = place && pinnedHash(place.plan.info);
  if (!handler) checks.notChecked("pin", "the handler is a function of the program");
  else if (!pin) checks.notChecked("pin", "the plan pins no handler");
  else checks.passed("pin");
}

function shortText({ disk }: RunResults): string {
  return `the block needs ${bytesText(disk.needed)} on the disk of the home, and ${bytesText(disk.free ?? 0)} are free`;
}
