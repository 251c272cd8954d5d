/** A version of the example chain, as data: what a binary of that age knows. */
import type { Manifest } from "../../handler/manifest-types.js";
import type { AppVersion } from "../../upgrade/app-versions.js";
import type { Bank } from "../modules/bank.js";

export interface ChainVersion extends AppVersion {
  /** Where this version keeps coins. */
  readonly bank: Bank;
}

/** The version that a handler leads to from `base`, when no known version carries its plan. */
export function versionAfter(base: ChainVersion, manifest: Manifest): ChainVersion {
  const modules = new Map(base.modules);
  for (const [module, { to }] of manifest.versions) modules.set(module, to);
  for (const module of manifest.removes) modules.delete(module);
  const { added, renamed, deleted } = manifest.storeUpgrades;
  const gone = new Set([...deleted, ...renamed.map(({ oldKey }) => oldKey)]);
  const stores = [...base.stores.filter((name) => !gone.has(name)), ...added, ...renamed.map(({ newKey }) => newKey)];
  return { number: base.number + 1n, plan: manifest.name, modules, stores, bank: base.bank };
}
