/** The signatures of a transaction that several accounts sign, put in one by one, in any order. */

import { create, toBinary } from "@bufbuild/protobuf";
import { messageOf, UpgradeError } from "../../../base/errors/errors.js";
import {
  AuthInfoSchema,
  type SignerInfo,
  type Tx,
  TxBodySchema,
  TxRawSchema,
  TxSchema,
} from "../../../base/gen/cosmos/tx/v1beta1/tx_pb.js";
import { sha256 } from "../../../base/native/sha256.js";
import { usage } from "../../../base/terminal/usage.js";
import type { Chain } from "../../../chain/app/chain.js";
import { decodeTx } from "../../../chain/app/tx/decode.js";
import { keyAddress, readKey } from "../../../chain/values/account-key.js";

export interface Signature {
  /** Of the account that signs. */
  readonly address: string;
  readonly info: SignerInfo;
  readonly signature: Uint8Array;
}

/** Addresses of the accounts that must sign, in order: those of the messages, then the fee's payer. @throws UpgradeError UPG_INVALID_TX */
export function signersOf(chain: Chain, tx: Tx): string[] {
  const { router, addresses } = chain;
  try {
    return decodeTx(rawBytes(tx), { router, addresses }).signers.map(addresses.encode);
  } catch (cause) {
    throw new UpgradeError("UPG_INVALID_TX", `not a transaction of this chain: ${messageOf(cause)}`, { cause });
  }
}

/**
 * The transaction with more signatures, each at its signer's place; an earlier one of the same account is replaced.
 *
 * @throws UpgradeError UPG_INVALID_ARGUMENT when an account does not sign it; UPG_INVALID_TX
 */
export function withSignatures(chain: Chain, tx: Tx, given: readonly Signature[]): Tx {
  const signers = signersOf(chain, tx);
  for (const { address } of given) requireSigner(signers, address);
  const all = new Map([...signaturesOf(chain, tx), ...given].map((each) => [each.address, each]));
  const list = signers.flatMap((address) => all.get(address) ?? []);
  const { authInfo } = tx;
  return create(TxSchema, {
    ...tx,
    authInfo: create(AuthInfoSchema, { ...authInfo, signerInfos: list.map(({ info }) => info) }),
    signatures: list.map(({ signature }) => signature),
  });
}

/** @throws UpgradeError UPG_INVALID_ARGUMENT */
export function requireSigner(signers: readonly string[], address: string): void {
  if (signers.includes(address)) return;
  throw usage(`${address} does not sign this transaction: its signers are ${signers.join(", ") || "none"}`);
}

/** Those that it has; one without a key, whose account is not known, is left out. */
function signaturesOf(chain: Chain, { authInfo, signatures }: Tx): Signature[] {
  return (authInfo?.signerInfos ?? []).flatMap((info, index) => {
    const address = addressIn(chain, info);
    return address === undefined ? [] : [{ address, info, signature: signatures[index] ?? new Uint8Array() }];
  });
}

function addressIn(chain: Chain, { publicKey }: SignerInfo): string | undefined {
  try {
    const key = publicKey && readKey(publicKey);
    return key && chain.addresses.encode(keyAddress(sha256, key));
  } catch (cause) {
    throw new UpgradeError("UPG_INVALID_TX", `the key of a signer cannot be read: ${messageOf(cause)}`, { cause });
  }
}

/** The bytes that are sent. */
export function rawBytes(tx: Tx): Uint8Array {
  return toBinary(TxRawSchema, create(TxRawSchema, { ...txParts(tx), signatures: tx.signatures }));
}

/** Body and signers, as they are signed. */
export function txParts({ body, authInfo }: Tx) {
  return {
    bodyBytes: toBinary(TxBodySchema, body ?? create(TxBodySchema)),
    authInfoBytes: toBinary(AuthInfoSchema, authInfo ?? create(AuthInfoSchema)),
  };
}
