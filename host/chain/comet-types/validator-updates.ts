/** How validator sets begin and change: CometBFT's rules for genesis and for the updates of an application. */

import { UpgradeError } from "../../base/errors/errors.js";
import { compareBytes, toHex } from "../../base/text/bytes.js";
import type { Sha256 } from "../../base/types/types.js";
import type { PublicKey } from "./keys.js";
import { normalizePriorities } from "./priorities.js";
import { newValidator, type Validator } from "./validator.js";
import {
  compareValidators,
  EMPTY_VALIDATOR_SET,
  rotateProposer,
  TOTAL_POWER_MAX,
  type ValidatorSet,
  withPriorities,
} from "./validator-set.js";

/** The power a key shall have from now on; 0 removes it. */
export interface ValidatorUpdate {
  readonly publicKey: PublicKey;
  readonly power: bigint;
}

/** Why updates were refused: `details.reason` of the error. */
export type UpdateRefusal = "duplicate" | "negative" | "too-much" | "zero" | "empty" | "unknown";

/**
 * A first set, its proposer chosen. No updates give the empty set.
 *
 * @throws UpgradeError UPG_INVALID_ARGUMENT with `details.reason`, an {@link UpdateRefusal}
 */
export function createValidatorSet(sha256: Sha256, validators: readonly ValidatorUpdate[]): ValidatorSet {
  const removed = validators.find(({ power }) => power === 0n);
  const changes = sortedChanges(sha256, validators);
  if (removed) throw refused("zero", "a first validator set cannot remove anybody: a power is 0");
  if (validators.length === 0) return EMPTY_VALIDATOR_SET;
  return rotateProposer(apply(EMPTY_VALIDATOR_SET, changes));
}

/**
 * Applies all updates or none. Newcomers start with a low priority (−1.125 times the total power before removals), so that
 * leaving and coming back wins nothing; others keep their priority. The proposer stays until the next rotation.
 *
 * @throws UpgradeError UPG_INVALID_ARGUMENT with `details.reason`, an {@link UpdateRefusal}
 */
export function updateValidatorSet(
  sha256: Sha256,
  set: ValidatorSet,
  updates: readonly ValidatorUpdate[],
): ValidatorSet {
  return updates.length === 0 ? set : apply(set, sortedChanges(sha256, updates));
}

/** By address, each address once, each power in range. */
function sortedChanges(sha256: Sha256, updates: readonly ValidatorUpdate[]): Validator[] {
  const changes = updates.map(({ publicKey, power }) => newValidator(sha256, publicKey, power));
  changes.sort((a, b) => compareBytes(a.address, b.address));
  changes.forEach(({ address, power }, index) => {
    const before = changes[index - 1];
    if (before && compareBytes(before.address, address) === 0) {
      throw refused("duplicate", `validator ${toHex(address)} is given twice`);
    }
    if (power < 0n) throw refused("negative", `voting power of ${toHex(address)} is negative: ${power}`);
    if (power > TOTAL_POWER_MAX) throw tooMuch(power);
  });
  return changes;
}

function apply(set: ValidatorSet, changes: readonly Validator[]): ValidatorSet {
  const members = new Map(set.validators.map((validator) => [toHex(validator.address), validator]));
  const updated = new Map<string, Validator>();
  const removed = new Set<string>();
  let joining = 0;
  let totalPower = set.totalPower;
  let removedPower = 0n;
  for (const change of changes) {
    const key = toHex(change.address);
    const member = members.get(key);
    totalPower += change.power - (member?.power ?? 0n);
    if (change.power > 0n) {
      updated.set(key, change);
      if (!member) joining++;
    } else {
      removed.add(key);
      removedPower += member?.power ?? 0n;
    }
  }
  if (joining === 0 && removed.size === members.size) throw refused("empty", "nobody would be left to validate");
  for (const key of removed) {
    if (!members.has(key)) throw refused("unknown", `validator ${key} cannot be removed: it is not in the set`);
  }
  if (totalPower > TOTAL_POWER_MAX) throw tooMuch(totalPower);
  const start = newcomersPriority(totalPower + removedPower);
  const validators = set.validators.filter(({ address }) => {
    const key = toHex(address);
    return !removed.has(key) && !updated.has(key);
  });
  for (const [key, change] of updated) validators.push({ ...change, priority: members.get(key)?.priority ?? start });
  return { validators: settled(validators, totalPower), proposer: set.proposer, totalPower };
}

function newcomersPriority(powerBeforeRemovals: bigint): bigint {
  return -(powerBeforeRemovals + (powerBeforeRemovals >> 3n));
}

/** Priorities normalized, in the order of a set. */
function settled(validators: readonly Validator[], totalPower: bigint): Validator[] {
  const priorities = validators.map(({ priority }) => priority);
  normalizePriorities(priorities, totalPower);
  return withPriorities(validators, priorities).sort(compareValidators);
}

function tooMuch(power: bigint): UpgradeError {
  return refused("too-much", `voting power ${power} exceeds ${TOTAL_POWER_MAX}`);
}

function refused(reason: UpdateRefusal, message: string): UpgradeError {
  return new UpgradeError("UPG_INVALID_ARGUMENT", message, { details: { reason } });
}
