/** What `defineChain` refuses of an upgrade's members: names that no upgrade has, values of another type, a missing handler. */
import { UpgradeError } from "../../base/errors/errors.js";
import type { StoreUpgrades } from "../../base/types/types.js";
import type { Allowances } from "../../upgrade/handler/manifest/manifest-types.js";
import { requireFunction, requireMembers, requireTexts } from "../values/members.js";
import type { ChainOptions, ChainUpgrade } from "./chain.js";

const MEMBERS = Object.keys({
  ...{ plan: 1, from: 1, handler: 1, storeUpgrades: 1, removes: 1, allows: 1, isBounded: 1 },
} satisfies Record<keyof ChainUpgrade, 1>);

const STORE_UPGRADES = Object.keys({ added: 1, renamed: 1, deleted: 1 } satisfies Record<keyof StoreUpgrades, 1>);

const ALLOWANCES = Object.keys({
  ...{ deleteStores: 1, removeModules: 1, writeStores: 1, keepStores: 1, emptyVersionMap: 1 },
} satisfies Record<keyof Allowances, 1>);

/** @throws UpgradeError UPG_INVALID_ARGUMENT */
export function requireUpgradeShape(upgrade: ChainUpgrade, { handlers }: Pick<ChainOptions, "handlers">): void {
  const { plan, from = {}, handler, storeUpgrades = {}, removes, allows = {} } = upgrade;
  const owner = `defineChain: the plan "${plan}"`;
  requireMembers(upgrade, MEMBERS, owner, "an upgrade");
  for (const [name, value] of Object.entries({ from, storeUpgrades, allows }))
    requireObject(value, `${owner}: ${name}`);
  requireFunction(handler, `${owner}: handler`);
  if (handler === undefined && handlers === undefined) {
    throw wrong(
      `${owner} has no handler, so every node would stop at its height: add handler: migrate. Where a Wasm handler applies it, name ` +
        "the folder of the chain's Wasm handlers as handlers of defineChain",
    );
  }
  const { added, deleted, renamed } = storeUpgrades;
  requireMembers(storeUpgrades, STORE_UPGRADES, `${owner}: storeUpgrades`, "storeUpgrades");
  for (const [name, value] of Object.entries({ added, deleted }))
    requireTexts(value, `${owner}: storeUpgrades.${name}`);
  requireRenames(renamed, `${owner}: storeUpgrades.renamed`);
  requireTexts(removes, `${owner}: removes`);
  requireMembers(allows, ALLOWANCES, `${owner}: allows`, "allows");
  for (const [name, value] of Object.entries(allows)) {
    if (name !== "emptyVersionMap") requireTexts(value, `${owner}: allows.${name}`);
    else if (typeof value !== "boolean") throw wrong(`${owner}: allows.${name} is no boolean: true`);
  }
}

function requireObject(given: unknown, what: string): void {
  if (typeof given === "object" && given !== null && !Array.isArray(given)) return;
  throw wrong(`${what} is no object: { … }`);
}

function requireRenames(given: unknown, what: string): void {
  if (given === undefined) return;
  const isRename = (each: unknown) =>
    typeof each === "object" && each !== null && "oldKey" in each && "newKey" in each && Object.keys(each).length === 2;
  if (Array.isArray(given) && given.every(isRename)) return;
  throw wrong(`${what} is no list of renames: [{ oldKey: "old", newKey: "new" }]`);
}

function wrong(what: string): UpgradeError {
  return new UpgradeError("UPG_INVALID_ARGUMENT", what);
}
