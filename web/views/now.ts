/** What happens now, in one card: the way to a height, a halt, a migration under way, or an upgrade that is over. */
import { type Reckoning, reckon, reckonedBy } from "../countdown.js";
import type { UpgradeProposal } from "../proposal.js";
import type { ChainStatus, HaltWords, StatusPlan, StatusProposal, StoreProgress } from "../status.js";
import { type Child, h, type Tree } from "../tree.js";
import { count, duration, isoDuration } from "../words.js";
import { facts, moment, paragraph } from "./parts.js";

export interface NowFacts {
  /** Undefined: the node has not responded, or has no such status. */
  readonly status: ChainStatus | undefined;
  /** The one that scheduled the plan, or is in its voting period. */
  readonly proposal: UpgradeProposal | undefined;
  /** Height at which the upgrade was applied, as it was verified. */
  readonly applied: { readonly name: string; readonly height: bigint } | undefined;
  /** The reader's clock, milliseconds since 1970. */
  readonly now: number;
  readonly isOffline: boolean;
  /** Does what the source sends not verify? Then its word is not shown either. */
  readonly isRefused: boolean;
}

type Mood = "waiting" | "migrating" | "failed" | "done" | "quiet";

export interface NowView {
  readonly mood: Mood;
  readonly title: string;
  readonly body: readonly Child[];
}

/** Seconds by which the chain's clock and the reader's may differ before the reader is warned. */
const CLOCK_SECONDS_MAX = 30;

export function nowView(facts: NowFacts): NowView {
  const { status, applied, isOffline, isRefused } = facts;
  if (isRefused) return { mood: "quiet", title: "Not believed", body: [paragraph(REFUSED)] };
  if (isOffline) return offlineView(facts);
  if (!status) return { mood: "quiet", title: "The node has not responded", body: [paragraph(SILENT)] };
  if (status.phase === "migrating") return migratingView(status);
  if (status.phase === "failed" || status.phase === "halted") return haltedView(status);
  if (status.plan && status.plan.height > status.height) return waitingView(facts, status, status.plan);
  if (applied) return doneView(status, applied);
  const { proposal } = facts;
  if (!proposal) return { mood: "quiet", title: "No upgrade is planned", body: [lastBlock(status)] };
  const body = [planFacts(proposal.plan, proposal, proposal.votingEnds), lastBlock(status)];
  return { mood: "quiet", title: `A vote on upgrade ${proposal.plan.name} is under way`, body };
}

const SILENT =
  "A node that upgrades may be silent for a while. What was verified before stays below; this page asks again every few seconds.";

const REFUSED =
  "What came does not verify from the block where trust begins. So what is only said, of plans, votes and halts, is not shown.";

function offlineView({ applied }: NowFacts): NowView {
  const title = applied ? `Upgrade ${applied.name} was applied in block ${count(applied.height)}` : "A saved page";
  const words =
    "This page was saved with its evidence. It asks no server: everything below was verified again just now, here.";
  return { mood: applied ? "done" : "quiet", title, body: [paragraph(words)] };
}

function doneView(status: ChainStatus, applied: { readonly name: string; readonly height: bigint }): NowView {
  const title = `Upgrade ${applied.name} was applied in block ${count(applied.height)}`;
  return { mood: "done", title, body: [paragraph("Blocks go on with the new version."), lastBlock(status)] };
}

function lastBlock({ height, time }: ChainStatus): Tree {
  return facts(["Last block", count(height)], time === undefined ? undefined : ["Its time", moment(time)]);
}

function waitingView({ proposal, now }: NowFacts, status: ChainStatus, plan: StatusPlan): NowView {
  const reckoning =
    status.time === undefined ? undefined : reckon({ ...status, time: status.time, target: plan.height, now });
  const body = [
    ...(reckoning ? countdown(reckoning, status, now) : [paragraph("How long blocks take is not known yet.")]),
    planFacts(plan, status.proposal ?? proposal),
    lastBlock(status),
    clockWarning(status, now),
  ];
  return { mood: "waiting", title: `Upgrade ${plan.name} at height ${count(plan.height)}`, body };
}

