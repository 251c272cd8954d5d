/**
 * Which stores a process opens: those on disk, changed by the store upgrades that a loader asks for. What does not fit
 * is refused before anything is written, with all of the difference in one message.
 */
import { UpgradeError } from "../../../base/errors/errors.js";
import type { StoreUpgrades } from "../../../base/types/types.js";
import type { StoreState } from "./commit-record.js";

export const NO_UPGRADES: StoreUpgrades = { added: [], renamed: [], deleted: [] };

/** A store on disk, as far as upgrades depend on it. */
type StoredStore = Pick<StoreState, "name" | "root">;

/** How a mounted store begins. */
export interface StorePlan<S = StoreState> {
  readonly name: string;
  /** The store as it is on disk; undefined: it begins empty. */
  readonly stored: S | undefined;
  /** A rename: its pairs are inserted, ascending, into a new tree. */
  readonly renamedFrom: S | undefined;
}

export function isEmptyUpgrade(upgrades: StoreUpgrades): boolean {
  return upgrades.added.length + upgrades.renamed.length + upgrades.deleted.length === 0;
}

/** Do both change the stores in the same way? The order of the lists means nothing. */
export function sameUpgrades(a: StoreUpgrades, b: StoreUpgrades): boolean {
  const renames = ({ renamed }: StoreUpgrades) => renamed.map(({ oldKey, newKey }) => JSON.stringify([oldKey, newKey]));
  return sameNames(a.added, b.added) && sameNames(a.deleted, b.deleted) && sameNames(renames(a), renames(b));
}

function sameNames(a: readonly string[], b: readonly string[]): boolean {
  return JSON.stringify([...a].sort()) === JSON.stringify([...b].sort());
}

/**
 * @param mounted names that the version mounts; one that is also deleted is not opened
 * @param stored the stores of the last commit; undefined before the first one
 * @throws UpgradeError UPG_STORE_UPGRADE
 */
export function planStores<S extends StoredStore>(
  mounted: readonly string[],
  stored: readonly S[] | undefined,
  upgrades: StoreUpgrades,
): StorePlan<S>[] {
  const disk = new Map((stored ?? []).map((store) => [store.name, store]));
  const deleted = new Set(upgrades.deleted);
  const problems = [...repeated(upgrades), ...conflicts(mounted, disk, upgrades)];
  const sources = new Map(upgrades.renamed.map(({ oldKey, newKey }) => [newKey, oldKey]));
  const added = new Set(upgrades.added);
  const plans: StorePlan<S>[] = [];
  for (const name of mounted) {
    if (deleted.has(name)) continue;
    const source = sources.get(name);
    const isNew = added.has(name) || source !== undefined || stored === undefined;
    if (!disk.has(name) && !isNew) problems.push(`store "${name}" is mounted but neither stored nor added`);
    plans.push({
      name,
      stored: disk.get(name),
      renamedFrom: source === undefined ? undefined : disk.get(source),
    });
  }
  if (problems.length > 0) {
    throw new UpgradeError("UPG_STORE_UPGRADE", `the stores do not fit: ${problems.join("; ")}`, {
      details: { mounted: mounted.join(","), stored: [...disk.keys()].join(",") },
    });
  }
  return plans;
}

function* repeated(upgrades: StoreUpgrades): Iterable<string> {
  const seen = new Set<string>();
  const named = [
    ...upgrades.added,
    ...upgrades.renamed.flatMap(({ oldKey, newKey }) => [oldKey, newKey]),
    ...upgrades.deleted,
  ];
  for (const name of named) {
    if (seen.has(name)) yield `store "${name}" is named twice in the store upgrades`;
    seen.add(name);
  }
}

function* conflicts(
  mounted: readonly string[],
  disk: ReadonlyMap<string, StoredStore>,
  upgrades: StoreUpgrades,
): Iterable<string> {
  const isMounted = new Set(mounted);
  for (const name of upgrades.added) {
    if ((disk.get(name)?.root.size ?? 0) > 0) yield `store "${name}" is to be added but already has data`;
    if (!isMounted.has(name)) yield `store "${name}" is to be added but not mounted`;
  }
  for (const { oldKey, newKey } of upgrades.renamed) {
    if (!disk.has(oldKey)) yield `store "${oldKey}" is to be renamed but is not stored`;
    if (disk.has(newKey)) yield `store "${newKey}" is the new name of "${oldKey}" but already exists`;
    if (isMounted.has(oldKey)) yield `store "${oldKey}" is to be renamed to "${newKey}" but is still mounted`;
    if (!isMounted.has(newKey)) yield `store "${newKey}" is the new name of "${oldKey}" but not mounted`;
  }
  for (const name of upgrades.deleted) {
    if (!disk.has(name)) yield `store "${name}" is to be deleted but is not stored`;
  }
  const gone = new Set([...upgrades.deleted, ...upgrades.renamed.map(({ oldKey }) => oldKey)]);
  for (const name of disk.keys()) {
    if (!isMounted.has(name) && !gone.has(name)) {
      yield `store "${name}" is stored but neither mounted, deleted nor renamed`;
    }
  }
}
