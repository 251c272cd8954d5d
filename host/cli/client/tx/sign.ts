/** Transactions and their signatures: bodies, fees, what each signer signs. */

import { create, toBinary } from "@bufbuild/protobuf";
import type { Any, Timestamp } from "@bufbuild/protobuf/wkt";
import { SignMode } from "../../../base/gen/cosmos/tx/signing/v1beta1/signing_pb.js";
import {
  AuthInfoSchema,
  SignDocSchema,
  SignerInfoSchema,
  type Tx,
  TxBodySchema,
  TxSchema,
} from "../../../base/gen/cosmos/tx/v1beta1/tx_pb.js";
import type { Chain } from "../../../chain/app/chain.js";
import { resolverOf } from "../../../chain/app/tx/decode.js";
import { aminoSignBytes } from "../../../chain/messages/amino-doc.js";
import { packKey, type SigningKey } from "../../../chain/values/account-key.js";
import type { Coin } from "../../../chain/values/coins.js";
import { type Signature, txParts, withSignatures } from "./signatures.js";

export interface TxContents {
  readonly messages: readonly Any[];
  readonly note: string;
  readonly timeoutHeight: bigint;
  /** Last time of a block that may include it; undefined: none. */
  readonly timeoutTimestamp: Pick<Timestamp, "seconds" | "nanos"> | undefined;
  readonly fee: readonly Coin[];
  /** Address of the account that pays the fee; "": the first signer. */
  readonly feePayer: string;
  readonly gasLimit: bigint;
}

export function unsignedTx(contents: TxContents): Tx {
  const { messages, note, timeoutHeight, timeoutTimestamp, fee, feePayer, gasLimit } = contents;
  const amount = fee.map(({ denom, amount }) => ({ denom, amount: String(amount) }));
  return create(TxSchema, {
    body: { messages: [...messages], memo: note, timeoutHeight, ...(timeoutTimestamp ? { timeoutTimestamp } : {}) },
    authInfo: { fee: { amount, gasLimit, payer: feePayer } },
  });
}

/** Names of sign modes on the command line. */
export const SIGN_MODES = Object.freeze({ direct: SignMode.DIRECT, "amino-json": SignMode.LEGACY_AMINO_JSON });
export type SignModeName = keyof typeof SIGN_MODES;

export interface Signer {
  readonly key: SigningKey;
  readonly mode: SignModeName;
  readonly address: string;
  readonly chainId: string;
  readonly accountNumber: bigint;
  readonly sequence: bigint;
  /** 64 bytes over sha256 of the message. */
  readonly sign: (message: Uint8Array) => Promise<Uint8Array> | Uint8Array;
}

/** A signer, as far as a simulation needs to know it. */
export type NamedSigner = Pick<Signer, "key" | "mode" | "address" | "sequence">;

/** The same with these signers in place; their signatures are still empty. @throws UpgradeError UPG_INVALID_TX */
export function withSigners(chain: Chain, tx: Tx, signers: readonly NamedSigner[]): Tx {
  return withSignatures(
    chain,
    tx,
    signers.map((signer) => signatureBy(signer, new Uint8Array())),
  );
}

/** The same with the signatures of these signers. @throws UpgradeError UPG_INVALID_TX */
export async function signed(chain: Chain, tx: Tx, signers: readonly Signer[]): Promise<Tx> {
  // Who signs is a part of what SIGN_MODE_DIRECT signs.
  const ready = withSigners(chain, tx, signers);
  const signatures: Signature[] = [];
  for (const signer of signers) {
    const doc = signer.mode === "direct" ? directDoc(ready, signer) : aminoDoc(chain, ready, signer);
    signatures.push(signatureBy(signer, await signer.sign(doc)));
  }
  return withSignatures(chain, ready, signatures);
}

function signatureBy({ address, key, mode, sequence }: NamedSigner, signature: Uint8Array): Signature {
  const modeInfo = { sum: { case: "single", value: { mode: SIGN_MODES[mode] } } } as const;
  return { address, info: create(SignerInfoSchema, { publicKey: packKey(key), modeInfo, sequence }), signature };
}

export type SignedAccount = Pick<Signer, "chainId" | "accountNumber" | "sequence" | "address">;

function directDoc(tx: Tx, { chainId, accountNumber }: SignedAccount): Uint8Array {
  return toBinary(SignDocSchema, create(SignDocSchema, { ...txParts(tx), chainId, accountNumber }));
}

/** What SIGN_MODE_LEGACY_AMINO_JSON signs; signer infos are no part of it. @throws UpgradeError UPG_INVALID_TX */
export function aminoDoc(chain: Chain, tx: Tx, account: SignedAccount): Uint8Array {
  const { chainId, accountNumber, sequence, address } = account;
  const resolve = resolverOf(chain.router);
  const body = tx.body ?? create(TxBodySchema);
  const authInfo = tx.authInfo ?? create(AuthInfoSchema);
  return aminoSignBytes({ body, authInfo, chainId, accountNumber, sequence, address, resolve });
}
