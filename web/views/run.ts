/** "Run it here": the handler again, in this browser, on a witness of the state before it. */
import type { ClaimState } from "chain-upgrade/verify";
import type { RunDone } from "../messages.js";
import { type Child, h } from "../tree.js";
import { count, size } from "../words.js";
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
