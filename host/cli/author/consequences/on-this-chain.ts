/**
 * Describes what a handler does to the modules of one chain. It reads the chain's table of modules and stores, and applies the
 * guards whose result follows from its manifest. It reads no state: it assumes that the chain has every module and store of the table.
 */

import { isUpgradeError } from "../../../base/errors/errors.js";
import { compareText } from "../../../base/text/bytes.js";
import { visible } from "../../../base/text/visible.js";
import { NamedStores } from "../../../state/branch/kv/cache-multi-store.js";
import { MemoryKVStore } from "../../../state/branch/kv/memory-kv.js";
import type { Manifest } from "../../../upgrade/handler/manifest/manifest-types.js";
import { guardAllStores, guardBefore, guardStores } from "../../../upgrade/module/guards.js";
import { type ModuleTable, StoreOwners } from "../../../upgrade/module/module-table.js";

export interface OnThisChain {
  /** Stores that are deleted or renamed, with the module that loses each. */
  readonly stores_lost: readonly {
    readonly store: string;
    readonly module: string;
    /** The module itself is not removed. */
    readonly stays: boolean;
  }[];
  /** Removed modules without which the chain cannot go on. */
  readonly vital_modules_removed: readonly string[];
  /** Stores of removed modules that stay. */
  readonly stores_kept: readonly { readonly store: string; readonly module: string }[];
  /** Why nodes would refuse the handler, by its manifest alone; null: they would run it. */
  readonly refused: string | null;
}

export function onThisChain(manifest: Manifest, table: ModuleTable): OnThisChain {
  const { name: planName, allows, removes, storeUpgrades, versions } = manifest;
  const { deleted, renamed } = storeUpgrades;
  const added = new Set([...versions].filter(([, { from }]) => !from).map(([module]) => module));
  const known = [...table.moduleStores.keys()].filter((module) => !added.has(module));
  const stored = new Map([...known, ...removes].map((module) => [module, 1n]));
  const opened = openedStores(manifest, table, known);
  const owners = new StoreOwners(table.moduleStores, { stored, opened, storeUpgrades });
  const lost = [
    ...deleted.flatMap((store) => owners.ownersOf(store).map((module) => ({ store, module }))),
    ...renamed.flatMap(({ oldKey, newKey }) =>
      owners.losersOf(oldKey, newKey).map((module) => ({ store: oldKey, module })),
    ),
  ];
  const kept = removes.flatMap((module) =>
    owners
      .storesOf(module)
      .filter((store) => owners.isOpened(store) && owners.ownersOf(store).every((name) => removes.includes(name)))
      .map((store) => ({ store, module })),
  );
  const base = new NamedStores(new Map(opened.map((name) => [name, new MemoryKVStore()])));
  const handler = { planName, allows, removes, storeUpgrades, wasm: { manifest } };
  return {
    stores_lost: lost.map(({ store, module }) => ({ store, module, stays: !removes.includes(module) })),
    vital_modules_removed: removes.filter((module) => table.vitalModules.includes(module)),
    stores_kept: kept,
    refused: refusalOf(() => {
      guardBefore(handler, stored, base, table);
      // The stores of a new module may be there already.
      const after = new Map([...stored].filter(([module]) => !removes.includes(module)));
      guardStores(handler, opened, { before: stored, after }, table);
      guardAllStores(handler, opened, { before: stored, after }, table);
    }),
  };
}

/** The stores of the table, as they are open for the handler. */
function openedStores({ storeUpgrades, stores }: Manifest, table: ModuleTable, known: readonly string[]): string[] {
  const { added, deleted, renamed } = storeUpgrades;
  const gone = new Set([...deleted, ...renamed.map(({ oldKey }) => oldKey)]);
  const owned = known.flatMap((module) => table.moduleStores.get(module) ?? [module]);
  const all = [...owned, ...stores.map(({ name }) => name), ...added, ...renamed.map(({ newKey }) => newKey)];
  return [...new Set(all)].filter((name) => !gone.has(name)).sort(compareText);
}

function refusalOf(guard: () => void): string | null {
  try {
    guard();
    return null;
  } catch (error) {
    if (isUpgradeError(error)) return error.template;
    throw error;
  }
}

export function chainLines({ stores_lost, vital_modules_removed, stores_kept, refused }: OnThisChain): string[] {
  const label = "  ON THIS CHAIN    ";
  return [
    ...stores_lost.map(
      ({ store, module, stays }) =>
        `${label}the module ${visible(module)}${stays ? ", which stays," : ", which is removed,"} loses its store ${visible(store)}`,
    ),
    ...vital_modules_removed.map((module) => `${label}the module ${visible(module)} is vital, and it is removed`),
    ...stores_kept.map(
      ({ store, module }) => `${label}the module ${visible(module)} is removed, and its store ${visible(store)} stays`,
    ),
    ...(refused === null ? [] : [`${label}NODES REFUSE IT: ${visible(refused)}`]),
  ];
}
