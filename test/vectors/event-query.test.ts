import { expect, test } from "vitest";
import { sha256 } from "../../host/base/native/sha256.js";
import { parseEventQuery } from "../../host/chain/events/event-query-text.js";
import { EventSearch, type SearchPage } from "../../host/node/blocks/event-search.js";
import { SEARCH_LIMITS } from "../../host/node/blocks/search-budget.js";
import { TxIndex } from "../../host/node/index/tx-index.js";
import { MemoryDatabase } from "../../host/state/store/disk/memory-database.js";
import { eventsWith, hashOfTx, runEventQuery, withRounded } from "./event-query.js";
import { loadVectors, runVectors, type VectorCase } from "./harness.js";

test("parseEventQuery() and subscriptionMatcher() agree with CometBFT on every text, or differ by a named rule", () => {
  const report = runVectors("event-query", runEventQuery);
  expect(report.failures).toEqual([]);
  expect(report.passed + report.differing).toBe(report.cases);
  expect(report.by).toEqual({ "double-quotes": 4, "long-number": 1, "cut-quote": 1, rounded: 1 });
});

const resultOf = (value: string) => {
  const events = eventsWith(value);
  const tx = { code: 0, codespace: "", data: new Uint8Array(), log: "", gasWanted: 0n, gasUsed: 0n, events };
  return { txResults: [tx], events, validatorUpdates: [] };
};

/** One transaction and one block with each value, from height 1 on. */
function searchOver(values: readonly string[]): EventSearch {
  const database = new MemoryDatabase();
  const index = new TxIndex(database, sha256);
  const at = (height: bigint) => values[Number(height) - 1];
  for (const [place, value] of values.entries()) {
    const hash = Buffer.from(hashOfTx(place + 1), "hex");
    database.transaction((batch) => index.put(batch, BigInt(place + 1), [hash], resultOf(value)));
  }
  const searched = {
    heights: () => ({ lowest: 1n, last: BigInt(values.length) }),
    results: (height: bigint) => (at(height) === undefined ? undefined : resultOf(at(height) as string)),
    txHash: ({ height }: { height: bigint }) => hashOfTx(Number(height)),
  };
  return new EventSearch(index, searched, SEARCH_LIMITS);
}

const HASH_OF_4 = hashOfTx(4);
const ALL = Array.from({ length: 32 }, (_, at) => at + 1);

/** Where CometBFT's indexers go by the text of a height, cut its fraction, or look at one condition alone. */
const OWN_ANSWERS: Readonly<Record<string, { readonly txs?: readonly number[]; readonly blocks?: readonly number[] }>> =
  {
    "tx.height=4.0": { txs: [4] },
    "tx.height=04": { txs: [4] },
    "tx.height=3.5 AND e.v=4": { txs: [] },
    "block.height=4.7": { blocks: [] },
    "block.height EXISTS": { blocks: ALL },
    "tx.hash EXISTS": { txs: ALL },
    [`tx.hash='${HASH_OF_4}' AND tx.height=5`]: { txs: [] },
  };

/** What ours finds where CometBFT finds `found`, by rules: README.md names them. */
function expectedOf({ query, values, subscribe, txs }: VectorCase, found: readonly number[], isBlocks: boolean) {
  const heightOf = (value: string) => values.indexOf(value) + 1;
  if (/e\.v[<>]=?(TIME|DATE)/.test(query)) return subscribe;
  if (query === "e.v CONTAINS ' '") return subscribe;
  if (!/e\.v\s*[<>]/.test(query)) return found;
  const finite = withRounded(query, values, found).filter((height) => height !== heightOf("Inf"));
  const blank = heightOf(" 7 ");
  const isMissed = isBlocks && txs.includes(blank) && !query.startsWith("tx.height");
  return isMissed ? [...finite, blank].sort((a, b) => a - b) : finite;
}

const window = { first: 0, size: 100, isDescending: false };

test("EventSearch agrees with CometBFT's kv indexers on every text, or differs by a named rule", async () => {
  const cases = loadVectors("event-query").filter(({ error, query }) => error === undefined && isOurs(query));
  expect(cases.length).toBeGreaterThan(100);
  const search = searchOver(cases[0]?.["values"]);
  const heightsOf = async <T>(page: Promise<SearchPage<T>>, heightOf: (hit: T) => bigint) => {
    const { hits, total } = await page;
    expect(total).toBe(hits.length);
    return hits.map((hit) => Number(heightOf(hit)));
  };
  const got: [string, unknown, unknown][] = [];
  const expected: [string, unknown, unknown][] = [];
  for (const each of cases) {
    const { query, txs, blocks } = each;
    const conditions = parseEventQuery(query);
    const own = OWN_ANSWERS[query];
    expected.push([query, own?.txs ?? expectedOf(each, txs, false), own?.blocks ?? expectedOf(each, blocks, true)]);
    if (query === "tx.hash='zz'") {
      await expect(search.searchTxs(conditions, window)).rejects.toMatchObject({ code: "UPG_INVALID_ARGUMENT" });
      got.push([query, [], await heightsOf(search.searchBlocks(conditions, window), (height) => height)]);
      continue;
    }
    got.push([
      query,
      await heightsOf(search.searchTxs(conditions, window), ({ height }) => height),
      await heightsOf(search.searchBlocks(conditions, window), (height) => height),
    ]);
  }
  expect(got).toEqual(expected);
});

const isOurs = (query: string): boolean => {
  try {
    return parseEventQuery(query).length > 0;
  } catch {
    return false;
  }
};
