/** What a page must never do, whatever its servers, its address or its file say. */

import { hasHidden } from "../../../host/base/text/visible.js";
import { collect } from "../../../host/verify/collect.js";
import { verifyEvidence } from "../../../host/verify/evidence.js";
import type { MadeChain } from "../../unit/verify/made-chain.js";
import { type OpenPage, textOn } from "../browser.js";

/** In every text that a lying server, link or file sends; the page must say whose it is. */
const LIE = "LIE";

/** Words of all claims that are true of a chain. */
export function truths(chain: MadeChain): Promise<ReadonlySet<string>> {
  const found = known.get(chain) ?? claimsOf(chain);
  known.set(chain, found);
  return found;
}

const known = new Map<MadeChain, Promise<ReadonlySet<string>>>();

async function claimsOf(chain: MadeChain): Promise<ReadonlySet<string>> {
  const words = new Set<string>();
  for (let height = 1n; height < BigInt(chain.blocks.length); height++) {
    const now = chain.timeAt(chain.blocks.length + 1);
    const evidence = await collect(chain.ask, { source: "made", now, height, rootHeight: 1n });
    const { claims } = await verifyEvidence(evidence, chain.trust(1, { now, trustingPeriod: 1n << 40n }));
    for (const claim of claims) words.add(plain(claim.words));
  }
  return words;
}

interface Seen {
  readonly title: string;
  /** Texts that screen readers, pointers and the tab's title show. */
  readonly attributes: readonly string[];
  readonly verdict: string;
  /** Words under each green badge. */
  readonly green: readonly string[];
  /** Texts of others that nothing labels. */
  readonly unlabelled: readonly string[];
  readonly foreign: number;
}

/** Every rule that the page breaks, in words. */
export async function broken(
  { page, requests, complaints }: OpenPage,
  { true: isTrue, hosts }: { readonly true: ReadonlySet<string>; readonly hosts: readonly string[] },
): Promise<string[]> {
  const seen = await page.evaluate(look, LIE);
  const shown = [seen.title, await textOn(page, "body"), ...seen.attributes];
  const wrong = [
    ...shown.filter((text) => hasHidden(text.replace(/[\n\t]/g, ""))).map((text) => `hidden characters: ${text}`),
    ...seen.green.filter((words) => !isTrue.has(plain(words))).map((words) => `green, and not true: ${words}`),
    ...seen.unlabelled.map((text) => `nobody's name is on: ${text}`),
    ...complaints.map((each) => `the browser complains: ${each}`),
    ...requests.filter((url) => !isNamed(url, hosts)).map((url) => `asks ${url}`),
  ];
  if (seen.foreign > 0) wrong.push("a text became an element, or ran");
  if (/Asking/.test(seen.verdict)) wrong.push("it never comes to a verdict");
  if (/proven from the block that you trust\.$/.test(seen.verdict) && seen.green.length === 0)
    wrong.push("a verdict greener than its claims");
  return wrong;
}

/** A title has no quotation marks, and commas in its numbers. */
const plain = (words: string) => words.replace(/[",]|\.$/g, "");

function isNamed(url: string, hosts: readonly string[]): boolean {
  return /^(?:blob|data|file|about):/.test(url) || hosts.includes(new URL(url).host);
}

/** Runs in the page. */
function look(lie: string): Seen {
  const attributes = [...document.body.querySelectorAll("*")].flatMap((element) =>
    element.getAttributeNames().map((name) => element.getAttribute(name) ?? ""),
  );
  /** The label nearest to a text: on a report, on a claim, or on the whole section. */
  const labelOf = (from: Element): string => {
    for (const selector of [
      ".refused",
      "#source",
      ".reported",
      ".claims > li",
      "#now",
      "#receipt",
      "#versions",
      "#run-result",
      "#chain",
    ]) {
      const badge = from.closest(selector)?.querySelector(".badge");
      if (badge) return badge.textContent ?? "";
      // Addresses, as the reader's own one has them.
      if (selector === "#source" && from.closest(selector)) return "Source";
    }
    return "";
  };
  const unlabelled: string[] = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement;
    const isInert = parent?.closest("script, style, [hidden]");
    if (!parent || isInert || !node.nodeValue?.includes(lie)) continue;
    const label = labelOf(parent);
    // What is proven of a chain may be a name that lies: then it is a true claim, or `green` has it.
    const isLabelled =
      /Reported by .+, not verified|Rests on this|came with|by the file's own word|Not shown|Proven|sent by|No evidence from|^Source/;
    if (!isLabelled.test(label)) unlabelled.push(node.nodeValue);
  }
  if (document.title.includes(lie)) unlabelled.push(`title ${document.title}`);
  const green = [...document.querySelectorAll(".claims > li")]
    .filter((claim) => claim.querySelector(".badge.proven"))
    .map((claim) => ({ text: claim.textContent ?? "", words: claim.querySelector("p")?.textContent ?? "" }))
    .filter(
      ({ text, words }) =>
        !/not from the chain/.test(text) || !/^Upgrade ".+" has not been applied up to block \d+\.$/.test(words),
    )
    .map(({ words }) => words);
  if (document.querySelector("#now-label .badge.proven")) {
    green.push(document.getElementById("now-title")?.textContent ?? "");
  }
  // What a run gave is proven by a witness, which no table here has.
  if (document.querySelector("#run-result .badge.proven")) green.push("a run");
  const isPwned = "pwned" in globalThis || document.querySelector("img, iframe, script[src], a[href]") !== null;
  return {
    ...{ title: document.title, attributes, green, unlabelled },
    ...{ verdict: document.getElementById("verdict")?.textContent ?? "", foreign: isPwned ? 1 : 0 },
  };
}
