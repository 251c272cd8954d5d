/** The validators that a chain's state gives power to, and what a block changed of them. */

import { UpgradeError } from "../../base/errors/errors.js";
import { toHex } from "../../base/text/bytes.js";
import { TOTAL_POWER_MAX } from "../comet-types/validator-set.js";
import type { ValidatorUpdate } from "../comet-types/validator-updates.js";
import type { GenesisFacts } from "./genesis/genesis-facts.js";
import { callGiver } from "./hooks/hook-calls.js";
import type { Module, ReadableStores } from "./module.js";

/** The greatest power first. */
export type Validators = readonly ValidatorUpdate[];

/** Whom a module gives power; undefined: no module does. @throws UpgradeError UPG_INVALID_ARGUMENT naming the module */
export function readValidators(
  giver: Module | undefined,
  stores: ReadableStores,
  genesis: Pick<GenesisFacts, "stakingParams">,
): Validators | undefined {
  const given =
    giver && callGiver(`validators() of module "${giver.name}"`, stores, (own) => giver.validators?.(own, genesis));
  if (giver && given) requireValid(giver.name, given);
  return given;
}

/**
 * What breaks the rules of `Module.validators` would be one thing in updates and another where the whole list is read, so
 * that a node which was stopped would go on with other validators.
 * @throws UpgradeError UPG_INVALID_ARGUMENT naming the module
 */
function requireValid(module: string, given: Validators): void {
  const seen = new Set<string>();
  for (const each of given) {
    const key = keyOf(each);
    const { power } = each;
    if (typeof power !== "bigint" || power < 1n || power > TOTAL_POWER_MAX) {
      throw wrong(module, `gives ${key} the power ${power}: one has a bigint from 1 to ${TOTAL_POWER_MAX}`);
    }
    if (seen.has(key)) throw wrong(module, `gives power to ${key} twice`);
    seen.add(key);
  }
}

function wrong(module: string, what: string): UpgradeError {
  return new UpgradeError("UPG_INVALID_ARGUMENT", `validators() of module "${module}" ${what}`);
}

/** In the Cosmos SDK's order: new powers, greatest first, then those who have none left (0n). */
export function updatesBetween(before: Validators, after: Validators): ValidatorUpdate[] {
  if (before === after) return [];
  const powers = new Map(before.map((each) => [keyOf(each), each.power]));
  const changed = after.filter((each) => powers.get(keyOf(each)) !== each.power);
  const staying = new Set(after.map(keyOf));
  const gone = before.filter((each) => !staying.has(keyOf(each))).map(({ publicKey }) => ({ publicKey, power: 0n }));
  return [...changed, ...gone];
}

const keyOf = ({ publicKey: { type, bytes } }: ValidatorUpdate): string => `${type} ${toHex(bytes)}`;
