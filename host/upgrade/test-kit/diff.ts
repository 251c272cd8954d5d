/** What changed between two states of the same stores, key by key. */
import { compareBytes, equalBytes } from "../../base/text/bytes.js";
import type { KeyValue, KVReader, MultiStore } from "../../base/types/types.js";

export interface Change {
  readonly key: Uint8Array;
  /** Undefined: the key is new. */
  readonly before: Uint8Array | undefined;
  /** Undefined: the key is gone. */
  readonly after: Uint8Array | undefined;
}

/** Changes by store, keys ascending; stores without any are left out. */
export type StoreDiff = Readonly<Record<string, readonly Change[]>>;

export function diffStores(before: MultiStore, after: MultiStore): StoreDiff {
  const diff = after.names.map((name) => [name, [...diffStore(before.store(name), after.store(name))]] as const);
  // A store may be called `__proto__`: put into an object by assignment, its changes would not be seen.
  return Object.fromEntries(diff.filter(([, changes]) => changes.length > 0));
}

function* diffStore(before: KVReader, after: KVReader): Iterable<Change> {
  const olds = before.iterate();
  const news = after.iterate();
  let old: KeyValue | undefined = olds.next().value;
  let now: KeyValue | undefined = news.next().value;
  while (old || now) {
    const order = !old ? 1 : !now ? -1 : compareBytes(old[0], now[0]);
    if (order < 0 && old) yield { key: old[0], before: old[1], after: undefined };
    else if (order > 0 && now) yield { key: now[0], before: undefined, after: now[1] };
    else if (old && now && !equalBytes(old[1], now[1])) yield { key: now[0], before: old[1], after: now[1] };
    if (order <= 0) old = olds.next().value;
    if (order >= 0) now = news.next().value;
  }
}

export function sameStores(a: MultiStore, b: MultiStore): boolean {
  return a.names.join() === b.names.join() && Object.keys(diffStores(a, b)).length === 0;
}
