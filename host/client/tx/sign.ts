/** Transactions of one signer: bodies, fees, signatures. */
import { create, toBinary } from "@bufbuild/protobuf";
import type { Any } from "@bufbuild/protobuf/wkt";
import { aminoSignBytes } from "../../chain/tx/amino-doc.js";
import { resolverOf } from "../../chain/tx/decode.js";
import { SignMode } from "../../gen/cosmos/tx/signing/v1beta1/signing_pb.js";
import {
  type AuthInfo,
  AuthInfoSchema,
  SignDocSchema,
  type Tx,
  TxBodySchema,
  TxRawSchema,
  TxSchema,
} from "../../gen/cosmos/tx/v1beta1/tx_pb.js";
import { programChain } from "../../shell/program-chain.js";
import { packKey, type SigningKey } from "../../values/account-key.js";
import type { Coin } from "../../values/coins.js";

export interface TxContents {
  readonly messages: readonly Any[];
  readonly note: string;
  readonly timeoutHeight: bigint;
  readonly fee: readonly Coin[];
  readonly gasLimit: bigint;
}

export function unsignedTx({ messages, note, timeoutHeight, fee, gasLimit }: TxContents): Tx {
  return create(TxSchema, {
    body: { messages: [...messages], memo: note, timeoutHeight },
    authInfo: { fee: { amount: fee.map(({ denom, amount }) => ({ denom, amount: String(amount) })), gasLimit } },
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

/** The same with its signer in place; the signature is still empty. */
export function withSigner(tx: Tx, { key, sequence, mode }: Pick<Signer, "key" | "sequence" | "mode">): Tx {
  const authInfo: AuthInfo = create(AuthInfoSchema, {
    ...(tx.authInfo?.fee ? { fee: tx.authInfo.fee } : {}),
    signerInfos: [
      {
        publicKey: packKey(key),
        modeInfo: { sum: { case: "single", value: { mode: SIGN_MODES[mode] } } },
        sequence,
      },
    ],
  });
  return create(TxSchema, { ...tx, authInfo, signatures: [new Uint8Array()] });
}

export async function signed(tx: Tx, signer: Signer): Promise<Tx> {
  const ready = withSigner(tx, signer);
  const signature = await signer.sign(signer.mode === "direct" ? directDoc(ready, signer) : aminoDoc(ready, signer));
  return create(TxSchema, { ...ready, signatures: [signature] });
}

export type SignedAccount = Pick<Signer, "chainId" | "accountNumber" | "sequence" | "address">;

function directDoc(tx: Tx, { chainId, accountNumber }: SignedAccount): Uint8Array {
  return toBinary(SignDocSchema, create(SignDocSchema, { ...partsOf(tx), chainId, accountNumber }));
}

/** What SIGN_MODE_LEGACY_AMINO_JSON signs; signer infos are no part of it. @throws UpgradeError UPG_INVALID_TX */
export function aminoDoc(tx: Tx, account: SignedAccount): Uint8Array {
  const { chainId, accountNumber, sequence, address } = account;
  const resolve = resolverOf(programChain().router);
  const body = tx.body ?? create(TxBodySchema);
  const authInfo = tx.authInfo ?? create(AuthInfoSchema);
  return aminoSignBytes({ body, authInfo, chainId, accountNumber, sequence, address, resolve });
}

/** The bytes that are sent. */
export function rawBytes(tx: Tx): Uint8Array {
  return toBinary(TxRawSchema, create(TxRawSchema, { ...partsOf(tx), signatures: tx.signatures }));
}

function partsOf(tx: Tx) {
  return {
    bodyBytes: toBinary(TxBodySchema, tx.body ?? create(TxBodySchema)),
    authInfoBytes: toBinary(AuthInfoSchema, tx.authInfo ?? create(AuthInfoSchema)),
  };
}
