/** The report for people, at a terminal. */
import type { JsonValue } from "@bufbuild/protobuf";
import { visible } from "../../../base/text/visible.js";
import type { DescribedChange } from "../diff/described-change.js";
import { type CheckName, exitStatus, type Unmet, unmetSummary } from "./checks.js";
import { bytesText, countText, many, timeText } from "./number-format.js";
import type { AppliedReport, Report, StoreReport } from "./report.js";

const VALUE_CHARACTERS = 60;

/** @param missing checks of `--require` that did not pass */
export function textReport(report: Report, missing: readonly Unmet[] = []): string {
  const { verdict, code, message, next, applied } = report;
  const status = `(exit ${exitStatus(report, missing)})${code ? ` ${code}` : ""}`;
  const head = `${verdict.toUpperCase()} ${status}: ${message}${unmetSummary(missing)}`;
  return [
    head,
    ...placeLines(report),
    ...(applied ? appliedLines(applied) : failureLines(report.failure)),
    ...findingLines(report),
    ...checkLines(report),
    ...missing.map(({ name, isMade, why }) => `required, ${isMade ? "found something" : "not made"}: ${name}: ${why}`),
    `next: ${next}`,
  ]
    .map((line) => visible(line))
    .join("\n");
}

function placeLines({ plan, state, handler }: Report): string[] {
  const lines: string[] = [];
  if (plan) lines.push(`plan: "${plan.name}" at height ${plan.height}`);
  if (handler) {
    const file = handler.file === "" ? "" : `, ${handler.file}`;
    lines.push(
      `handler: ${handler.kind === "wasm" ? `sha256 ${handler.sha256}${file}` : "a function of this program"}`,
    );
  }
  if (!state) return lines;
  const exact = state.is_exact ? ", the one just before the plan" : "";
  lines.push(`state: height ${state.height} of a ${state.kind}${exact}; the block is ${state.block_height}`);
  return lines;
}

function appliedLines(applied: AppliedReport): string[] {
  const { gas, gas_limit: limit, disk, memory, block_ms: ms, runs } = applied;
  const free = disk.free === null ? "" : ` of ${bytesText(Number(disk.free))} free`;
  const guest = memory.guest === null ? "" : `, the handler's own ${bytesText(Number(memory.guest))}`;
  return [
    `app hash: ${applied.app_hash}`,
    `  ${applied.app_hash_when}`,
    ...hashLines(applied),
    "versions:",
    ...applied.versions.map(
      ({ module, before, after }) =>
        `  ${module}: ${before ?? "none"}${before === after ? "" : ` → ${after ?? "none"}`}`,
    ),
    "stores:",
    ...applied.stores.map(storeLine),
    ...changeLines(applied),
    ...(gas === null ? [] : [`gas: ${countText(gas)}${limit === null ? "" : ` of ${countText(limit)}`}`]),
    `time: ${timeText(ms)} for the block, ${many(runs.length, "run")}`,
    ...phaseLines(applied),
    `memory: ${bytesText(Number(memory.peak))} at the peak${guest}`,
    `disk: ${bytesText(Number(disk.needed))} needed${free}: ${bytesText(Number(disk.growth))} for the database, ${bytesText(Number(disk.spill))} spilled, ${bytesText(Number(disk.reserve))} reserve`,
    ...invariantLines(applied),
    ...probeLines(applied),
    ...applied.other_writes.map(
      ({ module, hook, store, writes }) => `other writes: ${module}, ${hook}: ${many(writes, "write")} to ${store}`,
    ),
    ...queryLines(applied),
  ];
}

/** Those for other lengths of the time. */
function hashLines({ app_hash: first, app_hashes: all }: AppliedReport): string[] {
  return all
    .filter(({ app_hash: hash }) => hash !== first)
    .map(({ nanos_from: from, nanos_to: to, app_hash: hash }) => `  nanoseconds ${from} to ${to}: ${hash}`);
}

