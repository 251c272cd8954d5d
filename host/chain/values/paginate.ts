/** Lists in parts: by key or offset, forwards or backwards, with the total when it is asked for. */

import { UpgradeError } from "../../base/errors/errors.js";
import type { PageRequest } from "../../base/gen/cosmos/base/query/v1beta1/pagination_pb.js";
import { concatBytes, prefixEnd, utf8 } from "../../base/text/bytes.js";
import { decodeLossy } from "../../base/text/text.js";
import type { KVReader, LeftSignal } from "../../base/types/types.js";
import type { Records } from "./records.js";

const LIMIT_DEFAULT = 100;
/** A longer page is cut here; its `next_key` leads on. */
const PAGE_LIMIT_MAX = 1_000;

interface Page {
  readonly nextKey: Uint8Array;
  readonly total: bigint;
}

export interface Paged<T> {
  readonly items: T[];
  readonly pagination: Page;
}

export interface PageOptions<T> {
  /** Records that it is false of are left out. */
  readonly fits?: ((item: T) => boolean) | undefined;
}

/** The call that a walk is made for. */
export interface Walker {
  /** Takes all steps of a long walk; in between, everything else has its turn. @throws UpgradeError UPG_REMOTE_BUSY */
  readonly inTurns: <T>(steps: Iterator<unknown, T>, signal?: LeftSignal) => Promise<T>;
  /** Aborted when the client leaves. */
  readonly signal?: LeftSignal;
}

interface Wanted {
  readonly key: Uint8Array;
  readonly offset: bigint;
  readonly limit: number;
  readonly countsAll: boolean;
  readonly reverse: boolean;
}

/** Without a limit the first hundred come with the total. @throws UpgradeError UPG_INVALID_ARGUMENT */
function wanted(request: PageRequest | undefined): Wanted {
  const { key = new Uint8Array(), offset = 0n, limit = 0n, countTotal = false, reverse = false } = request ?? {};
  if (key.length > 0 && offset > 0n) {
    throw new UpgradeError("UPG_INVALID_ARGUMENT", "invalid request, either offset or key is expected, got both");
  }
  const size = limit === 0n ? LIMIT_DEFAULT : limit > BigInt(PAGE_LIMIT_MAX) ? PAGE_LIMIT_MAX : Number(limit);
  return { key, offset, limit: size, countsAll: key.length === 0 && (countTotal || limit === 0n), reverse };
}

/**
 * One page of a store's records, as the Cosmos SDK's `PageRequest` asks for it: `limit` (100 by default, at most 1,000),
 * `key` or `offset`, `reverse`, `count_total`. The response's `pagination.nextKey` is the key of the next page, empty on the
 * last. A page reads its own records and the key of the next; with the total, or with `fits`, it walks over all records.
 *
 * @param request the request's `pagination`; undefined for the first page
 * @param walker what the query was called with: long walks let other work run meanwhile
 * @param options `fits`: records for which it is false are left out and not counted
 * @throws UpgradeError UPG_INVALID_ARGUMENT for both a key and an offset
 *
 * @example
 * import { NoteSchema } from "./gen/notes_pb.js";
 * const NOTES = records("note", NoteSchema);
 * async function notesOf(author: string, request: Parameters<typeof paginate>[2], call: QueryCall) {
 *   const { items, pagination } = await paginate(call.stores.store("notes"), NOTES.under(author), request, call);
 *   return { notes: items, pagination };
 * }
 * console.log(notesOf.length); // → 3
 */
export async function paginate<T>(
  store: KVReader,
  { prefix, read }: Records<T>,
  request: PageRequest | undefined,
  walker: Walker,
  { fits }: PageOptions<T> = {},
): Promise<Paged<T>> {
  const page = wanted(request);
  const collector = new Collector<T>(page);
  const visit = ([key, value]: readonly [Uint8Array, Uint8Array]) => {
    const rest = key.subarray(prefix.length);
    const item = fits && read(value, rest);
    if (item !== undefined && !fits?.(item)) return true;
    return collector.take(
      () => item ?? read(value, rest),
      () => rest,
    );
  };
  await walk(store.iterate(rangeOf(prefix, page)), visit, walker);
  return collector.result();
}

/** The same for a list in memory; a page's key names the item that comes first on it. */
export function paginateList<T>(
  list: readonly T[],
  request: PageRequest | undefined,
  keyOf: (item: T) => string,
): Paged<T> {
  const page = wanted(request);
  const collector = new Collector<T>(page);
  const from = decodeLossy(page.key);
  const ordered = page.reverse ? [...list].reverse() : list;
  const start = from === "" ? 0 : ordered.findIndex((item) => keyOf(item) === from);
  for (const item of start < 0 ? [] : ordered.slice(start)) {
    if (
      !collector.take(
        () => item,
        () => utf8(keyOf(item)),
      )
    )
      break;
  }
  return collector.result();
}

/** A walk that leaves others their turns, however long it is; it ends when `visit` says false. */
export function walk<T>(items: Iterable<T>, visit: (item: T) => boolean, { inTurns, signal }: Walker): Promise<void> {
  return inTurns(visits(items, visit), signal);
}

function* visits<T>(items: Iterable<T>, visit: (item: T) => boolean): Generator<void, void> {
  for (const item of items) {
    if (!visit(item)) return;
    yield;
  }
}

function rangeOf(prefix: Uint8Array, { key, reverse }: Wanted) {
  const end = prefixEnd(prefix);
  if (key.length === 0) return { start: prefix, end, reverse };
  const at = concatBytes(prefix, key);
  return reverse ? { start: prefix, end: concatBytes(at, Uint8Array.of(0)), reverse } : { start: at, end };
}

class Collector<T> {
  readonly #items: T[] = [];
  #passed = 0n;
  #nextKey = new Uint8Array();

  constructor(private readonly page: Wanted) {}

  /** False: nothing more is needed. */
  take(item: () => T, key: () => Uint8Array): boolean {
    const { offset, limit, countsAll } = this.page;
    const place = this.#passed++;
    if (place < offset) return true;
    if (this.#items.length < limit) {
      this.#items.push(item());
      return true;
    }
    if (this.#nextKey.length === 0) this.#nextKey = Uint8Array.from(key());
    return countsAll;
  }

  result(): Paged<T> {
    return {
      items: this.#items,
      pagination: { nextKey: this.#nextKey, total: this.page.countsAll ? this.#passed : 0n },
    };
  }
}
