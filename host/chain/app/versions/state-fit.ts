/**
 * Compares the modules and stores of a state with those that the program has for it. A program that differs would read records
 * in a layout that they do not have, or leave a module out, and its blocks would have other app hashes than everybody else's.
 */
import { UpgradeError } from "../../../base/errors/errors.js";
import { codeFor, type ProgramVersions, type StateFacts } from "./of-state.js";
import type { ChainVersion } from "./version.js";

/**
 * Checks a state before anything runs on it.
 *
 * Upgrades that the program does not carry (Wasm handlers of the home) may have raised, added or removed modules. After one of
 * these, only a module that is stored lower than the program's code is refused, and a missing module is a warning.
 *
 * @throws UpgradeError UPG_INVALID_ARGUMENT with every module and store that differs, and what to add to the program
 */
export function requireStateFit(program: ProgramVersions, facts: StateFacts, warn: (message: string) => void): void {
  // The next upgrade declares allows.emptyVersionMap, or is refused.
  if (facts.modules.size === 0) return;
  const hasOthers = hasOtherUpgrades(program, facts);
  const code = hasOthers ? codeFor(program, facts) : appliedVersion(program, facts);
  const missing = missingModules(code, facts);
  const problems = otherVersions(code, facts, hasOthers);
  if (!hasOthers) problems.push(...earlyModules(program, code, facts));
  if (isLastOwn(code, facts)) problems.push(...missing, ...missingStores(code, facts));
  else for (const each of missing) warn(`${each}. The module does not run`);
  if (problems.length === 0) {
    if (!hasOthers) for (const each of unknownModules(program, facts)) warn(each);
    return;
  }
  throw new UpgradeError(
    "UPG_INVALID_ARGUMENT",
    `this program does not fit the state of app version ${facts.number}: ${problems.join("; ")}. Until the program is corrected, ` +
      "start the one that ran before",
    { details: { app_version: String(facts.number) } },
  );
}

/** Did the state become what it is by the version whose code reads it? */
function isLastOwn({ plan }: ChainVersion, { last }: StateFacts): boolean {
  return last === undefined || last.name === plan;
}

/** Were upgrades applied that the program does not carry? */
function hasOtherUpgrades({ versions, begun }: ProgramVersions, { number, isDone }: StateFacts): boolean {
  const later = versions.slice(versions.indexOf(begun) + 1);
  return number - begun.number !== BigInt(later.filter(({ plan }) => plan !== undefined && isDone(plan)).length);
}

/** The version that the program's own upgrades lead to: other upgrades may lead to a later one. */
function appliedVersion({ versions, begun }: ProgramVersions, { isDone }: StateFacts): ChainVersion {
  const isApplied = ({ plan }: ChainVersion) => plan !== undefined && isDone(plan);
  return versions.slice(versions.indexOf(begun) + 1).findLast(isApplied) ?? begun;
}

function otherVersions(code: ChainVersion, { modules }: StateFacts, mayBeHigher: boolean): string[] {
  return [...code.modules].flatMap(([module, version]) => {
    const stored = modules.get(module);
    if (stored === undefined || stored === version || (stored > version && mayBeHigher)) return [];
    const what = `the state has module "${module}" at version ${stored}, and this program has version ${version}`;
    if (stored > version) return [`${what}: set its consensusVersion to ${stored}n`];
    return [
      `${what}: add an upgrade with from: { ${module}: ${stored}n }, or add that to the upgrade that migrates it`,
    ];
  });
}

function missingModules(code: ChainVersion, { modules }: StateFacts): string[] {
  const missing = [...code.modules.keys()].filter((module) => !modules.has(module));
  return missing.map(
    (module) =>
      `this program has module "${module}", and the state does not: add an upgrade with a handler that brings the module: ` +
      `its stores in storeUpgrades.added, or, if it has none, from: { ${module}: 0n }`,
  );
}

function missingStores(code: ChainVersion, { stores }: StateFacts): string[] {
  const missing = code.stores.filter((name) => !stores.includes(name));
  return missing.map(
    (name) =>
      `this program has the store "${name}", and the state does not: add an upgrade with storeUpgrades: { added: ["${name}"] }`,
  );
}

/** Modules that the state has, and that the program has in another version only. */
function earlyModules({ versions }: ProgramVersions, code: ChainVersion, { modules }: StateFacts): string[] {
  const early = [...modules].filter(([module]) => !code.modules.has(module));
  return early.flatMap(([module, version]) => {
    const other = versions.find((each) => each.modules.has(module));
    if (!other) return [];
    const what = `the state has module "${module}" at version ${version}`;
    const plan = other.plan === undefined ? undefined : `the upgrade "${other.plan}"`;
    if (plan === undefined)
      return [`${what}, and an upgrade of this program has removed it: take the upgrade's removes back`];
    return [
      `${what}, and this program brings it with ${plan}, which was not applied: leave the module's stores out of that ` +
        `upgrade's storeUpgrades.added, and ${module}: 0n out of its from`,
    ];
  });
}

/** Modules that a genesis document brought as raw pairs, or that the program no longer lists. */
function unknownModules({ versions }: ProgramVersions, { modules }: StateFacts): string[] {
  const known = new Set(versions.flatMap((version) => [...version.modules.keys()]));
  const unknown = [...modules.keys()].filter((module) => !known.has(module));
  return unknown.map(
    (module) =>
      `the state has module "${module}", which this program does not have, so it does not run. If the program had it before, ` +
      `add it to modules again, or add an upgrade with from: { ${module}: ${modules.get(module)}n } and removes: ["${module}"]`,
  );
}
