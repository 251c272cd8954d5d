/** "Run it here": the handler again, in this browser, on a witness of the state before it. */
import type { ClaimState } from "chain-upgrade/verify";
import type { RunDone, RunReport } from "../messages.js";
import { count, counted, duration, size } from "../number-text.js";
import { type Child, h } from "../tree.js";
import { badge, type Standing } from "./claims.js";
import { facts, hash, paragraph, table } from "./parts.js";
import { othersView } from "./receipt.js";

/** What has to be fetched before. */
export interface RunCost {
  readonly witness: number;
  readonly handler: number;
  readonly program: number;
}

export function costView({ witness, handler, program }: RunCost): Child[] {
  const all = size(witness + handler + program);
  const parts = `witness ${size(witness)}, handler ${size(handler)}, program ${size(program)}`;
  return [
    paragraph(
      `This fetches ${all} (${parts}), runs the handler in a sandbox on this device, and compares the hash of the whole state with the one in the next block's header.`,
    ),
  ];
}

/** More than a page can hold beside what is made of it. */
export function tooLargeView(what: string, bytes: number, bytesMax: number): Child[] {
  const words = `The ${what} has ${size(bytes)}, and this page takes ${size(bytesMax)} at most. To run the upgrade again, use `;
  return [paragraph(words, h("code", {}, "chaind verify-chain --re-execute"), ".")];
}

/** What a run is doing, as long as there is no result of it. */
export type RunStep =
  | { readonly kind: "fetching"; readonly what: string; readonly bytes: number; readonly total: number }
  | { readonly kind: "headers" }
  | RunReport;

export function runningView(step: RunStep, seconds: number): Child[] {
  const { words, share } = shownStep(step);
  return [
    h(
      "div",
      { class: "bar" },
      h("progress", { max: 100, value: share && Math.floor(100 * share), "aria-label": "Progress of the run" }),
      h("span", {}, `${words}, ${duration(seconds)} so far`),
    ),
  ];
}

/** `share` undefined: nobody knows how long it takes. */
function shownStep(step: RunStep): { readonly words: string; readonly share: number | undefined } {
  switch (step.kind) {
    case "fetching": {
      const { what, bytes, total } = step;
      return { words: `Fetching the ${what}: ${size(bytes)} of ${size(total)}`, share: bytes / Math.max(total, 1) };
    }
    case "headers":
      return { words: "Verifying the headers", share: undefined };
    case "progress":
      return shownReport(step);
  }
}

function shownReport({ stage, store, records, recordsTotal, gas, gasLimit }: RunReport) {
  if (stage === "witness") return { words: "Hashing the witness", share: undefined };
  if (stage === "trees") {
    return { words: `Making the next tree${store === "" ? "s" : ` of store ${store}`}`, share: undefined };
  }
  const scanned = recordsTotal > 0 ? `, ${count(records)} of ${counted(recordsTotal, "pair")} of store ${store}` : "";
  const words = `Running the handler: ${count(gas)} of ${count(gasLimit)} gas${scanned}`;
  return { words, share: Number(gas) / Math.max(Number(gasLimit), 1) };
}

/** Trust goes forward only. */
export function tooLateView(trusted: bigint, block: bigint): Child[] {
  const words = `Trust begins at block ${count(trusted)}, after the upgrade in block ${count(block)}, and goes forward only. To run it here, enter an earlier block that you trust: ${count(block)} at most.`;
  return [h("p", { class: "warning" }, words)];
}

export function ranView(ran: RunDone, state: ClaimState, standing: Standing): Child[] {
  const { gas, appHash, height, roots, millis } = ran;
  return [
    paragraph(
      badge(state, standing),
      ` Run here in ${(millis / 1_000).toFixed(2)} s: the whole app hash after block ${count(height)} came out equal.`,
    ),
    facts(["App hash", hash(appHash)], ["Gas", count(gas)]),
    h(
      "details",
      {},
      h("summary", {}, "Roots of all stores"),
      table(
        "Roots that came out",
        [{ name: "Store" }, { name: "root" }],
        roots.map(({ store, root }) => [store, hash(root)]),
      ),
    ),
    ...othersView(ran),
  ];
}
