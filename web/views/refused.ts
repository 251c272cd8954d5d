/** Why nothing is claimed: the reader's trusted block, a source that does not respond, or evidence that does not verify. */
import type { Refused } from "../messages.js";
import { count } from "../number-text.js";
import { type Child, h } from "../tree.js";
import type { TypedTrust } from "../trust.js";
import { mark, reportedBadge } from "./claims.js";
import { paragraph } from "./parts.js";

/** The source has said nothing that could be true or false. */
export const isSilent = ({ code }: Refused): boolean => code.startsWith("UPG_REMOTE_");

/** What is wrong with the block where trust begins, and what to do; undefined: the block is not at fault. */
export function trustFault({ code, reason, message }: Refused, trust: TypedTrust | undefined): Fault | undefined {
  if (reason === "fragment")
    return { verdict: "Not checked: the trusted block in this address is incomplete.", advice: message };
  if (!trust) return undefined;
  const block = `${trust.from === "link" ? "the link's" : "your"} trusted block, ${count(trust.height)},`;
  if (reason === "expired") {
    return { verdict: `Not checked: ${block} is too old.`, advice: "Enter a newer block that you trust." };
  }
  if (reason === "root") {
    return {
      verdict: `Not checked: ${block} has another hash here.`,
      advice:
        "Compare height and hash with where you found them. If both are right, this source serves another chain, or another history of it.",
    };
  }
  if (code === "UPG_INVALID_HEIGHT") {
    return {
      verdict: `Not checked: ${block} does not exist yet, or this source is behind.`,
      advice: "Enter an earlier block that you trust.",
    };
  }
  return undefined;
}

interface Fault {
  readonly verdict: string;
  readonly advice: string;
}

export function refusedVerdict(refused: Refused, trust: TypedTrust | undefined): string {
  if (isSilent(refused)) return "No evidence: the source does not respond, or refuses to.";
  return trustFault(refused, trust)?.verdict ?? "Refused: what this source sends does not verify.";
}

/**
 * @param source where it came from, for what it says itself
 * @param rest what the refusal means for the rest of the page
 */
export function refusedView(
  refused: Refused,
  {
    trust,
    source,
    rest = NOTHING,
  }: { readonly trust?: TypedTrust | undefined; readonly source: string; readonly rest?: string },
): Child[] {
  const { code, message, said } = refused;
  const fault = trustFault(refused, trust);
  const badge = isSilent(refused)
    ? mark("absent", "–", `No evidence from ${source}`)
    : fault
      ? mark("link-root", "!", "Not checked")
      : mark("refused", "✗", `Refused: sent by ${source}`);
  return [
    h(
      "p",
      { class: "refused" },
      badge,
      ` ${message}`,
      code === "" ? undefined : h("span", {}, " (", h("code", {}, code), ")"),
    ),
    said === undefined
      ? undefined
      : h("div", { class: "reported" }, reportedBadge(source), h("p", { class: "said" }, said)),
    fault && fault.advice !== message ? paragraph(fault.advice) : undefined,
    paragraph(rest),
  ];
}

const NOTHING = "Nothing of what the source sent is shown as a claim.";
