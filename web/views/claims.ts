/** Each claim with a word, an icon and what it rests on. */
import type { Claim, ClaimState } from "chain-upgrade/verify";
import type { Checked, Refused } from "../messages.js";
import { type Child, h, type Tree } from "../tree.js";
import { count, counted } from "../words.js";
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

export function badge(state: ClaimState): Tree {
  const { icon, word } = MARKS[state];
  return h("span", { class: `badge ${state}` }, h("span", { "aria-hidden": "true" }, icon), ` ${word}`);
}

/** What the server only says is shown where it belongs, not among the claims. */
const SAID: readonly Claim["id"][] = ["status", "plan-status"];

const WARNINGS = {
  yours: undefined,
  link: "The trusted block came with the link, or from the site that shows this page, so these claims rest on it. Compare its hash with one from a source of your own.",
  server:
    "The trusted hash came from the very source that is checked, so these claims rest on it. Compare the hash with one from a source of your own, and enter it below.",
} as const;

export function claimsView({ claims, root }: Checked): Child[] {
  const shown = claims.filter(({ id }) => !SAID.includes(id));
  return [
    WARNINGS[root.from] && h("p", { class: "warning" }, WARNINGS[root.from]),
    h("ul", { class: "claims" }, ...shown.map(claimView)),
  ];
}

function claimView({ state, words, restsOn }: Claim): Tree {
  const rests = h(
    "details",
    {},
    h("summary", {}, "What it rests on"),
    h("ul", {}, ...restsOn.map((each) => h("li", {}, each))),
  );
  return h("li", { class: state }, badge(state), h("p", {}, words), restsOn.length === 0 ? undefined : rests);
}

/** The source has said nothing that could be true or false. */
export const isSilent = ({ code }: Refused): boolean => code.startsWith("UPG_REMOTE_");

/** @param rest what becomes of the rest of what is shown */
export function refusedView(refused: Refused, rest = "Nothing of what the source sent is shown as a claim."): Child[] {
  const { code, message } = refused;
  const mark = isSilent(refused) ? { icon: "–", word: "No evidence" } : { icon: "✗", word: "Refused" };
  return [
    h(
      "p",
      { class: "refused" },
      h("span", { class: "badge refused" }, h("span", { "aria-hidden": "true" }, mark.icon), ` ${mark.word}`),
      ` ${message}`,
      code === "" ? undefined : h("span", {}, " (", h("code", {}, code), ")"),
    ),
    paragraph(rest),
  ];
}

const FROM = {
  yours: "as you entered or compared it",
  link: "as the link, or the site that shows this page, gave it",
  server: "as the source itself gave it",
} as const;

/** A hash that is to be compared is shown whole. */
export function rootView({ root, steps, signatures }: Checked): Child[] {
  const isLinked = root.from === "link";
  const shown = isLinked ? h("code", {}, root.hash) : hash(root.hash);
  const way = `${counted(signatures, "signature")} of validators carried it on in ${counted(steps, "step")}.`;
  return [
    paragraph(`Trust begins at block ${count(root.height)}, hash `, shown, `, ${FROM[root.from]}.`),
    isLinked ? h("button", { id: "compared", type: "button" }, "I have compared this hash") : undefined,
    steps === 0 ? undefined : paragraph(way),
  ];
}

/** One line for the status, the same as long as nothing changed in what can be believed. */
export function verdictOf(said: Checked | Refused): string {
  if (said.kind === "refused") {
    if (isSilent(said)) return "No evidence: the source does not respond to what is asked.";
    return "Refused: what this source sends does not verify.";
  }
  const proven = said.claims.filter(({ state }) => state === "proven").length;
  if (said.root.from === "link") return "Checked: all agrees, from a block that came with the link.";
  if (said.root.from === "yours") return `Checked: ${counted(proven, "claim")} proven from the block that you trust.`;
  return "Checked: all agrees, from a block that this source named itself.";
}
