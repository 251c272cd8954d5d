/** What happens now, in one card: the way to a height, a halt, a migration under way, or an upgrade that is over. */
import type { ClaimState } from "chain-upgrade/verify";
import { type Reckoning, reckon, reckonedBy } from "../countdown.js";
import type { Checked } from "../messages.js";
import { count, duration, isoDuration } from "../number-text.js";
import type { UpgradeProposal } from "../proposal.js";
import { type Contradiction, claimOf, contradictionOf } from "../report.js";
import { reporterName, type Source } from "../source.js";
import type { ChainStatus, HaltWords, StatusPlan, StatusProposal, StoreProgress } from "../status.js";
import { type Child, h, type Tree } from "../tree.js";
import { badge, reportedBadge, standingOf } from "./claims.js";
import { facts, moment, paragraph } from "./parts.js";

export interface NowFacts {
  /** Undefined: the server has not responded, or has no such status. */
  readonly status: ChainStatus | undefined;
  /** The proposal that scheduled the plan, or one that is in its voting period. */
  readonly proposal: UpgradeProposal | undefined;
  /** What was verified last; undefined: nothing yet. */
  readonly checked: Checked | undefined;
  /** The reader's clock, milliseconds since 1970. */
  readonly now: number;
  /** Undefined: a saved page, which asks no server. */
  readonly source: Source | undefined;
  /** Of a page without a source. */
  readonly origin: FileOrigin;
  /** Does what the source sends not verify? Then its reports are not shown either. */
  readonly isRefused: boolean;
}

/** Is the judged file the page itself, or one that a reader opened in it? */
export type FileOrigin = "own" | "opened";

type Mood = "waiting" | "migrating" | "failed" | "done" | "quiet";

export interface NowView {
  readonly mood: Mood;
  readonly title: string;
  readonly body: readonly Child[];
  /** What the title rests on, and the body where `isReported`; undefined: it is the page's own text. */
  readonly label?: Tree | undefined;
  /** Is all of it the report of a server? */
  readonly isReported?: boolean;
}

/** Seconds by which the chain's clock and the reader's may differ before the reader is warned. */
const CLOCK_SECONDS_MAX = 30;

export function nowView(facts: NowFacts): NowView {
  const { status, checked, source, isRefused } = facts;
  if (isRefused) return { mood: "quiet", title: "Not believed", body: [paragraph(REFUSED)] };
  if (!source) return offlineView(facts);
  if (!status) return { mood: "quiet", title: "The node has not responded", body: [paragraph(SILENT)] };
  const reporter = reporterName(source);
  const contradiction = contradictionOf(status, checked, source.isOwn);
  if (contradiction) return contradictedView(contradiction, reporter, facts);
  const reported = reportedView(facts, status, source);
  if (reported) return { ...reported, label: reportedBadge(reporter), isReported: true };
  const rest = h("div", { class: "reported" }, reportedBadge(reporter), ...lastBlock(status, facts.now));
  return { ...(checked && verifiedView(checked, facts.now)), ...{ body: [rest] } } as NowView;
}

/** Undefined: the server reports nothing but its last block, and what was verified makes a better title. */
function reportedView(facts: NowFacts, status: ChainStatus, source: Source): NowView | undefined {
  const { checked, proposal, now } = facts;
  if (status.phase === "migrating") return migratingView(status, now);
  if (status.phase === "failed" || status.phase === "halted") return haltedView(status, source.isOwn, now);
  if (status.plan && status.plan.height > status.height) return waitingView(facts, status, status.plan);
  if (proposal && !(checked && appliedIn(checked))) {
    const plan = { ...proposal.plan, info: source.isOwn ? proposal.plan.info : "" };
    const body = [planFacts(plan, proposal, proposal.votingEnds), ...lastBlock(status, now)];
    return { mood: "quiet", title: `A vote on upgrade ${proposal.plan.name} is under way`, body };
  }
  if (checked && titleOf(checked)) return undefined;
  return { mood: "quiet", title: "No upgrade is planned", body: lastBlock(status, now) };
}

function verifiedView(checked: Checked, now: number): Omit<NowView, "body"> {
  const { title = "", mood = "quiet" as Mood, state = "unproven" as const } = titleOf(checked) ?? {};
  return { title, mood, label: badge(state, standingOf(checked, now)) };
}

