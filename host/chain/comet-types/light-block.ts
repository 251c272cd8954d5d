/** A header with the commit that proves it and the validators who signed: what a light client fetches. */
import { equalBytes } from "../../base/text/bytes.js";
import type { Sha256 } from "../../base/types/types.js";
import { WireWriter } from "../../base/wire/wire.js";
import { Fields, rule } from "../../base/wire/wire-fields.js";
import { type Commit, decodeCommit, encodeCommit, validateCommit } from "./commit.js";
import { decodeHeader, encodeHeader, type Header, headerHash, validateHeader } from "./header.js";
import {
  decodeValidatorSet,
  encodeValidatorSet,
  type ValidatorSet,
  validateValidatorSet,
  validatorSetHash,
} from "./validator-set.js";

interface SignedHeader {
  readonly header: Header;
  readonly commit: Commit;
}

export interface LightBlock {
  readonly signedHeader: SignedHeader;
  readonly validators: ValidatorSet;
}

/** `tendermint.types.SignedHeader` */
function encodeSignedHeader({ header, commit }: SignedHeader): Uint8Array {
  return new WireWriter().message(1, encodeHeader(header)).message(2, encodeCommit(commit)).finish();
}

/** @throws UpgradeError UPG_INVALID_ARGUMENT */
function decodeSignedHeader(bytes: Uint8Array): SignedHeader {
  const fields = new Fields(bytes, "SignedHeader", ["bytes", "bytes"]);
  return { header: decodeHeader(fields.required(1)), commit: decodeCommit(fields.required(2)) };
}

/** `tendermint.types.LightBlock` */
export function encodeLightBlock({ signedHeader, validators }: LightBlock): Uint8Array {
  const writer = new WireWriter().message(1, encodeSignedHeader(signedHeader));
  return writer.message(2, encodeValidatorSet(validators)).finish();
}

/** @throws UpgradeError UPG_INVALID_ARGUMENT */
export function decodeLightBlock(bytes: Uint8Array): LightBlock {
  const fields = new Fields(bytes, "LightBlock", ["bytes", "bytes"]);
  return {
    signedHeader: decodeSignedHeader(fields.required(1)),
    validators: decodeValidatorSet(fields.required(2)),
  };
}

/**
 * Header, commit and validators each by their rules, and that they belong together. Whether the signatures hold is
 * for `verifyCommit`.
 *
 * @throws UpgradeError UPG_INVALID_ARGUMENT
 */
export function validateLightBlock(sha256: Sha256, { signedHeader, validators }: LightBlock): void {
  const { header, commit } = signedHeader;
  validateHeader(header);
  validateCommit(commit);
  rule(commit.height === header.height, "light block: header and commit are of different heights");
  rule(equalBytes(commit.blockId.hash, headerHash(sha256, header)), "light block: the commit is for another header");
  validateValidatorSet(sha256, validators);
  const isSet = equalBytes(header.validatorsHash, validatorSetHash(sha256, validators));
  rule(isSet, "light block: the header names another validator set");
}
