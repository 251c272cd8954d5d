/** What a block gave when it was run again, beside what it gave. */

import { isUpgradeError, messageOf } from "../../../base/errors/errors.js";
import { sha256 } from "../../../base/native/sha256.js";
import { equalBytes, toUpperHex } from "../../../base/text/bytes.js";
import type { Height } from "../../../base/types/types.js";
import type { BlockResult } from "../../../chain/app/app.js";
import { resultsHash } from "../../../chain/comet-types/results.js";
import type { VersionView } from "../../../state/store/versions/version-view.js";
import type { ReplaySource } from "./source.js";

/** The first one, as it is printed. Hashes are upper-case hex. */
export interface ReplayDifference {
  readonly height: string;
  readonly what: "app hash" | "results" | "failure";
  readonly expected: string;
  readonly got: string;
  /** Roots that differ, where the state of the height is still kept. */
  readonly stores?: readonly { readonly store: string; readonly expected: string; readonly got: string }[];
  /** Index of the first transaction with another outcome, and both. */
  readonly tx?: { readonly index: number; readonly expected: string; readonly got: string };
}

/** Undefined: the block gave the same. @param view the state after it, once it is asked for */
export function differenceOf(
  source: ReplaySource,
  height: Height,
  result: BlockResult,
  view: () => VersionView,
): ReplayDifference | undefined {
  const { appHash, lastResultsHash } = source.blocks.at(height);
  const results = resultsHash(sha256, result.txResults);
  if (!equalBytes(results, lastResultsHash)) {
    const hashes = { expected: toUpperHex(lastResultsHash), got: toUpperHex(results) };
    return { height: String(height), what: "results", ...hashes, ...otherTx(source, height, result) };
  }
  if (equalBytes(appHash, result.appHash)) return undefined;
  const stores = otherStores(source.stores(height), view());
  const hashes = { expected: toUpperHex(appHash), got: toUpperHex(result.appHash) };
  return { height: String(height), what: "app hash", ...hashes, ...(stores ? { stores } : {}) };
}

export function failureAt(height: Height, appHash: Uint8Array, error: unknown): ReplayDifference {
  const code = isUpgradeError(error) ? ` [${error.code}]` : "";
  return { height: String(height), what: "failure", expected: toUpperHex(appHash), got: `${messageOf(error)}${code}` };
}

function otherTx(source: ReplaySource, height: Height, { txResults }: BlockResult): Pick<ReplayDifference, "tx"> {
  const words = (each: { code: number; gasUsed: bigint; log: string } | undefined) =>
    each ? `code ${each.code}, gas ${each.gasUsed}${each.log === "" ? "" : `, ${each.log}`}` : "none";
  const before = source.blocks.results(height).txResults.map(words);
  const index = before.findIndex((text, at) => text !== words(txResults[at]));
  return index < 0 ? {} : { tx: { index, expected: before[index] ?? "none", got: words(txResults[index]) } };
}

function otherStores(expected: ReadonlyMap<string, Uint8Array> | undefined, view: VersionView) {
  if (!expected) return undefined;
  const got = new Map(view.names.map((name) => [name, view.tree(name).root.hash]));
  const names = [...new Set([...expected.keys(), ...got.keys()])].sort();
  const hex = (hash: Uint8Array | undefined) => (hash ? toUpperHex(hash) : "none");
  return names
    .map((store) => ({ store, expected: hex(expected.get(store)), got: hex(got.get(store)) }))
    .filter((each) => each.expected !== each.got);
}
