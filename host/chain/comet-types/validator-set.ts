/**
 * Validator sets: order, hash, and the rotation of proposers. Sets are values; rotating or updating gives a new one.
 */
import { compareBytes, equalBytes, toHex } from "../../base/text/bytes.js";
import { INT64_MAX } from "../../base/types/limits.js";
import type { Sha256 } from "../../base/types/types.js";
import { WireWriter } from "../../base/wire/wire.js";
import { Fields, invalid, rule } from "../../base/wire/wire-fields.js";
import { merkleRoot } from "../../state/commitment/merkle.js";
import { addressOf } from "./keys.js";
import { clipInt64, normalizePriorities } from "./priorities.js";
import { decodeValidator, encodeValidator, type Validator, validatorLeaf } from "./validator.js";

/** Sums of powers stay so far below int64's end that the rotation never clips. */
export const TOTAL_POWER_MAX = INT64_MAX / 8n;

export interface ValidatorSet {
  /** Greatest power first; equal powers by address. */
  readonly validators: readonly Validator[];
  /** Whose turn it is, as it was when it was chosen; an update leaves it alone until the next rotation. */
  readonly proposer: Validator | undefined;
  readonly totalPower: bigint;
}

export const EMPTY_VALIDATOR_SET: ValidatorSet = Object.freeze({
  validators: Object.freeze([]),
  proposer: undefined,
  totalPower: 0n,
});

/** Merkle root over keys and powers, in the order of the set: a header's `validatorsHash`. */
export function validatorSetHash(sha256: Sha256, set: ValidatorSet): Uint8Array {
  return merkleRoot(sha256, set.validators.map(validatorLeaf));
}

/** Order of a set. */
export function compareValidators(a: Validator, b: Validator): number {
  return a.power === b.power ? compareBytes(a.address, b.address) : a.power > b.power ? -1 : 1;
}

/**
 * Chooses the next proposer, `times` rounds on: in each round everybody's priority grows by its own power, and the one that
 * then has the greatest (of equals, the lower address) proposes and pays the total power.
 *
 * @throws UpgradeError UPG_INVALID_ARGUMENT when the set is empty or `times` is not a positive integer.
 */
export function rotateProposer(set: ValidatorSet, times = 1): ValidatorSet {
  rule(set.validators.length > 0, "an empty validator set has no proposer");
  rule(Number.isSafeInteger(times) && times > 0, `a rotation goes a positive number of rounds, got ${times}`);
  const priorities = set.validators.map((validator) => validator.priority);
  normalizePriorities(priorities, set.totalPower);
  let chosen = 0;
  for (let round = 0; round < times; round++) chosen = advance(set, priorities);
  const validators = withPriorities(set.validators, priorities);
  return { validators, proposer: validators[chosen], totalPower: set.totalPower };
}

/** One round; returns the index of the proposer. */
function advance({ validators, totalPower }: ValidatorSet, priorities: bigint[]): number {
  let chosen = 0;
  for (const [index, validator] of validators.entries()) {
    const priority = clipInt64((priorities[index] as bigint) + validator.power);
    priorities[index] = priority;
    const greatest = priorities[chosen] as bigint;
    const first = validators[chosen] as Validator;
    const isLower = priority === greatest && compareBytes(validator.address, first.address) < 0;
    if (priority > greatest || isLower) chosen = index;
  }
  priorities[chosen] = clipInt64((priorities[chosen] as bigint) - totalPower);
  return chosen;
}

export function withPriorities(validators: readonly Validator[], priorities: readonly bigint[]): Validator[] {
  return validators.map((validator, index) => ({ ...validator, priority: priorities[index] as bigint }));
}

/** `tendermint.types.ValidatorSet`; the total is left out, as readers must not trust it. */
export function encodeValidatorSet(set: ValidatorSet): Uint8Array {
  const writer = new WireWriter();
  for (const validator of set.validators) writer.message(1, encodeValidator(validator));
  if (set.proposer) writer.message(2, encodeValidator(set.proposer));
  return writer.finish();
}

/** The form and the sum of powers; {@link validateValidatorSet} has the rules. @throws UpgradeError UPG_INVALID_ARGUMENT */
export function decodeValidatorSet(bytes: Uint8Array): ValidatorSet {
  const fields = new Fields(bytes, "ValidatorSet", ["list", "bytes", "varint"]);
  const validators = fields.list(1).map(decodeValidator);
  const proposer = fields.has(2) ? decodeValidator(fields.bytes(2)) : undefined;
  return { validators, proposer, totalPower: totalPowerOf(validators) };
}

/** What every set from outside must obey. @throws UpgradeError UPG_INVALID_ARGUMENT */
export function validateValidatorSet(sha256: Sha256, set: ValidatorSet): void {
  const { proposer } = set;
  if (!proposer) throw invalid("validator set: it is empty or has no proposer");
  for (const validator of [...set.validators, proposer]) {
    const address = toHex(validator.address);
    rule(validator.power >= 0n, `validator set: power of ${address} is negative`);
    rule(
      equalBytes(addressOf(sha256, validator.publicKey), validator.address),
      `validator set: ${address} has another key`,
    );
  }
  const isMember = set.validators.some((validator) => equalBytes(validator.address, proposer.address));
  rule(isMember, "validator set: the proposer is not a member");
}

/** @throws UpgradeError UPG_INVALID_ARGUMENT above TOTAL_POWER_MAX. */
export function totalPowerOf(validators: readonly Validator[]): bigint {
  let total = 0n;
  for (const { power } of validators) total += power;
  rule(total <= TOTAL_POWER_MAX, `total voting power ${total} exceeds ${TOTAL_POWER_MAX}`);
  return total;
}
