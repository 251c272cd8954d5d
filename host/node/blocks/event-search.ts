/**
 * Searches by events. A search walks from the end that is asked for: over the places of its most selective value, or
 * over the blocks that its heights leave open; it shows one page and goes on counting as far as its budget reaches. It
 * reads what is committed and nothing else, so it may run beside a writer.
 */

import { UpgradeError } from "../../base/errors/errors.js";
import { fromHex } from "../../base/text/bytes.js";
import type { Height, LeftSignal } from "../../base/types/types.js";
import { type EventCondition, type EventMatcher, eventValues, searchMatcher } from "../../chain/events/event-query.js";
import { BLOCK_PLACE, type HeightRange, type TxPlace } from "../index/postings.js";
import type { TxIndex } from "../index/tx-index.js";
import type { BlockResults } from "./block-results.js";
import { heights, narrowed } from "./height-range.js";
import { RESULTS_WORK, type SearchBudget, type SearchLimits, SearchRoom } from "./search-budget.js";

/** What a search looks through. */
export interface Searched {
  /** Lowest and last height with blocks; undefined: there are none. */
  heights(): { readonly lowest: Height; readonly last: Height } | undefined;
  /** Undefined when there is no such block. */
  results(height: Height): BlockResults | undefined;
  /** Upper-case hex. */
  txHash(place: TxPlace): string;
}

/** Which of its hits a search shows. */
export interface SearchWindow {
  /** From the last block down. */
  readonly isDescending: boolean;
  /** Hits before the first that is shown. */
  readonly first: number;
  readonly size: number;
  /** Aborted when the client leaves. */
  readonly signal?: LeftSignal;
}

export interface SearchPage<T> {
  readonly hits: readonly T[];
  /** All hits; when counting was cut, one more than were counted. */
  readonly total: number;
  readonly isTotalExact: boolean;
}

/** As many places of a value are counted to find the most selective. */
const SELECTIVE_KEYS = 256;

/** Conditions by what serves them. */
interface Scope {
  readonly range: HeightRange;
  /** The index has their values. */
  readonly exact: readonly EventCondition[];
  /** Only the events themselves show it. */
  readonly rest: readonly EventCondition[];
  /** Of both, compared with the events; heights are in `range`. */
  readonly matches: EventMatcher;
}

export class EventSearch {
  readonly #room: SearchRoom;

  constructor(
    private readonly index: TxIndex,
    private readonly searched: Searched,
    limits: SearchLimits,
  ) {
    this.#room = new SearchRoom(limits);
  }

  /** @throws UpgradeError UPG_REMOTE_SEARCH_CUT when the page was not reached, UPG_REMOTE_BUSY */
  searchTxs(conditions: readonly EventCondition[], window: SearchWindow): Promise<SearchPage<TxPlace>> {
    return this.#room.run(window.signal, (budget) => this.#txs(conditions, window, budget));
  }

  /** @throws UpgradeError UPG_REMOTE_SEARCH_CUT when the page was not reached, UPG_REMOTE_BUSY */
  searchBlocks(conditions: readonly EventCondition[], window: SearchWindow): Promise<SearchPage<Height>> {
    return this.#room.run(window.signal, (budget) => this.#blocks(conditions, window, budget));
  }

  #txs(conditions: readonly EventCondition[], window: SearchWindow, budget: SearchBudget) {
    const scope = this.#scope(conditions.map(withHash), "tx.height");
    if (!scope) return emptyPage<TxPlace>();
    const candidates = this.#txCandidates(scope, window.isDescending);
    const fits = (place: TxPlace, isShown: boolean) => {
      if (place.index === BLOCK_PLACE || !this.#hasAll(scope, place, budget)) return false;
      if (!isShown && scope.rest.length === 0) return true;
      budget.spend(RESULTS_WORK);
      const result = this.searched.results(place.height)?.txResults[place.index];
      if (!result) return false;
      const values = eventValues(result.events);
      values.set("tx.height", [String(place.height)]);
      values.set("tx.hash", [this.searched.txHash(place)]);
      return scope.matches(values);
    };
    const heightOf = ({ height }: TxPlace) => height;
    return walk({ candidates, fits, window, budget, range: scope.range, hitsMax: this.#room.limits.hits, heightOf });
  }

  #blocks(conditions: readonly EventCondition[], window: SearchWindow, budget: SearchBudget) {
    const scope = this.#scope(conditions, "block.height");
    if (!scope) return emptyPage<Height>();
    const { range, exact, rest } = scope;
    if (exact.length === 0 && rest.length === 0) return heightsPage(range, window);
    const fits = (height: Height, isShown: boolean) => {
      const place = { height, index: BLOCK_PLACE };
      if (height === NO_BLOCK || !this.#hasAll(scope, place, budget)) return false;
      if (!isShown && rest.length === 0) return true;
      budget.spend(RESULTS_WORK);
      const results = this.searched.results(height);
      if (!results) return false;
      const values = eventValues(results.events);
      values.set("block.height", [String(height)]);
      return scope.matches(values);
    };
    const candidates = this.#blockCandidates(scope, window.isDescending);
    const heightOf = (height: Height) => height;
    return walk({ candidates, fits, window, budget, range, hitsMax: this.#room.limits.hits, heightOf });
  }

  /** Undefined: nothing can fit. */
  #scope(conditions: readonly EventCondition[], heightName: string): Scope | undefined {
    const known = this.searched.heights();
    if (!known) return undefined;
    let range: HeightRange | undefined = { low: known.lowest, high: known.last };
    const exact: EventCondition[] = [];
    const rest: EventCondition[] = [];
    for (const condition of conditions) {
      const { key, operator } = condition;
      if (key === heightName && operator !== "CONTAINS") range = range && narrowed(range, condition);
      else if (operator === "=" && key !== "tx.hash") exact.push(condition);
      else rest.push(condition);
    }
    const matches = searchMatcher([...exact, ...rest]);
    return range && { range, exact: this.#bySelectivity(exact, range), rest, matches };
  }

  /** The value with the fewest places comes first. */
  #bySelectivity(exact: readonly EventCondition[], range: HeightRange): readonly EventCondition[] {
    if (exact.length < 2) return exact;
    const counted = exact.map((condition) => ({
      condition,
      count: this.index.placesUpTo(condition, range, SELECTIVE_KEYS),
    }));
    return counted.sort((a, b) => a.count - b.count).map(({ condition }) => condition);
  }

  /** The values of `exact` but for the first, whose places are walked. */
  #hasAll({ exact }: Scope, place: TxPlace, budget: SearchBudget): boolean {
    budget.spend(exact.length);
    return exact.every((condition, at) => at === 0 || this.index.has(condition, place));
  }

  *#txCandidates({ range, exact, rest }: Scope, isDescending: boolean): Generator<TxPlace | undefined> {
    const hash = rest.find(({ key, operator }) => key === "tx.hash" && operator === "=")?.value;
    if (hash !== undefined) {
      const place = /^[0-9a-fA-F]{64}$/.test(hash) ? this.index.find(fromHex(hash)) : undefined;
      if (place && place.height >= range.low && place.height <= range.high) yield place;
      return;
    }
    const [driver] = exact;
    yield* driver ? this.index.places(driver, range, isDescending) : this.index.allTxs(range, isDescending);
  }

  *#blockCandidates({ range, exact: [driver] }: Scope, isDescending: boolean): Generator<Height> {
    if (!driver) {
      yield* heights(range, isDescending);
      return;
    }
    for (const place of this.index.places(driver, range, isDescending)) {
      yield place?.index === BLOCK_PLACE ? place.height : NO_BLOCK;
    }
  }
}

