/** The versions of an app that a process knows, as data, and what a plan makes of a state (docs/architecture.md). */
import type { DoneUpgrade, Plan, StoreUpgrades, VersionMap } from "../../base/types/types.js";

export interface AppVersion {
  /** Consensus app version: 1 for the first, ascending. */
  readonly number: bigint;
  /** Name of the plan that leads to it; none for a version that genesis starts. */
  readonly plan: string | undefined;
  readonly modules: VersionMap;
  /** Stores that it mounts, `upgrade` included. */
  readonly stores: readonly string[];
}

export interface RunFacts {
  /** The plan that is due at the next height, when it is not skipped and its handler is here. */
  readonly applying: Plan | undefined;
  readonly last: DoneUpgrade | undefined;
  /** The version that genesis names; 0n: unset. */
  readonly genesisVersion: bigint;
}

/**
 * The version to run, of those that a program carries; undefined when this process does not know it.
 *
 * @example
 * const versions = [
 *   { number: 1n, plan: undefined, modules: new Map([["bank", 1n]]), stores: ["bank", "upgrade"] },
 *   { number: 2n, plan: "v2", modules: new Map([["bank", 2n]]), stores: ["bank", "upgrade"] },
 * ];
 * const last = { name: "v2", height: 100n };
 * console.log(versionToRun(versions, { applying: undefined, last, genesisVersion: 0n })?.number); // → 2n
 */
export function versionToRun<V extends AppVersion>(versions: readonly V[], facts: RunFacts): V | undefined {
  const { applying, last, genesisVersion } = facts;
  const reached = (plan: string) => versions.find((version) => version.plan === plan);
  if (applying) return reached(applying.name);
  if (last) return reached(last.name);
  if (genesisVersion === 0n) return versions[0];
  return versions.find(({ number }) => number === genesisVersion);
}

/**
 * The version map that a plan of the program's own leads to: its modules, and those that no version of the program
 * knows as they are stored, unless the handler removes them. A version that is stored higher stays.
 */
export function modulesAfter(
  own: AppVersion,
  versions: readonly AppVersion[],
  stored: VersionMap,
  removes: readonly string[],
): Map<string, bigint> {
  const known = new Set(versions.flatMap(({ modules }) => [...modules.keys()]));
  const modules = new Map<string, bigint>();
  for (const [module, version] of stored) {
    if (!known.has(module) && !removes.includes(module)) modules.set(module, version);
  }
  for (const [module, version] of own.modules) {
    const there = stored.get(module) ?? 0n;
    modules.set(module, there > version ? there : version);
  }
  return modules;
}

export interface StoreChange {
  readonly storeUpgrades: StoreUpgrades;
  /** The program's version that the plan leads to; undefined when no version carries it. */
  readonly own: AppVersion | undefined;
  readonly versions: readonly AppVersion[];
}

/** The stores after an upgrade: those of its version, or the stored ones, changed as the handler says. */
export function storesAfter(stored: readonly string[], { storeUpgrades, own, versions }: StoreChange): string[] {
  const { added, renamed, deleted } = storeUpgrades;
  const gone = new Set([...deleted, ...renamed.map(({ oldKey }) => oldKey)]);
  const known = new Set(versions.flatMap(({ stores }) => stores));
  const staying = stored.filter((name) => !gone.has(name) && !(own && known.has(name)));
  const coming = own ? own.stores : [...added, ...renamed.map(({ newKey }) => newKey)];
  return [...new Set([...staying, ...coming])];
}
