/**
 * Which stores belong to which modules, and which modules a chain needs to go on. Guards decide by this table, not by
 * names that modules and stores happen to share: in the Cosmos SDK the store of `auth` is `acc`.
 */
import { compareText } from "../../base/text/bytes.js";
import type { StoreUpgrades, VersionMap } from "../../base/types/types.js";

export interface ModuleTable {
  /** Stores by module. A module without an entry owns the store of its own name, if there is one. */
  readonly moduleStores: ReadonlyMap<string, readonly string[]>;
  /** Modules that a handler removes only with `allows.removeModules`. */
  readonly vitalModules: readonly string[];
}

/** For a host that gives no table. */
export const DEFAULT_TABLE: ModuleTable = Object.freeze({
  moduleStores: new Map(),
  vitalModules: Object.freeze(["gov", "upgrade"]),
});

/** The names of the stores before an upgrade, from those that were opened for its handler. */
export function storesBefore(opened: readonly string[], { added, renamed, deleted }: StoreUpgrades): string[] {
  const come = new Set([...added, ...renamed.map(({ newKey }) => newKey)]);
  const gone = [...deleted, ...renamed.map(({ oldKey }) => oldKey)];
  return [...new Set([...opened.filter((name) => !come.has(name)), ...gone])];
}

/** An upgrade, as far as the ownership of stores goes. */
export interface StoreChange {
  /** The version map before it. */
  readonly stored: VersionMap;
  /** Names of the stores as they are opened for its handler, after the store loader. */
  readonly opened: readonly string[];
  readonly storeUpgrades: StoreUpgrades;
}

/** Which module owns which store around one upgrade. */
export class StoreOwners {
  readonly #stored: VersionMap;
  readonly #before: ReadonlySet<string>;
  readonly #after: ReadonlySet<string>;

  constructor(
    private readonly moduleStores: ModuleTable["moduleStores"],
    { stored, opened, storeUpgrades }: StoreChange,
  ) {
    this.#stored = stored;
    this.#before = new Set(storesBefore(opened, storeUpgrades));
    this.#after = new Set(opened);
  }

  /**
   * Names of the module's stores, ascending. An entry may have the names of a later version: a module that is stored, and none of
   * whose entry was there before the upgrade, also owns the store of its own name, if that was.
   */
  storesOf(module: string): string[] {
    const entry = this.moduleStores.get(module);
    if (!entry) return this.#before.has(module) || this.#after.has(module) ? [module] : [];
    const isLater = entry.length > 0 && this.#stored.has(module) && !entry.some((name) => this.#before.has(name));
    return [...new Set(isLater && this.#before.has(module) ? [...entry, module] : entry)].sort(compareText);
  }

  /** Stored modules that own the store, ascending. */
  ownersOf(store: string): string[] {
    return [...this.#stored.keys()].filter((module) => this.storesOf(module).includes(store)).sort(compareText);
  }

  /** Stored modules that lose the store when it is renamed; one that owns the new name loses nothing. */
  losersOf(oldKey: string, newKey: string): string[] {
    return this.ownersOf(oldKey).filter((module) => !this.storesOf(module).includes(newKey));
  }

  isOpened(store: string): boolean {
    return this.#after.has(store);
  }

  /** The module had a store before the upgrade, or the table gives a new module some. */
  needsStore(module: string): boolean {
    if (this.storesOf(module).some((name) => this.#before.has(name))) return true;
    return !this.#stored.has(module) && (this.moduleStores.get(module)?.length ?? 0) > 0;
  }
}