function countdown(reckoning: Reckoning, { blockTimes }: ChainStatus, now: number): Child[] {
  const { at, plusMinus, silent } = reckoning;
  const left = Math.round((at - now) / 1_000);
  const words = left > 0 ? `in ${duration(left)}` : "any moment now";
  const margin = h("span", { class: "margin" }, ` ± ${duration(plusMinus)}`);
  return [
    h("p", { class: "countdown" }, h("time", { datetime: isoDuration(left) }, words), margin),
    paragraph(moment(at)),
    h("p", { class: "small" }, reckonedBy(reckoning, blockTimes)),
    silent === undefined
      ? undefined
      : h(
          "p",
          { class: "warning" },
          `No block was made for ${duration(silent)}: the time to go is not to be relied on.`,
        ),
  ];
}

function clockWarning({ time }: ChainStatus, now: number): Tree | undefined {
  if (time === undefined || time <= now + CLOCK_SECONDS_MAX * 1_000) return undefined;
  return h(
    "p",
    { class: "warning" },
    "The last block is later than this device's clock: one of the two clocks is wrong.",
  );
}

function planFacts(plan: StatusPlan, proposal: StatusProposal | undefined, votingEnds?: number): Tree {
  return facts(
    ["Plan", `${plan.name}, at height ${count(plan.height)}`],
    proposal && ["Proposal", `${proposal.id}: ${proposal.title || "without a title"}`],
    votingEnds === undefined ? undefined : ["Voting ends", moment(votingEnds)],
    plan.info === "" ? undefined : ["Its info", h("code", { class: "info" }, plan.info)],
  );
}

function migratingView(status: ChainStatus): NowView {
  const { plan, progress, secondsLeft } = status;
  const words =
    "The block of the upgrade is being made. The node serves the state from before it until that block is committed.";
  const bars =
    progress.length > 0
      ? progress.map((each, index) => stage(each, index === progress.length - 1))
      : [paragraph("Stores are opened.")];
  const title = plan ? `Upgrade ${plan.name} is under way` : "An upgrade is under way";
  const left =
    secondsLeft === undefined ? undefined : paragraph(`About ${duration(secondsLeft)} of this step are left.`);
  return { mood: "migrating", title, body: [paragraph(words), ...bars, left, lastBlock(status)] };
}

/** Phases of `host/progress.ts` in words. */
const WORK: Readonly<Record<string, string>> = {
  loading: "opening",
  handler: "the handler's own work",
  scan: "records read by the handler",
  checks: "checks",
  rename: "records moved",
  trees: "records written into the tree",
  commit: "being made durable",
};

/** A step of which no total is known is over as soon as there is a next one. */
function stage({ store, work, done, total }: StoreProgress, isLast: boolean): Tree {
  const name = `${store === "" ? "All stores" : `Store ${store}`}: ${WORK[work] ?? work}`;
  const words = total > 0 ? `${count(done)} of ${count(total)}` : isLast ? "under way" : "done";
  const value = total > 0 ? { value: Math.min(done, total), max: total } : {};
  const isShown = total > 0 || isLast;
  return h(
    "p",
    { class: "bar" },
    h("span", {}, name),
    isShown ? h("progress", { "aria-label": name, ...value }) : undefined,
    h("span", { class: "number" }, words),
  );
}

function haltedView(status: ChainStatus): NowView {
  const { halt, plan, phase, height } = status;
  const asPlanned = halt?.code === "UPG_HALT_UPGRADE_NEEDED";
  const at = halt?.height ?? plan?.height ?? height + 1n;
  const failure =
    phase === "failed" ? `The upgrade failed in block ${count(at)}` : `The node halted before block ${count(at)}`;
  const title = asPlanned ? `The node halted before block ${count(at)}, as planned` : failure;
  const body = [
    asPlanned
      ? paragraph("It has made every block that the old version can make, and waits for the new one.")
      : undefined,
    ...(halt ? haltWords(halt) : [paragraph("Its record is not served.")]),
    lastBlock(status),
  ];
  return { mood: "failed", title, body };
}

function haltWords({ code, message, next, commands, time }: HaltWords): Child[] {
  return [
    h("p", { class: "said" }, message),
    facts(["Code", h("code", {}, code)], time === undefined ? undefined : ["Since", moment(time)]),
    next === "" ? undefined : paragraph(...withCode(next)),
    commands.length === 0
      ? undefined
      : h("ul", { class: "commands" }, ...commands.map((command) => h("li", {}, h("code", {}, command)))),
  ];
}

/** Commands are in backquotes. */
function withCode(text: string): Child[] {
  return text.split("`").map((part, index) => (index % 2 === 1 ? h("code", {}, part) : part));
}
