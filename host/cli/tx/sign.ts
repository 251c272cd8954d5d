/** Transactions of one signer, SIGN_MODE_DIRECT: bodies, fees, signatures. */
import { create, type DescMessage, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { type Any, AnySchema } from "@bufbuild/protobuf/wkt";
import type { Coin } from "../../chain/coins.js";
import { PubKeySchema } from "../../gen/cosmos/crypto/secp256k1/keys_pb.js";
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

/** A message in an `Any`, with the type URL that the Cosmos SDK gives it. */
export function packed<S extends DescMessage>(schema: S, init: MessageInitShape<S>): Any {
  return create(AnySchema, { typeUrl: `/${schema.typeName}`, value: toBinary(schema, create(schema, init)) });
}

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

export interface Signer {
  readonly publicKey: Uint8Array;
  readonly chainId: string;
  readonly accountNumber: bigint;
  readonly sequence: bigint;
  /** 64 bytes over sha256 of the message. */
  readonly sign: (message: Uint8Array) => Promise<Uint8Array> | Uint8Array;
}

/** The same with its signer in place; the signature is still empty. */
export function withSigner(tx: Tx, { publicKey, sequence }: Pick<Signer, "publicKey" | "sequence">): Tx {
  const authInfo: AuthInfo = create(AuthInfoSchema, {
    ...(tx.authInfo?.fee ? { fee: tx.authInfo.fee } : {}),
    signerInfos: [
      {
        publicKey: packed(PubKeySchema, { key: publicKey }),
        modeInfo: { sum: { case: "single", value: { mode: SignMode.DIRECT } } },
        sequence,
      },
    ],
  });
  return create(TxSchema, { ...tx, authInfo, signatures: [new Uint8Array()] });
}

export async function signed(tx: Tx, signer: Signer): Promise<Tx> {
  const ready = withSigner(tx, signer);
  const { bodyBytes, authInfoBytes } = partsOf(ready);
  const { chainId, accountNumber } = signer;
  const document = create(SignDocSchema, { bodyBytes, authInfoBytes, chainId, accountNumber });
  const signature = await signer.sign(toBinary(SignDocSchema, document));
  return create(TxSchema, { ...ready, signatures: [signature] });
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
