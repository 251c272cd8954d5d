/** The report as one page that needs nothing else: no scripts, no fonts, no pictures from elsewhere. Every name in it is escaped. */
import type { JsonValue } from "@bufbuild/protobuf";
import { bars, changeBars, histogram } from "./charts.js";
import { exitStatus, type Unmet, unmetSummary } from "./checks.js";
import { escaped } from "./escaped.js";
import { bytesText, countText, timeText } from "./number-format.js";
import { PAGE_STYLE } from "./page-style.js";
import type { AppliedReport, Report } from "./report.js";

/** @param missing checks of `--require` that did not pass */
export function htmlReport(report: Report, missing: readonly Unmet[] = []): string {
  const { plan, applied, verdict } = report;
  const title = `Rehearsal of ${plan ? `“${plan.name}”` : "an upgrade"}: ${verdict}`;
  return [
    "<!doctype html>",
    '<html lang="en">',
    "<head>",
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    `<title>${escaped(title)}</title>`,
    `<style>${PAGE_STYLE}</style>`,
    "</head>",
    "<body>",
    "<main>",
    header(report, missing),
    ...(applied ? appliedSections(applied) : [failureSection(report)]),
    checksSection(report),
    "</main>",
    "</body>",
    "</html>",
    "",
  ].join("\n");
}

function header(report: Report, missing: readonly Unmet[]): string {
  const { verdict, code, message, next, plan, handler, state, chain_id: chainId } = report;
  const exit = exitStatus(report, missing);
  const kind = exit === 0 ? "good" : "bad";
  return [
    `<header class="${kind}">`,
    `<h1>${escaped(plan ? plan.name : "No plan")} <span class="verdict">${escaped(verdict)}</span></h1>`,
    `<p>${escaped(message + unmetSummary(missing))}</p>`,
    `<p>${withCode(next)}</p>`,
    "</header>",
    table(
      "Facts",
      ["", ""],
      [
        ["Exit status", `${exit}${code ? ` (${code})` : ""}`],
        ["Chain", chainId],
        ["Plan", plan ? `${plan.name} at height ${plan.height}` : "none"],
        [
          "Handler",
          handler ? (handler.kind === "wasm" ? `sha256 ${handler.sha256}` : "a function of the program") : "not known",
        ],
        ["State", state ? `height ${state.height} of a ${state.kind}, app hash ${state.app_hash}` : "not known"],
        ["Block", state ? `${state.block_height}${state.block_time ? ` at ${state.block_time}` : ""}` : "not known"],
      ],
    ),
  ].join("\n");
}

/** What is between backquotes is a command. */
function withCode(text: string): string {
  return text
    .split("`")
    .map((part, at) => (at % 2 === 1 ? `<code>${escaped(part)}</code>` : escaped(part)))
    .join("");
}

function appliedSections(applied: AppliedReport): string[] {
  return [
    section(
      "App hash",
      `<p class="hash">${escaped(applied.app_hash)}</p><p>${escaped(applied.app_hash_when)}</p>${hashesTable(applied)}`,
    ),
    storesSection(applied),
    costSection(applied),
    changesSection(applied),
    versionsSection(applied),
    queriesSection(applied),
  ];
}

/** Where the length of the time has a part in it. */
function hashesTable({ app_hash: first, app_hashes: all }: AppliedReport): string {
  if (all.every(({ app_hash: hash }) => hash === first)) return "";
  const rows = all.map(({ nanos_from: from, nanos_to: to, app_hash: hash }) => [`${from} to ${to}`, hash]);
  return table("App hash by the nanoseconds of the block's time", ["Nanoseconds", "App hash"], rows);
}

function storesSection({ stores, value_sizes: sizes }: AppliedReport): string {
  const rows = stores.map((store) => [
    store.from === "" ? store.name : `${store.name} (was ${store.from})`,
    store.fate,
    ...[store.pairs_before, store.pairs_after, store.added, store.written, store.deleted].map(countText),
    bytesText(Number(store.bytes_written)),
  ]);
  const pairs = stores.map((store) => ({
    name: store.name,
    before: Number(store.pairs_before),
    after: Number(store.pairs_after),
  }));
  const values = sizes.map(({ bytes, values }) => ({ name: `≤ ${bytesText(Number(bytes))}`, value: Number(values) }));
  return section(
    "Stores",
    figure("Pairs of each store before and after the block", changeBars(pairs)) +
      table("Pairs by store", ["Store", "Fate", "Before", "After", "Added", "Changed", "Deleted", "Written"], rows) +
      figure("Values that were written, by their size", histogram(values)),
  );
}