/** What a transaction's place is to a search for blocks. */
const NO_BLOCK: Height = 0n;

/** Searches take a hash in either case, as CometBFT's do. @throws UpgradeError UPG_INVALID_ARGUMENT */
function withHash(condition: EventCondition): EventCondition {
  const { key, operator, value } = condition;
  if (key !== "tx.hash" || operator !== "=") return condition;
  if (/^(?:[0-9a-fA-F]{2})+$/.test(value)) return { ...condition, value: value.toUpperCase() };
  throw new UpgradeError(
    "UPG_INVALID_ARGUMENT",
    `tx.hash is compared with bytes in hex, not with "${value.slice(0, 80)}"`,
  );
}

const emptyPage = async <T>(): Promise<SearchPage<T>> => ({ hits: [], total: 0, isTotalExact: true });

/** All blocks of a range: they have no gaps, so nothing needs to be looked at. */
async function heightsPage({ low, high }: HeightRange, window: SearchWindow): Promise<SearchPage<Height>> {
  const total = Number(high - low) + 1;
  const [from, to] = [Math.min(window.first, total), Math.min(window.first + window.size, total)];
  const page = window.isDescending
    ? { low: high - BigInt(to) + 1n, high: high - BigInt(from) }
    : { low: low + BigInt(from), high: low + BigInt(to) - 1n };
  return { hits: [...heights(page, window.isDescending)], total, isTotalExact: true };
}

interface Walk<T> {
  /** Undefined: none was found for a while. */
  readonly candidates: Iterable<T | undefined>;
  readonly range: HeightRange;
  readonly fits: (candidate: T, isShown: boolean) => boolean;
  readonly window: SearchWindow;
  readonly budget: SearchBudget;
  readonly hitsMax: number;
  readonly heightOf: (candidate: T) => Height;
}

async function walk<T>({
  candidates,
  fits,
  window,
  budget,
  range,
  hitsMax,
  heightOf,
}: Walk<T>): Promise<SearchPage<T>> {
  const hits: T[] = [];
  const end = window.first + window.size;
  let count = 0;
  let reached = window.isDescending ? range.high : range.low;
  for (const candidate of candidates) {
    budget.spend(1);
    if (budget.isDue) await budget.pause();
    if (candidate !== undefined) reached = heightOf(candidate) || reached;
    const isReached = count >= end;
    if (budget.isSpent && !isReached) throw cut(count, window, reached);
    if (budget.isSpent || (isReached && count > hitsMax)) return { hits, total: count + 1, isTotalExact: false };
    const isShown = !isReached && count >= window.first;
    if (candidate === undefined || !fits(candidate, isShown)) continue;
    if (isShown) hits.push(candidate);
    count++;
  }
  return { hits, total: count, isTotalExact: true };
}

function cut(count: number, { first, size, isDescending }: SearchWindow, height: Height): UpgradeError {
  const message =
    `the search was stopped at its limits of time and work: it reached height ${height}, ` +
    `${isDescending ? "downwards" : "upwards"}, with ${count} hits where the page ends at ${first + size}; ` +
    "narrow it with bounds of heights, such as tx.height>=1000 AND tx.height<2000 (block.height for blocks)";
  return new UpgradeError("UPG_REMOTE_SEARCH_CUT", message);
}
