/** The status in words: the same in a terminal and on the page. Names that others chose are quoted. */

import { quoted, visible } from "../../base/text/visible.js";
import { durationText } from "../../base/time/time.js";
import { isUnderWay, lackingIn } from "../decide/readiness.js";
import type { Phase, PlanStatus, VisorStatus } from "../decide/status.js";
import { unreadPlan } from "../decide/unseen-plan.js";
import type { Shown } from "./view.js";

const NANOS = 1_000_000_000;
/** Of a plan's name in words: no name that the chain takes is longer. */
const NAME_BYTES_MAX = 140;
const INFO_BYTES_MAX = 400;

/** What a phase means, for who has not read the documentation. */
export const PHASE_WORDS: Readonly<Record<Phase, string>> = {
  starting: "The sidecar looks at what is on disk",
  running: "The application runs, and no upgrade is known (a node with an RPC is asked every 5 seconds)",
  waiting: "An upgrade is scheduled, and something is missing for it",
  downloading: "What the upgrade needs is downloaded",
  ready: "An upgrade is scheduled, and all is in place for it",
  halted: "The upgrade's height is reached: the application makes no more blocks",
  "backing up": "The data is copied before the upgrade",
  switching: "The next version is put in place",
  migrating: "The next version makes the upgrade's block",
  stopped: "It does not run",
  failed: "It does not go on by itself",
};

/** @param seconds may have a part of a second, which is left out */
function durationWords(seconds: number): string {
  return durationText(BigInt(Math.max(1, Math.round(seconds))) * BigInt(NANOS));
}

/** `3 d 4 h ±10 min` */
export function leftWords({ seconds, plus_minus }: NonNullable<VisorStatus["eta"]>): string {
  return seconds <= 0 ? "any moment now" : `${durationWords(seconds)} ±${durationWords(plus_minus)}`;
}

export const planWords = ({ name, height, origin }: PlanStatus): string =>
  `${quoted(name, NAME_BYTES_MAX)} at height ${height}, ${origin === "chain" ? "scheduled by the chain" : "queued by the operator"}`;

export const infoWords = ({ info }: PlanStatus): string => quoted(info, INFO_BYTES_MAX);

export function progressWords({ what, done, total }: NonNullable<VisorStatus["progress"]>): string {
  return `${visible(what)}: ${done}${total === null ? "" : ` of ${total}`}`;
}

/** Of what is needed for the plan, what is missing, wrong or not known. During the switch the phase says what is pending. */
export const missingOf = (status: VisorStatus) => (isUnderWay(status) ? [] : lackingIn(status));

/** Of `pre-upgrade:`, and a space. */
const NAME_WIDTH = 13;

/** Lines for a terminal. */
export function statusLines({ status, silentSeconds }: Shown): string[] {
  const { phase, since, program, height, plan, eta, progress, readiness, message } = status;
  // What is missing comes with its command; some are in both places.
  const unread = unreadPlan(status);
  const lacks = [...missingOf(status).flatMap((each) => each.next ?? []), ...(unread ? [unread.next] : [])];
  const next = [...new Set([...lacks, ...status.next])];
  const line = (name: string, text: string | undefined | null) =>
    text ? [`${`${name}:`.padEnd(NAME_WIDTH)}${text}`] : [];
  return [
    ...line("phase", `${phase}, since ${since}`),
    ...line("", PHASE_WORDS[phase]).map((text) => text.replace(/^:/, " ")),
    ...line("message", visible(message)),
    ...line("runs", program && programWords(program)),
    ...line("height", height && `${height.value} (${height.source})`),
    ...line("plan", plan && planWords(plan)),
    ...line("info", plan?.info ? infoWords(plan) : ""),
    ...line("left", eta && leftWords(eta)),
    ...line("warning", unread && visible(unread.detail)),
    ...line("warning", silentSeconds !== undefined ? silenceWords(silentSeconds) : ""),
    ...line("progress", progress && progressWords(progress)),
    ...readiness.flatMap(({ what, state, detail }) => line(what, `${state}  ${visible(detail)}`)),
    ...(next.length > 0 ? ["next:", ...next.map((command) => `  ${visible(command)}`)] : []),
  ];
}

export const programWords = ({ name, file, pid }: NonNullable<VisorStatus["program"]>): string =>
  `${quoted(name, NAME_BYTES_MAX)} (${visible(file)}), ${pid === null ? "not running" : `process ${pid}`}`;

export const silenceWords = (seconds: number): string =>
  `no block was seen for ${durationWords(seconds)}: the time left is not to be relied on`;
