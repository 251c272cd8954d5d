/** Whether a commit decides a block: more than two thirds of the voting power signed it. */

import { UpgradeError } from "../../base/errors/errors.js";
import { equalBytes, toHex } from "../../base/text/bytes.js";
import type { Height } from "../../base/types/types.js";
import { type BlockId, blockIdText, equalBlockIds } from "./block-id.js";
import { type Commit, type CommitSig, commitSignBytes, FLAG_ABSENT, FLAG_COMMIT, validateCommit } from "./commit.js";
import { type VerifySignature, verifySignature } from "./keys.js";
import type { Validator } from "./validator.js";
import type { ValidatorSet } from "./validator-set.js";

/** Why a commit was refused: `details.reason` of the error. */
type CommitRefusal = "size" | "height" | "block" | "address" | "power" | "signature";

/**
 * CometBFT's rule for full verification: one signature per validator in the order of the set; absent ones are passed
 * over, votes for nil must be genuine but do not count, and votes for the block must be more than two thirds of the
 * total power. All signatures are verified, not only as many as are needed.
 *
 * The set must be the one that the header at `height` names (`validatorSetHash`); that is for the caller to check.
 *
 * @throws UpgradeError UPG_INVALID_ARGUMENT for a commit that breaks `validateCommit`; UPG_PROOF_COMMIT with
 * `details.reason`, a {@link CommitRefusal}.
 */
export function verifyCommit(
  set: ValidatorSet,
  chainId: string,
  blockId: BlockId,
  height: Height,
  commit: Commit,
  verify: VerifySignature = verifySignature,
): void {
  const { validators } = set;
  validateCommit(commit);
  if (validators.length !== commit.signatures.length) {
    throw refused("size", `${commit.signatures.length} signatures for ${validators.length} validators`);
  }
  if (commit.height !== height) throw refused("height", `it is for height ${commit.height}, not ${height}`);
  if (!equalBlockIds(commit.blockId, blockId)) {
    throw refused("block", `it is for block ${blockIdText(commit.blockId)}, not ${blockIdText(blockId)}`);
  }
  checkPower(set, commit);
  for (const [index, signature] of commit.signatures.entries()) {
    if (signature.flag === FLAG_ABSENT) continue;
    const { publicKey, address } = validators[index] as Validator;
    if (!verify(publicKey, commitSignBytes(chainId, commit, signature), signature.signature)) {
      throw refused("signature", `signature ${index}, of ${toHex(address)}, is not genuine`);
    }
  }
}

/** Addresses and power cost nothing, so they are looked at before the first signature is verified. */
function checkPower({ validators, totalPower }: ValidatorSet, commit: Commit): void {
  let power = 0n;
  for (const [index, validator] of validators.entries()) {
    const signature = commit.signatures[index] as CommitSig;
    if (signature.flag === FLAG_ABSENT) continue;
    if (!equalBytes(validator.address, signature.validatorAddress)) {
      throw refused("address", `signature ${index} is of ${toHex(signature.validatorAddress)}`);
    }
    if (signature.flag === FLAG_COMMIT) power += validator.power;
  }
  if (power * 3n <= totalPower * 2n) {
    throw refused("power", `power ${power} of ${totalPower} is not more than two thirds`);
  }
}

function refused(reason: CommitRefusal, message: string): UpgradeError {
  return new UpgradeError("UPG_PROOF_COMMIT", `the commit does not hold: ${message}`, { details: { reason } });
}
