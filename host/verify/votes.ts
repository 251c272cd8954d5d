/** Which of a commit's signatures count for a set of validators, and the fewest of them that carry enough power. */

import { UpgradeError } from "../base/errors/errors.js";
import { equalBytes, toHex } from "../base/text/bytes.js";
import { type Commit, FLAG_ABSENT, FLAG_COMMIT } from "../chain/comet-types/commit.js";
import type { Validator } from "../chain/comet-types/validator.js";
import type { ValidatorSet } from "../chain/comet-types/validator-set.js";

/** A signature for the block, by a validator whose key can be verified here. */
export interface CountedVote {
  /** Place in the commit. */
  readonly index: number;
  readonly key: Uint8Array;
  readonly power: bigint;
}

/** Why a commit does not hold: `details.reason` of the error. */
type CommitRefusal = "size" | "address" | "power" | "signature";

export function commitRefused(reason: CommitRefusal, what: string): UpgradeError {
  return new UpgradeError("UPG_PROOF_COMMIT", `the commit does not hold: ${what}`, { details: { reason } });
}

/**
 * Votes of the set that decided the block: one signature for each validator, in the order of the set.
 *
 * @throws UpgradeError UPG_PROOF_COMMIT
 */
export function votesOfOwnSet({ validators }: ValidatorSet, { signatures }: Commit): CountedVote[] {
  if (validators.length !== signatures.length) {
    throw commitRefused("size", `${signatures.length} signatures for ${validators.length} validators`);
  }
  return validators.flatMap((validator, index) => {
    const signature = signatures[index];
    if (!signature || signature.flag === FLAG_ABSENT) return [];
    if (!equalBytes(signature.validatorAddress, validator.address)) {
      throw commitRefused("address", `signature ${index} is of ${toHex(signature.validatorAddress)}`);
    }
    return signature.flag === FLAG_COMMIT ? counted(validator, index) : [];
  });
}

/** Votes by members of another set, found by their address; of several by one address the first counts. */
export function votesOfOtherSet({ validators }: ValidatorSet, { signatures }: Commit): CountedVote[] {
  const members = new Map(validators.map((validator) => [toHex(validator.address), validator]));
  return signatures.flatMap(({ flag, validatorAddress }, index) => {
    if (flag !== FLAG_COMMIT) return [];
    const address = toHex(validatorAddress);
    const validator = members.get(address);
    members.delete(address);
    return validator ? counted(validator, index) : [];
  });
}

/** secp256k1 is not known here: such a validator is part of the set's hash and total power, and its vote is not counted. */
function counted({ publicKey, power }: Validator, index: number): CountedVote[] {
  return publicKey.type === "ed25519" ? [{ index, key: publicKey.bytes, power }] : [];
}

/**
 * Votes that together have more than `numerator`/3 of `totalPower`: those of `first` that are among them, then the
 * greatest. Undefined when all together have not.
 */
export function enoughVotes(
  votes: readonly CountedVote[],
  totalPower: bigint,
  numerator: bigint,
  first: ReadonlySet<number> = new Set(),
): CountedVote[] | undefined {
  const rank = ({ index }: CountedVote) => (first.has(index) ? 0 : 1);
  const byPower = (a: CountedVote, b: CountedVote) =>
    a.power === b.power ? a.index - b.index : a.power > b.power ? -1 : 1;
  const sorted = [...votes].sort((a, b) => rank(a) - rank(b) || byPower(a, b));
  let power = 0n;
  for (const [at, vote] of sorted.entries()) {
    power += vote.power;
    if (3n * power > numerator * totalPower) return sorted.slice(0, at + 1);
  }
  return undefined;
}
