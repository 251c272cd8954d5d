/** A light block whose parts obey their rules and belong together, of any origin: only its signatures are open then. */

import { UpgradeError } from "../base/errors/errors.js";
import { ADDRESS_BYTES, equalBytes, toHex } from "../base/text/bytes.js";
import { hasOwn } from "../base/text/checked-index.js";
import { visible } from "../base/text/visible.js";
import type { Sha256 } from "../base/types/types.js";
import { rule } from "../base/wire/wire-fields.js";
import { validateCommit } from "../chain/comet-types/commit.js";
import { headerHash, validateHeader } from "../chain/comet-types/header.js";
import type { LightBlock } from "../chain/comet-types/light-block.js";
import { checkPublicKey, PUBLIC_KEY_BYTES } from "../chain/comet-types/public-key.js";
import type { Validator } from "../chain/comet-types/validator.js";
import { totalPowerOf, type ValidatorSet, validatorSetHash } from "../chain/comet-types/validator-set.js";
import { formed, LIGHT_BLOCK } from "./form.js";
import { asProof, malformed } from "./json.js";

/** Why a header is refused: `details.reason` of UPG_PROOF_HEADER. */
type HeaderRefusal = "chain" | "commit" | "validators" | "height" | "time" | "future";

export function headerRefused(reason: HeaderRefusal, what: string): UpgradeError {
  return new UpgradeError("UPG_PROOF_HEADER", what, { details: { reason } });
}

/**
 * A copy of the block, all of whose members were checked.
 *
 * @param chainId undefined: of any chain
 * @throws UpgradeError UPG_PROOF_MALFORMED, UPG_PROOF_HEADER
 */
export function checkedLightBlock(value: unknown, chainId: string | undefined, sha256: Sha256): LightBlock {
  const { signedHeader, validators } = formed<LightBlock>(value, LIGHT_BLOCK, "light block", malformed);
  const { header, commit } = signedHeader;
  asProof(() => {
    validateHeader(header);
    validateCommit(commit);
    checkSet(validators, sha256);
  });
  const at = `header ${header.height}`;
  if (chainId !== undefined && header.chainId !== chainId)
    throw headerRefused("chain", `${at} is of chain "${visible(header.chainId)}", not "${visible(chainId)}"`);
  const isOfCommit = commit.height === header.height && equalBytes(commit.blockId.hash, headerHash(sha256, header));
  if (!isOfCommit) throw headerRefused("commit", `${at}: the commit is for another header`);
  const addresses = new Set(validators.validators.map(({ address }) => toHex(address)));
  if (addresses.size !== validators.validators.length) throw headerRefused("validators", `${at}: a validator twice`);
  if (!equalBytes(header.validatorsHash, validatorSetHash(sha256, validators))) {
    throw headerRefused("validators", `${at}: its validators are others`);
  }
  return { signedHeader, validators: { ...validators, proposer: undefined } };
}

/** The set's hash is over keys and powers alone: addresses and the sum of powers have to be held against them. */
function checkSet({ validators, totalPower }: ValidatorSet, sha256: Sha256): void {
  for (const validator of validators) checkValidator(validator, sha256);
  rule(totalPowerOf(validators) === totalPower, `total voting power ${totalPower} is not the sum of the powers`);
}

/** @throws UpgradeError UPG_INVALID_ARGUMENT */
export function checkValidator({ address, publicKey, power }: Validator, sha256: Sha256): void {
  rule(hasOwn(PUBLIC_KEY_BYTES, publicKey.type), "a key of a type that is neither ed25519 nor secp256k1");
  checkPublicKey(publicKey);
  rule(power >= 0n, "a negative voting power");
  rule(address.length === ADDRESS_BYTES, "an address has 20 bytes");
  // The address of another type of key is not made here: its signatures do not count, so nothing rests on it.
  const isOwn = publicKey.type !== "ed25519" || equalBytes(address, sha256(publicKey.bytes).subarray(0, ADDRESS_BYTES));
  rule(isOwn, "the address is of another key");
}