function storeLine({
  name,
  fate,
  from,
  pairs_before,
  pairs_after,
  added,
  written,
  deleted,
  bytes_written,
}: StoreReport): string {
  if (fate === "unchanged") return `  ${name}: unchanged, ${many(Number(pairs_before), "pair")}`;
  const was = from === "" ? "" : ` from ${from}`;
  const pairs = `${countText(pairs_before)} → ${countText(pairs_after)} pairs`;
  const changes = `${countText(added)} added, ${countText(written)} changed, ${countText(deleted)} deleted`;
  return `  ${name}: ${fate}${was}, ${pairs}; ${changes}, ${bytesText(Number(bytes_written))} written`;
}

function changeLines({ changes }: AppliedReport): string[] {
  const { total, shown, file } = changes;
  const all = file === null ? "all of them: --diff FILE" : `all of them: ${file}`;
  return [`changes: ${countText(total)} pairs, the first of each store (${all})`, ...shown.map(changeLine)];
}

function changeLine({ store, change, record, key, before, after }: DescribedChange): string {
  const what = [record, key].filter((part) => part !== "").join(" ");
  const values =
    change === "added" ? value(after) : change === "deleted" ? value(before) : `${value(before)} → ${value(after)}`;
  return `  ${{ added: "+", deleted: "-", changed: "~" }[change]} ${store}: ${cut(what)} = ${values}`;
}

const value = (json: JsonValue) => cut(typeof json === "string" ? json : JSON.stringify(json));
const cut = (text: string) => (text.length > VALUE_CHARACTERS ? `${text.slice(0, VALUE_CHARACTERS)}…` : text);

function phaseLines({ phases }: AppliedReport): string[] {
  return phases
    .filter(({ ms }) => ms >= 1)
    .map(({ phase, store, ms }) => `  ${phase}${store === "" ? "" : ` ${store}`}: ${timeText(ms)}`);
}

function invariantLines({ invariants, handler_checks: checks }: AppliedReport): string[] {
  const names = [
    ...invariants.map(({ module, name }) => `${module}/${name}`),
    ...checks.map((name) => `handler/${name}`),
  ];
  return names.length === 0 ? [] : [`invariants that hold: ${names.join(", ")}`];
}

function probeLines({ probes: { passed, skipped } }: AppliedReport): string[] {
  const not = skipped.length === 0 ? "" : `; not run, what they need is removed: ${skipped.join(", ")}`;
  return passed.length + skipped.length === 0 ? [] : [`probes that succeed: ${passed.join(", ") || "none"}${not}`];
}

function queryLines({ queries }: AppliedReport): string[] {
  const same = queries.filter(({ is_same: isSame }) => isSame).length;
  const other = queries.filter(({ is_same: isSame }) => !isSame).map(({ method }) => method);
  const changed = other.length === 0 ? "" : `; another response: ${other.join(", ")}`;
  return [`queries: ${many(queries.length, "method")} asked before and after, ${countText(same)} the same${changed}`];
}

function failureLines(failure: JsonValue): string[] {
  if (typeof failure !== "object" || failure === null || Array.isArray(failure)) return [];
  const { lines } = failure;
  return Array.isArray(lines) ? lines.map(String) : [];
}

function findingLines({ findings, accepted }: Report): string[] {
  const of = (check: CheckName) => (accepted.includes(check) ? `${check}, accepted` : check);
  return findings.map(({ check, message }) => `finding (${of(check)}): ${message}`);
}

function checkLines({ checks }: Report): string[] {
  const of = (wanted: string) => checks.filter(({ result }) => result === wanted);
  const passed = of("passed").map(({ name }) => name);
  return [...(passed.length === 0 ? [] : [`checked: ${passed.join(", ")}`]), ...notCheckedLines(of("not checked"))];
}

/** One line for each reason. */
function notCheckedLines(checks: Report["checks"]): string[] {
  const byReason = new Map<string, string[]>();
  for (const { name, what } of checks) byReason.set(what, [...(byReason.get(what) ?? []), name]);
  return [...byReason].map(([why, names]) => `not checked (${names.join(", ")}): ${why}`);
}
