/**
 * Which version a state has. Modules, stores and the number are the state's own facts; of the program's versions the
 * state chooses one thing, the code that reads its records. No file has a say in it.
 */
import type { DoneUpgrade, Plan, VersionMap } from "../../../base/types/types.js";
import { sameVersions } from "../../../upgrade/core/version-map.js";
import { modulesAfter, storesAfter } from "../../../upgrade/module/app-versions.js";
import type { ChainVersion } from "./version.js";

/** What a committed version says of itself. */
export interface StateFacts {
  /** App version of genesis and one more for each upgrade that was applied: the same whatever programs ran. */
  readonly number: bigint;
  readonly last: DoneUpgrade | undefined;
  readonly modules: VersionMap;
  readonly stores: readonly string[];
  isDone(plan: string): boolean;
}

/** The versions of the program, and the one that genesis names. */
export interface ProgramVersions {
  readonly versions: readonly ChainVersion[];
  readonly begun: ChainVersion;
}

/** A handler that is about to be applied, as far as it decides what comes after it. */
export type Target = Pick<Parameters<typeof storesAfter>[1], "storeUpgrades"> & {
  readonly plan: Plan;
  readonly removes: readonly string[];
  /** What a manifest declares; undefined for a function, whose map is known when it has run. */
  readonly versions: ReadonlyMap<string, { readonly to: bigint }> | undefined;
};

/** Modules that have another layout in one version of the program than in another: its code must fit the state. */
export function codedModules(versions: readonly ChainVersion[]): string[] {
  const names = new Set(versions.flatMap(({ modules }) => [...modules.keys()]));
  return [...names].filter((name) => new Set(versions.map(({ modules }) => modules.get(name) ?? 0n)).size > 1);
}

/** The version that runs on a state when no plan is applied. */
export function versionOfState(program: ProgramVersions, facts: StateFacts): ChainVersion {
  const { number, last, modules, stores } = facts;
  const code = codeFor(program, facts);
  const plan = last?.name ?? program.begun.plan;
  return asKnown(program.versions, { number, plan, modules, stores, layouts: code.layouts });
}

/** The version that a due plan leads to: the state's, changed by the one handler that is applied. */
export function versionAfter(program: ProgramVersions, facts: StateFacts, target: Target): ChainVersion {
  const { plan, removes, versions: declared, storeUpgrades } = target;
  const own = program.versions.find((version) => version.plan === plan.name);
  const modules = own
    ? modulesAfter(own, program.versions, facts.modules, removes)
    : declaredModules(facts.modules, target);
  for (const [module, { to }] of own ? [] : (declared ?? [])) modules.set(module, to);
  const stores = storesAfter(facts.stores, { storeUpgrades, own, versions: program.versions });
  const isDone = (name: string) => name === plan.name || facts.isDone(name);
  const code = own ?? codeFor(program, { ...facts, modules, stores, isDone });
  return asKnown(program.versions, {
    ...{ number: facts.number + 1n, plan: plan.name, modules, stores, layouts: code.layouts },
  });
}

function declaredModules(stored: VersionMap, { removes }: Target): Map<string, bigint> {
  const modules = new Map(stored);
  for (const module of removes) modules.delete(module);
  return modules;
}

/**
 * The program's version whose code fits a state: that of genesis, and after it each whose plan was applied, or whose
 * layouts an upgrade under another name brought. An upgrade that the program does not carry changes nothing here, so
 * what follows it keeps the newest code whose layouts the state has.
 */
export function codeFor(
  { versions, begun }: ProgramVersions,
  facts: Omit<StateFacts, "number" | "last">,
): ChainVersion {
  let code = begun;
  for (const next of versions.slice(versions.indexOf(begun) + 1)) {
    const isDone = next.plan !== undefined && facts.isDone(next.plan);
    if (isDone || bringsLayoutsOf(next, code, facts)) code = next;
  }
  return code;
}

function bringsLayoutsOf(
  next: ChainVersion,
  code: ChainVersion,
  { modules, stores }: Pick<StateFacts, "modules" | "stores">,
): boolean {
  const at = (versions: VersionMap, module: string) => versions.get(module) ?? 0n;
  const coded = codedModules([code, next]);
  const isHigher = coded.some((module) => at(next.modules, module) > at(code.modules, module));
  const isReached = coded.every((module) => at(modules, module) >= at(next.modules, module));
  const added = next.stores.filter((name) => !code.stores.includes(name));
  return isHigher && isReached && added.every((name) => stores.includes(name));
}

/** The program's own version where the state's facts are exactly its. */
function asKnown(versions: readonly ChainVersion[], found: ChainVersion): ChainVersion {
  const isSame = (known: ChainVersion) =>
    known.number === found.number &&
    known.plan === found.plan &&
    sameVersions(known.layouts, found.layouts) &&
    sameVersions(known.modules, found.modules) &&
    [...known.stores].sort().join() === [...found.stores].sort().join();
  return versions.find(isSame) ?? found;
}
