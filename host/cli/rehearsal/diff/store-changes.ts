/** What an upgrade block changed, store by store: counts, sizes, and each changed pair. */
import { equalBytes } from "../../../base/text/bytes.js";
import type { StoreUpgrades } from "../../../base/types/types.js";
import { sortByName } from "../../../state/commitment/app-hash.js";
import type { RootLink } from "../../../state/commitment/chunk.js";
import type { VersionView } from "../../../state/store/versions/version-view.js";
import { type DiffTree, type PairChange, treeDiff } from "./tree-diff.js";

type StoreFate = "unchanged" | "changed" | "added" | "renamed" | "deleted";

export interface StoreChange {
  readonly name: string;
  readonly fate: StoreFate;
  /** Of a renamed store: the name before. */
  readonly from: string | undefined;
  readonly pairsBefore: number;
  readonly pairsAfter: number;
  /** Undefined: the store is new. */
  readonly rootBefore: Uint8Array | undefined;
  /** Undefined: the store is gone. */
  readonly rootAfter: Uint8Array | undefined;
  readonly added: number;
  /** Pairs with another value. */
  readonly written: number;
  readonly deleted: number;
  /** Keys and values that are new, and those that are gone. */
  readonly bytesWritten: number;
  readonly bytesDeleted: number;
}

/** Values that were added or changed, by their bytes: entry n has those of 2^(n-1) to 2^n - 1 bytes, entry 0 the empty ones. */
type SizeHistogram = readonly number[];

export interface Changes {
  readonly stores: readonly StoreChange[];
  readonly sizes: SizeHistogram;
}

const NONE: RootLink = { id: 0, size: 0, height: 0, hash: new Uint8Array(0) };

/**
 * Walks over everything that differs. `onChange` is given each pair.
 * @throws UpgradeError UPG_STORE_CORRUPT, and what `onChange` throws
 */
export function storeChanges(
  before: VersionView,
  after: VersionView,
  { renamed }: Pick<StoreUpgrades, "renamed">,
  onChange: (store: string, change: PairChange) => void,
): Changes {
  const oldName = new Map(renamed.map(({ oldKey, newKey }) => [newKey, oldKey]));
  const moved = new Set(renamed.map(({ oldKey }) => oldKey));
  const gone = before.names.filter((name) => !after.names.includes(name) && !moved.has(name));
  const sizes: number[] = [];
  const stores = [...after.names, ...gone].map((name): StoreChange => {
    const from = oldName.get(name);
    const old = before.names.includes(from ?? name) ? before.treeAt(from ?? name) : undefined;
    const now = after.names.includes(name) ? after.treeAt(name) : undefined;
    const counts = count(old, now, (change) => {
      if (change.after) countSize(sizes, change.after.length);
      onChange(name, change);
    });
    return {
      ...{ name, fate: fateOf(old, now, from !== undefined), from },
      ...{ pairsBefore: (old?.root ?? NONE).size, pairsAfter: (now?.root ?? NONE).size },
      ...{ rootBefore: old?.root.hash, rootAfter: now?.root.hash },
      ...counts,
    };
  });
  return { stores: sortByName(stores), sizes: Array.from(sizes, (each = 0) => each) };
}

type Counts = Pick<StoreChange, "added" | "written" | "deleted" | "bytesWritten" | "bytesDeleted">;

function count(
  before: DiffTree | undefined,
  after: DiffTree | undefined,
  onChange: (change: PairChange) => void,
): Counts {
  const counts = { added: 0, written: 0, deleted: 0, bytesWritten: 0, bytesDeleted: 0 };
  for (const change of treeDiff(before, after)) {
    const { key, before: old, after: now } = change;
    if (!old) counts.added++;
    else if (now) counts.written++;
    else counts.deleted++;
    if (now) counts.bytesWritten += key.length + now.length;
    if (old) counts.bytesDeleted += key.length + old.length;
    onChange(change);
  }
  return counts;
}

function fateOf(old: DiffTree | undefined, now: DiffTree | undefined, isRenamed: boolean): StoreFate {
  if (!old) return "added";
  if (!now) return "deleted";
  if (isRenamed) return "renamed";
  return equalBytes(old.root.hash, now.root.hash) ? "unchanged" : "changed";
}

function countSize(sizes: number[], bytes: number): void {
  const bucket = bytes === 0 ? 0 : Math.floor(Math.log2(bytes)) + 1;
  sizes[bucket] = (sizes[bucket] ?? 0) + 1;
}
