/**
 * What `defineChain` refuses of a module's members: names that no module has, and functions that would stop every node later.
 * Programs without types can write anything.
 */
import { UpgradeError } from "../errors.js";
import { nearest } from "../text.js";
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

/** Called for every block or upgrade; a promise that one returns is never waited for. */
const HOOKS = ["beginBlock", "endBlock", "nextEndTime", "validators", "consensusParams", "probe", "ante"] as const;

/** @throws UpgradeError UPG_INVALID_ARGUMENT */
export function requireShape(module: Module): void {
  const { name } = module;
  for (const member of Object.keys(module)) {
    if (MEMBERS.includes(member)) continue;
    const near = MEMBERS.find((each) => each.toLowerCase() === member.toLowerCase()) ?? nearest(member, MEMBERS);
    const hint = near === undefined ? `a module has ${MEMBERS.join(", ")}` : `did you mean "${near}"?`;
    throw wrong(`module "${name}" has a member "${member}", which nothing would call or read: ${hint}`);
  }
  for (const hook of HOOKS) requireFunction(name, hook, module[hook]);
  for (const [from, step] of Object.entries(module.migrations ?? {})) {
    requireFunction(name, `migrations[${from}]`, step);
    const isStep = /^[1-9][0-9]*$/.test(from) && BigInt(from) < module.consensusVersion;
    if (isStep) continue;
    throw wrong(
      `module "${name}" has a migration from version "${from}": each leads to the version after it, so these are 1 to ` +
        `${module.consensusVersion - 1n} where consensusVersion is ${module.consensusVersion}`,
    );
  }
  for (const [at, invariant] of (module.invariants ?? []).entries()) {
    requireFunction(name, `invariants[${at}].check`, invariant?.check);
  }
}

function requireFunction(module: string, what: string, given: unknown): void {
  if (given === undefined) return;
  if (typeof given !== "function") throw wrong(`module "${module}": ${what} is no function, it is ${typeof given}`);
  if (!/^Async/.test(given.constructor.name)) return;
  throw wrong(`module "${module}": ${what} is async. A block is synchronous: remove async and await`);
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

/** The module that takes fees works with others, in each block. */
export function requireForAnte(modules: readonly Module[]): void {
  const brings = modules.find(({ ante }) => ante);
  const missing = brings?.dependsOn?.find((name) => modules.every((module) => module.name !== name));
  if (!brings || missing === undefined) return;
  throw wrong(`module "${brings.name}" takes fees and needs the module "${missing}": add it to modules`);
}

function wrong(what: string): UpgradeError {
  return new UpgradeError("UPG_INVALID_ARGUMENT", `defineChain: ${what}`);
}