function costSection(applied: AppliedReport): string {
  const { phases, gas, gas_limit: limit, gas_profile: profile, memory, disk, block_ms: ms, runs } = applied;
  const times = phases.map(({ phase, store, ms: value }) => ({ name: named(phase, store), value }));
  const gasBars = (profile?.phases ?? []).map(({ phase, gas: value }) => ({ name: phase, value: Number(value) }));
  const rows = [
    ["Block", timeText(ms)],
    ["Gas", gas === null ? "none, a function of the program" : `${countText(gas)} of ${countText(limit ?? "0")}`],
    ["Memory at the peak", `${bytesText(Number(memory.peak))}; ${bytesText(Number(memory.available))} were available`],
    [
      "Disk",
      `${bytesText(Number(disk.needed))} needed; ${disk.free === null ? "not known what is free" : `${bytesText(Number(disk.free))} free`}`,
    ],
    ["Database grows by at most", bytesText(Number(disk.growth))],
    ["Spilled by the handler", bytesText(Number(disk.spill))],
    ["Reserve", bytesText(Number(disk.reserve))],
    ["Runs", runs.map(({ app_hash: hash, time }) => `${hash.slice(0, 16)}… at ${time}`).join(", ")],
  ];
  return section(
    "Cost",
    figure("Time by phase and store, in milliseconds", bars(times, timeText)) +
      (gasBars.length > 0
        ? figure(
            "Gas by place in the handler",
            bars(gasBars, (value) => countText(Math.round(value))),
          )
        : "") +
      table("Figures", ["", ""], rows),
  );
}

const named = (phase: string, store: string) => (store === "" ? phase : `${phase} ${store}`);

function changesSection({ changes, other_writes: others }: AppliedReport): string {
  const rows = changes.shown.map((each) => [
    each.change,
    each.store,
    `${each.record} ${each.key}`.trim(),
    cut(each.before),
    cut(each.after),
  ]);
  const writes = others.map(({ module, hook, store, writes: count }) => [module, hook, store, countText(count)]);
  const rest = changes.file === null ? "--diff FILE writes all of them" : `all of them are in ${changes.file}`;
  return section(
    "Changes",
    `<p>${countText(changes.total)} pairs changed; these are the first of each store, ${escaped(rest)}.</p>` +
      table("Changed pairs", ["Change", "Store", "Record", "Before", "After"], rows) +
      (writes.length > 0 ? table("Other writes of the same block", ["Module", "Hook", "Store", "Writes"], writes) : ""),
  );
}

const VALUE_CHARACTERS = 200;

function cut(value: JsonValue): string {
  const text = value === null ? "" : typeof value === "string" ? value : JSON.stringify(value);
  return text.length > VALUE_CHARACTERS ? `${text.slice(0, VALUE_CHARACTERS)}…` : text;
}

function versionsSection({ versions, invariants, handler_checks: checks }: AppliedReport): string {
  const rows = versions.map(({ module, before, after }) => [module, before ?? "none", after ?? "none"]);
  const held = [
    ...invariants.map(({ module, name, ms }) => [module, name, timeText(ms)]),
    ...checks.map((name) => ["the handler", name, ""]),
  ];
  return section(
    "Modules",
    table("Module versions", ["Module", "Before", "After"], rows) +
      (held.length > 0 ? table("Invariants that hold", ["Of", "Invariant", "Time"], held) : ""),
  );
}

function queriesSection({ queries }: AppliedReport): string {
  const rows = queries
    .filter(({ is_same: isSame }) => !isSame)
    .map(({ method, before, after, lost }) => [method, cut(before), cut(after), lost ?? ""]);
  const same = queries.length - rows.length;
  return section(
    "Queries",
    `<p>${countText(queries.length)} methods were asked on both states; ${countText(same)} returned the same.</p>` +
      (rows.length > 0 ? table("Other responses", ["Method", "Before", "After", "Lost"], rows) : ""),
  );
}

function failureSection({ failure }: Report): string {
  const lines = (failure as { readonly lines?: readonly string[] } | null)?.lines ?? [];
  return lines.length === 0 ? "" : section("Where it failed", `<pre tabindex="0">${escaped(lines.join("\n"))}</pre>`);
}

function checksSection({ checks, findings }: Report): string {
  const rows = checks.map(({ name, result, what }) => [name, result, what]);
  const found = findings.map(
    ({ check, message }) => `<li><strong>${escaped(check)}</strong>: ${escaped(message)}</li>`,
  );
  return section(
    "Checks",
    (found.length > 0 ? `<ul>${found.join("")}</ul>` : "") +
      table("What was checked", ["Check", "Result", "What"], rows),
  );
}

const section = (title: string, content: string) => `<section><h2>${escaped(title)}</h2>${content}</section>`;

const figure = (caption: string, svg: string) => `<figure><figcaption>${escaped(caption)}</figcaption>${svg}</figure>`;

function table(caption: string, heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const isNamed = heads.some((head) => head !== "");
  const head = isNamed
    ? `<thead><tr>${heads.map((each) => `<th scope="col">${escaped(each)}</th>`).join("")}</tr></thead>`
    : "";
  const body = rows.map(([first = "", ...rest]) => {
    return `<tr><th scope="row">${escaped(first)}</th>${rest.map((cell) => `<td>${escaped(cell)}</td>`).join("")}</tr>`;
  });
  return `<div class="wide" tabindex="0" role="region" aria-label="${escaped(caption)}"><table><caption>${escaped(caption)}</caption>${head}<tbody>${body.join("")}</tbody></table></div>`;
}
