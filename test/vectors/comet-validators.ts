/** Checks of validator sets: order, hash, rotation, updates and refusals. */

import { isUpgradeError } from "../../host/base/errors/errors.js";
import { toHex } from "../../host/base/text/bytes.js";
import {
  decodeValidatorSet,
  encodeValidatorSet,
  rotateProposer,
  type ValidatorSet,
  validateValidatorSet,
  validatorSetHash,
} from "../../host/chain/comet-types/validator-set.js";
import {
  createValidatorSet,
  type UpdateRefusal,
  updateValidatorSet,
} from "../../host/chain/comet-types/validator-updates.js";
import { expectFields, sha256, updatesFrom } from "./comet-input.js";
import { expectBytes, expectEqual, type VectorCase } from "./harness.js";
import { textOf } from "./short-forms.js";

/** The source's messages, by our reasons. */
const SENTENCES: readonly (readonly [RegExp, UpdateRefusal])[] = [
  [/total voting power of resulting valset exceeds max 1152921504606846975$/, "too-much"],
  [/cannot process validators with voting power 0/, "zero"],
  [/voting power can't be negative: -1$/, "negative"],
  [/duplicate entry/, "duplicate"],
  [/^failed to find validator [0-9A-F]{40} to remove$/, "unknown"],
  [/^applying the validator changes would result in empty set$/, "empty"],
];

export function checkValidators(vector: VectorCase): void {
  if ("error" in vector) {
    expectFields(vector, "error input kind label");
    expectRefusal(() => createValidatorSet(sha256, updatesFrom(vector["input"])), textOf(vector["error"]), "input");
    return;
  }
  const optional = "proposer" in vector ? ["proposer"] : [];
  expectFields(vector, "hash input kind label set steps total_power", ...optional);
  let set = createValidatorSet(sha256, updatesFrom(vector["input"]));
  expectBytes(validatorSetHash(sha256, set), vector["hash"], "hash");
  expectEqual(set.totalPower, vector["total_power"], "total power");
  expectEqual(proposerOf(set), vector["proposer"], "proposer");
  expectEqual(printed(set), vector["set"], "set");
  if (set.proposer) {
    validateValidatorSet(sha256, set);
    expectEqual(printed(decodeValidatorSet(encodeValidatorSet(set))), vector["set"], "set, encoded and decoded");
  }
  (vector["steps"] as VectorCase[]).forEach((step, index) => {
    set = checkStep(set, step, `step ${index}`);
  });
}

function checkStep(before: ValidatorSet, step: VectorCase, what: string): ValidatorSet {
  let set = before;
  if ("changes" in step) {
    const changes = updatesFrom(step["changes"]);
    if ("error" in step) {
      expectFields(step, "changes error");
      expectRefusal(() => updateValidatorSet(sha256, before, changes), textOf(step["error"]), what);
      return before;
    }
    expectFields(step, "changes hash priorities proposer total_power");
    set = updateValidatorSet(sha256, set, changes);
    expectBytes(validatorSetHash(sha256, set), step["hash"], `${what}: hash`);
    expectEqual(set.totalPower, step["total_power"], `${what}: total power`);
  } else expectFields(step, "priorities proposer");
  set = rotateProposer(set);
  const priorities = set.validators.map(({ address, priority }) => [toHex(address).slice(0, 8), priority]);
  expectEqual(priorities, step["priorities"], `${what}: priorities`);
  expectEqual(proposerOf(set), step["proposer"], `${what}: proposer`);
  return set;
}

function proposerOf(set: ValidatorSet): string | undefined {
  return set.proposer && toHex(set.proposer.address);
}

function printed(set: ValidatorSet): VectorCase[] {
  return set.validators.map(({ address, power, priority, publicKey }) => ({
    address: toHex(address),
    power,
    priority,
    pub_key: toHex(publicKey.bytes),
    type: publicKey.type,
  }));
}

function expectRefusal(act: () => unknown, sentence: string, what: string): void {
  const reason = SENTENCES.find(([pattern]) => pattern.test(sentence))?.[1];
  if (!reason) throw new Error(`${what}: unknown sentence "${sentence}"`);
  try {
    act();
  } catch (error) {
    if (!isUpgradeError(error)) throw error;
    expectEqual([error.code, error.details["reason"]], ["UPG_INVALID_ARGUMENT", reason], what);
    return;
  }
  throw new Error(`${what}: accepted, and should be refused as ${reason}`);
}
