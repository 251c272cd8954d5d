/** Each claim with a word, an icon and what it rests on. */
import type { Claim, ClaimState } from "chain-upgrade/verify";
import { type Freshness, freshnessOf } from "../freshness.js";
import type { Checked } from "../messages.js";
import { count, counted, day, duration, utc } from "../number-text.js";
import { type Child, h, type Tree } from "../tree.js";
import { hash, paragraph } from "./parts.js";

interface Mark {
  readonly icon: string;
  readonly word: string;
}

/** A word beside each icon and colour: none of the three is needed to understand it. */
const MARKS: Readonly<Record<ClaimState, Mark>> = {
  proven: { icon: "✓", word: "Proven" },
  "link-root": { icon: "!", word: "Rests on this link" },
  "server-root": { icon: "!", word: "Rests on this server" },
  unproven: { icon: "?", word: "Only said" },
  absent: { icon: "–", word: "Not shown" },
};

/** How far claims can be believed, and as of when. */
export interface Standing {
  readonly freshness: Freshness;
  /** Of the newest header, milliseconds since 1970. */
  readonly time: number;
}

export const standingOf = (checked: Checked, now: number): Standing => ({
  freshness: freshnessOf(checked, now),
  time: checked.time,
});

export function badge(state: ClaimState, { freshness, time }: Standing): Tree {
  if (freshness === "expired") return mark("expired", "!", `As of ${day(time)}, by the file's own word`);
  if (state === "proven" && freshness === "old") return mark("old", "!", `Proven as of ${utc(time)}`);
  const { icon, word } = MARKS[state];
  return mark(state, icon, word);
}

/** On everything that a server says and nothing verifies. */
export const reportedBadge = (reporter: string): Tree => mark("unproven", "?", `Reported by ${reporter}, not verified`);

export function mark(style: string, icon: string, word: string): Tree {
  return h("span", { class: `badge ${style}` }, h("span", { "aria-hidden": "true" }, icon), ` ${word}`);
}

/** What the server only says is shown where it belongs, not among the claims. */
const SAID: readonly Claim["id"][] = ["status", "plan-status"];

const WARNINGS = {
  yours: undefined,
  link: "The trusted block came with the link, or from the site that shows this page, so these claims rest on it. Compare its hash with one from a source of your own.",
  server:
    "The trusted hash came from the node being verified, so these results only show that the node is consistent with itself. Compare the hash with one from a source of your own, and enter it below.",
} as const;

/** A file does not prove whose hash it was verified with. */
const OF_FILE =
  "The trusted hash came with the file, so these results only show that the file is consistent with itself. Compare the hash with one from a source of your own, and enter it below.";

export function claimsView(checked: Checked, now: number): Child[] {
  const { claims, root } = checked;
  const standing = standingOf(checked, now);
  const shown = claims.filter(({ id }) => !SAID.includes(id));
  const isNamedElsewhere = namedElsewhere(checked);
  const isOfFile = root.from === "server" && checked.savedAt !== undefined;
  const warning = isOfFile ? OF_FILE : WARNINGS[root.from];
  return [
    ageWarning(checked, now),
    warning && h("p", { class: "warning" }, warning),
    h("ul", { class: "claims" }, ...shown.map((claim) => claimView(claim, standing, isNamedElsewhere(claim)))),
  ];
}

/** The newest header shows how old the state is; a server may hold newer ones back. */
function ageWarning(checked: Checked, now: number): Tree | undefined {
  const { time, savedAt } = checked;
  const freshness = freshnessOf(checked, now);
  if (freshness === "new") return undefined;
  const age = `The newest header is of ${utc(time)}, ${duration((now - time) / 1_000)} ago. The claims hold as of then.`;
  const saved = savedAt === undefined ? "" : ` By its own word, the file was saved at ${utc(savedAt)}.`;
  const why =
    freshness === "expired"
      ? " The trusted block is older than the trusting period: validators who have left since could have signed another history. To prove these claims, trust a newer block of this file."
      : savedAt === undefined
        ? " The chain has halted, or this source holds newer blocks back."
        : "";
  return h("p", { class: "warning" }, age + saved + why);
}

/** An address or a file may ask about an upgrade that no chain has: its name can be any text. */
function namedElsewhere({ claims, evidence }: Checked): (claim: Claim) => boolean {
  const isApplied = claims.some(
    ({ id, value }) => id === "done" && value?.height !== undefined && value.name === evidence.plan,
  );
  return ({ id, state, value }) =>
    (id === "done" && value?.height === undefined) || (id === "receipt" && state === "absent" && !isApplied);
}

const NAMED_ELSEWHERE = mark("unproven", "?", "Name from the address or file, not from the chain");

function claimView({ state, words, restsOn }: Claim, standing: Standing, isNamedElsewhere: boolean): Tree {
  const rests = h(
    "details",
    {},
    h("summary", {}, "What it rests on"),
    h("ul", {}, ...restsOn.map((each) => h("li", {}, each))),
  );
  const name = isNamedElsewhere ? NAMED_ELSEWHERE : undefined;
  return h(
    "li",
    { class: state },
    badge(state, standing),
    h("p", {}, words),
    name,
    restsOn.length === 0 ? undefined : rests,
  );
}

const FROM = {
  yours: "as you entered or compared it",
  link: "as the link, or the site that shows this page, gave it",
  server: "as the source itself gave it",
} as const;

const KEPT =
  "This browser keeps the block and the newest one that was verified from it, for this chain and server: your next visit continues there.";

/** A hash that is to be compared is shown whole. */
export function rootView({ root, steps, signatures }: Checked, isKept = false): Child[] {
  const shown = root.from === "yours" ? hash(root.hash) : h("code", {}, root.hash);
  const way =
    steps === 0
      ? "No signature was verified: this block is the newest one itself."
      : `${counted(signatures, "signature")} of validators carried it on in ${counted(steps, "step")}.`;
  return [
    paragraph(`Trust begins at block ${count(root.height)}, hash `, shown, `, ${FROM[root.from]}.`),
    root.from === "link" ? h("button", { id: "compared", type: "button" }, "I have compared this hash") : undefined,
    paragraph(way),
    ...(isKept ? [paragraph(KEPT), h("button", { id: "forget", type: "button" }, "Forget this block")] : []),
  ];
}

/** One line for the status, the same as long as nothing changed in what can be believed. */
export function verdictOf(checked: Checked, now: number): string {
  const freshness = freshnessOf(checked, now);
  const { from } = checked.root;
  if (freshness === "expired")
    return `Not proven: too old. Below is the state of ${day(checked.time)}, by the file's own word.`;
  const asOf = freshness === "old" ? `, as of ${utc(checked.time)}` : "";
  if (from === "yours") {
    const proven = checked.claims.filter(({ state }) => state === "proven").length;
    return `Checked: ${counted(proven, "claim")} proven from the block that you trust${asOf}.`;
  }
  const root = from === "link" ? "came with the link" : "this source named itself";
  const signed = checked.steps === 0 ? "; no signature was verified" : "";
  return `Checked: consistent, but only from a block that ${root}${signed}${asOf}.`;
}
