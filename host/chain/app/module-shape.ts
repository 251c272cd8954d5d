/**
 * What `defineChain` refuses of a module's members: names that no module has, and functions that would stop every node later.
 * Programs without types can write anything.
 */
import { UpgradeError } from "../../base/errors/errors.js";
import { unknownName } from "../../base/text/text.js";
import { requireFunction, requireMembers, requireTexts } from "../values/members.js";
import type { ModuleGenesis } from "./genesis/module-genesis.js";
import type { Module } from "./module.js";

const MEMBERS = Object.keys({
  ...{
    name: 1,
    consensusVersion: 1,
    stores: 1,
    dependsOn: 1,
    messages: 1,
    queries: 1,
    files: 1,
    account: 1,
    genesis: 1,
    isBounded: 1,
  },
  ...{ beginBlock: 1, endBlock: 1, nextEndTime: 1, validators: 1, consensusParams: 1 },
  ...{ migrations: 1, invariants: 1, probe: 1, ante: 1 },
} satisfies Record<keyof Module, 1>);

const GENESIS = Object.keys({
  ...{ parts: 1, default: 1, read: 1, lists: 1, missing: 1, counts: 1, init: 1, accountAdded: 1, export: 1 },
} satisfies Record<keyof ModuleGenesis, 1>);

/** Called for every block or upgrade; a promise that one returns is never waited for. */
const HOOKS = ["beginBlock", "endBlock", "nextEndTime", "validators", "consensusParams", "probe", "ante"] as const;

/** @throws UpgradeError UPG_INVALID_ARGUMENT */
export function requireShape(module: Module): void {
  const { name } = module;
  const owner = `defineChain: module "${name}"`;
  requireMembers(module, MEMBERS, owner, "a module");
  requireAccount(module.account, owner);
  for (const list of ["stores", "dependsOn"] as const) requireTexts(module[list], `${owner}: ${list}`);
  for (const hook of HOOKS) requireFunction(module[hook], `${owner}: ${hook}`);
  for (const [from, step] of Object.entries(module.migrations ?? {})) {
    requireFunction(step, `${owner}: migrations[${from}]`);
    const isStep = /^[1-9][0-9]*$/.test(from) && BigInt(from) < module.consensusVersion;
    if (isStep) continue;
    throw wrong(
      `module "${name}" has a migration from version "${from}": each leads to the version after it, so these are 1 to ` +
        `${module.consensusVersion - 1n} where consensusVersion is ${module.consensusVersion}`,
    );
  }
  for (const [at, invariant] of (module.invariants ?? []).entries()) {
    requireFunction(invariant?.check, `${owner}: invariants[${at}].check`);
  }
  if (module.genesis) requireMembers(module.genesis, GENESIS, `${owner}: genesis`, "genesis");
}

/** Permissions of a module's account. The bank checks the first two; the Cosmos SDK gives the third to pools of stake. */
const PERMISSIONS = ["minter", "burner", "staking"];

function requireAccount(account: Module["account"], owner: string): void {
  if (account === undefined) return;
  const { permissions } = account ?? {};
  if (!Array.isArray(permissions))
    throw refuse(`${owner}: account has no list of permissions: account: { permissions: [] }`);
  requireMembers(account, ["permissions"], `${owner}: account`, "an account");
  for (const permission of permissions) {
    if (PERMISSIONS.includes(permission)) continue;
    throw refuse(
      `${owner}: there is no permission ${JSON.stringify(permission)}${unknownName(String(permission), PERMISSIONS)}`,
    );
  }
}

/** A plan whose handler is `migrate` runs each step from a module's version before it to the one after it. */
export function requireSteps(plan: string, { name, migrations = {} }: Module, from: bigint, to: bigint): void {
  for (let version = from; version < to; version++) {
    if (Object.hasOwn(migrations, String(version))) continue;
    throw wrong(
      `the plan "${plan}" takes module "${name}" from version ${from} to ${to}, and its migrations have no step ${version}: the ` +
        `chain would stop at the plan's height. Add migrations: { ${version}: (context) => … }`,
    );
  }
}

/** Without the version before it, `migrate` runs no step: the steps would run in an earlier plan, where no node has run them. */
export function nothingToMigrate(plan: string, modules: readonly Module[]): UpgradeError {
  const migrated = modules.find(({ migrations = {} }) => Object.keys(migrations).length > 0);
  const from = migrated ? `{ ${migrated.name}: ${migrated.consensusVersion - 1n}n }` : "{ module: 1n }";
  return wrong(
    `the plan "${plan}" has the handler migrate, and no module has another version before it: name the version that the plan ` +
      `begins from, such as from: ${from}. A plan that changes code alone has handler: (_context, _plan, versions) => versions`,
  );
}

/**
 * A misspelt dependency would leave the module that was meant without its protection.
 * @param gone modules that the chain had before one of its upgrades
 */
export function requireDependencies(modules: readonly Module[], gone: readonly string[]): void {
  const names = modules.map(({ name }) => name);
  for (const { name, dependsOn = [] } of modules) {
    const unknown = dependsOn.find((each) => !names.includes(each) && !gone.includes(each));
    if (unknown === undefined) continue;
    throw wrong(
      `module "${name}" depends on "${unknown}", and the chain has no such module: correct the name in dependsOn, or add the ` +
        `module to modules${unknownName(unknown, names)}`,
    );
  }
}

/** The module that takes fees works with others, in each block. */
export function requireForAnte(modules: readonly Module[]): void {
  const brings = modules.find(({ ante }) => ante);
  const missing = brings?.dependsOn?.find((name) => modules.every((module) => module.name !== name));
  if (!brings || missing === undefined) return;
  throw wrong(`module "${brings.name}" takes fees and needs the module "${missing}": add it to modules`);
}

function wrong(what: string): UpgradeError {
  return refuse(`defineChain: ${what}`);
}

function refuse(what: string): UpgradeError {
  return new UpgradeError("UPG_INVALID_ARGUMENT", what);
}
