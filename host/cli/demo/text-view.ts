/** For people: the same events as a story. */

import pc from "picocolors";
import type { Io } from "../../base/terminal/io.js";
import { visible } from "../../base/text/visible.js";
import type { AppliedEvent, DoneEvent, HaltEvent, InitEvent, MainJobEvent, ScheduledEvent, Show } from "./events.js";
import { HOW_TO_RUN, PAGES } from "./how-to-run.js";

export interface TextViewOptions {
  readonly io: Pick<Io, "stdout">;
  readonly home: string;
  readonly isKept: boolean;
}

const short = (hash: string) => `${hash.slice(0, 8)}…${hash.slice(-4)}`;
const grouped = (number: string) => number.replace(/\B(?=(\d{3})+(?!\d))/g, ",");
const amountsText = (amounts: Readonly<Record<string, string>>) =>
  Object.entries(amounts)
    .map(([denom, amount]) => `${grouped(amount)} ${denom}`)
    .join(", ");

export function textView(options: TextViewOptions): Show {
  const say = (line = "") => void options.io.stdout.write(`${line}\n`);
  let step = 0;
  let blocks: string[] = [];
  const heading = (text: string) => say(`\n${pc.bold(pc.cyan(String(++step)))}  ${pc.bold(text)}`);
  const page = { say, heading };
  return (event: MainJobEvent) => {
    if (event.event !== "block" && blocks.length > 0) {
      heading("Blocks go on");
      for (const line of blocks) say(line);
      blocks = [];
    }
    switch (event.event) {
      case "init":
        showInit(event, page);
        break;
      case "scheduled":
        showScheduled(event, page);
        break;
      case "halt":
        showHalt(event, page);
        break;
      case "start":
        heading(`Version ${event.version} starts, with handler ${short(event.handler)}`);
        break;
      case "applied":
        showApplied(event, page);
        break;
      case "block":
        blocks.push(`   block ${event.height}  app hash ${short(event.app_hash)}`);
        break;
      case "done":
        showDone(event, options, page);
    }
  };
}

interface Page {
  say(line?: string): void;
  heading(text: string): void;
}

function showInit(event: InitEvent, { say, heading }: Page): void {
  say(pc.bold("chain-upgrade: a chain goes through an upgrade"));
  heading(`Version ${event.version} makes blocks`);
  say(
    `   ${grouped(event.accounts)} accounts, ${grouped(event.validators)} validators, app hash ${short(event.app_hash)}`,
  );
  say(`   supply  ${amountsText(event.supply)}`);
}

function showScheduled({ plan, height, proposal }: ScheduledEvent, { say, heading }: Page): void {
  const how = proposal === undefined ? "a plan is scheduled" : `proposal ${proposal} passes, and a plan is scheduled`;
  heading(`In block ${height} ${how}`);
  say(`   upgrade "${visible(plan.name)}" at height ${plan.height}`);
  say(pc.dim(`   ${visible(plan.info)}`));
}

function showHalt(event: HaltEvent, { say, heading }: Page): void {
  heading(`The node halts before block ${event.height}`);
  say(`   ${pc.yellow(visible(event.message))}`);
  say(
    `   ${event.code}, exit ${event.exit}; last block ${event.last_committed_height}, app hash ${short(event.app_hash)}`,
  );
  say(pc.dim(`   upgrade-info.json  ${visible(event.upgrade_info)}`));
}

function showApplied(event: AppliedEvent, { say }: Page): void {
  say(`   ${pc.green("✓")} applied in block ${event.height}, in ${event.ms} ms: store loader, handler, checks, commit`);
  const rows = Object.entries(event.stores).map(([store, { written, deleted, bytes }]) => [
    visible(store),
    grouped(written),
    grouped(deleted),
    grouped(bytes),
  ]);
  for (const line of table([["store", "written", "deleted", "bytes"], ...rows])) say(`   ${line}`);
  // Maps: a handler may name a module `constructor`, which every plain object has.
  const before = new Map(Object.entries(event.versions.before));
  const after = new Map(Object.entries(event.versions.after));
  const changed = [...new Set([...before.keys(), ...after.keys()])]
    .filter((module) => before.get(module) !== after.get(module))
    .map((module) => `${visible(module)} ${before.get(module) ?? "–"} → ${after.get(module) ?? "–"}`);
  say(`   versions  ${changed.join(", ")}`);
  say(`   app hash  ${short(event.app_hash_before)} → ${short(event.app_hash)}`);
}

function showDone(event: DoneEvent, { home, isKept }: TextViewOptions, { say, heading }: Page): void {
  heading(event.ok ? "Nothing is lost" : "Something is wrong");
  for (const { name, ok } of event.checks) say(`   ${ok ? pc.green("✓") : pc.red("✗")} ${name}`);
  say(
    `   ${grouped(event.accounts)} accounts, ${grouped(event.balances)} balances, supply ${amountsText(event.supply)}`,
  );
  for (const name of event.skipped) say(`   ${pc.yellow("skipped")} ${name}`);
  say();
  if (isKept) say(`Go on with it:  npx chaind start --home ${home}`);
  else say(`Keep the chain and go on with it:  ${HOW_TO_RUN} --home my-chain, then npx chaind start --home my-chain`);
  const [readme, architecture] = ["README.md", "docs/architecture.md"].map((page) => `${PAGES}${page}`);
  say(`Next: ${readme} shows the four ways in; ${architecture} how a block with an upgrade runs.`);
}

/** Columns, the first to the left and numbers to the right. */
function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const cell = (text: string, column: number) =>
    column === 0 ? text.padEnd(widths[0] ?? 0) : text.padStart(widths[column] ?? 0);
  return rows.map((row, index) => {
    const line = row.map(cell).join("  ");
    return index === 0 ? pc.dim(line) : line;
  });
}