/** The last upgrade that was applied, as it was verified. */
export function appliedIn(checked: Checked): { height: bigint; words: string; state: ClaimState } | undefined {
  const all = checked.claims.flatMap(({ id, value, words, state }) =>
    id === "done" && value?.height !== undefined ? [{ height: value.height, words, state }] : [],
  );
  return all.reduce<(typeof all)[number] | undefined>(
    (last, each) => (last && last.height > each.height ? last : each),
    undefined,
  );
}

/** The claim's own words, so that a title never says more. */
const titleWords = ({ words }: { readonly words: string }) => words.replace(/\.$/, "");

function titleOf(checked: Checked): { title: string; mood: Mood; state: ClaimState } | undefined {
  const applied = appliedIn(checked);
  if (applied) return { title: titleWords(applied), mood: "done", state: applied.state };
  const none = claimOf(checked, "no-plan");
  return none && { title: titleWords(none), mood: "quiet", state: none.state };
}

const SILENT =
  "A node that upgrades may be silent for a while. What was verified before stays below; this page asks again every few seconds.";

const REFUSED =
  "What came does not verify from the block where trust begins. So what is only reported, of plans, votes and halts, is not shown.";

/** The verified claim counts; what contradicts it is named, and nothing else of the report is shown. */
function contradictedView({ reported, claim }: Contradiction, reporter: string, { checked, now }: NowFacts): NowView {
  const title = claim ? "A report contradicts the evidence" : "A report is about another chain";
  const said = h(
    "div",
    { class: "reported" },
    reportedBadge(reporter),
    paragraph(`${reporter} reports that ${reported}.`),
  );
  const verified =
    claim && checked ? h("div", {}, badge(claim.state, standingOf(checked, now)), paragraph(claim.words)) : undefined;
  return { mood: "failed", title, body: [verified, said, paragraph("Nothing else of this report is shown.")] };
}

const SAVED: Readonly<Record<FileOrigin, string>> = {
  own: "This page was saved with its evidence and asks no server. The evidence was verified again just now, here, by code that is part of this file: its author could have changed both.",
  opened: "The file was verified by the code of this page, and by none of its own. No server is asked.",
};

function offlineView({ checked, now, origin }: NowFacts): NowView {
  const body = [paragraph(SAVED[origin])];
  if (!checked || !titleOf(checked)) return { mood: "quiet", title: "A saved page", body };
  return { ...verifiedView(checked, now), body };
}

/** A chain without a block for as long is worth a warning. */
const SILENT_SECONDS = 600;

function lastBlock({ height, time }: ChainStatus, now: number): Child[] {
  const age = time === undefined ? 0 : (now - time) / 1_000;
  return [
    height === 0n
      ? undefined
      : facts(["Last block", count(height)], time === undefined ? undefined : ["Its time", moment(time)]),
    age > SILENT_SECONDS ? h("p", { class: "warning" }, `No newer block for ${duration(age)}.`) : undefined,
  ];
}

function waitingView(facts: NowFacts, status: ChainStatus, plan: StatusPlan): NowView {
  const { proposal, checked, source, now } = facts;
  // It may name addresses of programs: those of a server that the address of the page names must be the chain's own.
  const isInfoShown = source?.isOwn || (checked && claimOf(checked, "plan")?.value?.info === plan.info);
  const reckoning =
    status.time === undefined ? undefined : reckon({ ...status, time: status.time, target: plan.height, now });
  const body = [
    ...(reckoning ? countdown(reckoning, status, now) : [paragraph("How long blocks take is not known yet.")]),
    planFacts({ ...plan, info: isInfoShown ? plan.info : "" }, status.proposal ?? proposal),
    ...lastBlock(status, now),
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

function migratingView(status: ChainStatus, now: number): NowView {
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
  return { mood: "migrating", title, body: [paragraph(words), ...bars, left, ...lastBlock(status, now)] };
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

function haltedView(status: ChainStatus, isOwn: boolean, now: number): NowView {
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
    ...(halt ? haltWords(halt, isOwn) : [paragraph("Its record is not served.")]),
    ...lastBlock(status, now),
  ];
  return { mood: "failed", title, body };
}

/**
 * The node's own explanation and commands are shown where the page comes from that same server. An address that names another
 * server can be written by anybody, who would put commands of their own on a page that readers trust.
 */
function haltWords({ code, message, next, commands, time }: HaltWords, isOwn: boolean): Child[] {
  const codes = facts(["Code", h("code", {}, code)], time === undefined ? undefined : ["Since", moment(time)]);
  if (!isOwn) return [codes, paragraph("Why, and what its operator does next, is on the page of the node itself.")];
  return [
    h("p", { class: "said" }, message),
    codes,
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
