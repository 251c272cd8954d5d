/** Accounts with keys, and the transactions that they sign: what a client does, by hand and without a network. */
import { create, type DescMessage, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { anyPack } from "@bufbuild/protobuf/wkt";
import { MsgSendSchema } from "../../host/base/gen/cosmos/bank/v1beta1/tx_pb.js";
import { PubKeySchema } from "../../host/base/gen/cosmos/crypto/secp256k1/keys_pb.js";
import type { VoteOption } from "../../host/base/gen/cosmos/gov/v1/gov_pb.js";
import { MsgDepositSchema, MsgSubmitProposalSchema, MsgVoteSchema } from "../../host/base/gen/cosmos/gov/v1/tx_pb.js";
import { SignMode } from "../../host/base/gen/cosmos/tx/signing/v1beta1/signing_pb.js";
import { AuthInfoSchema, TxBodySchema, TxRawSchema } from "../../host/base/gen/cosmos/tx/v1beta1/tx_pb.js";
import { MsgCancelUpgradeSchema, MsgSoftwareUpgradeSchema } from "../../host/base/gen/cosmos/upgrade/v1beta1/tx_pb.js";
import { sha256 } from "../../host/base/native/sha256.js";
import { utf8 } from "../../host/base/text/bytes.js";
import { addressOf, publicKeyOf, sign } from "../../host/chain/comet-types/keys.js";
import { signBytes } from "../../host/chain/modules/auth/signatures.js";
import { moduleAddress } from "../../host/chain/values/address.js";
import { encodeAddress } from "../addresses.js";

export const GOV_ADDRESS = encodeAddress(moduleAddress(sha256, "gov"));

export interface Packed {
  readonly typeUrl: string;
  readonly value: Uint8Array;
}

/** A message as `Any`, under the Cosmos SDK's type URL. */
export function pack<T extends DescMessage>(schema: T, message: MessageInitShape<T>): Packed {
  const { value } = anyPack(schema, create(schema, message));
  return { typeUrl: `/${schema.typeName}`, value };
}

export interface SignOptions {
  readonly chainId: string;
  readonly accountNumber: bigint;
  readonly sequence: bigint;
  readonly fee?: string;
  readonly gas?: bigint;
  readonly memo?: string;
  readonly timeoutHeight?: bigint;
}

export interface SigningAccount {
  readonly signer: Signer;
  readonly accountNumber: bigint;
  readonly sequence: bigint;
}

export class Signer {
  readonly #privateKey: Uint8Array;
  readonly publicKey: Uint8Array;
  readonly addressBytes: Uint8Array;
  readonly address: string;

  /** The key is made of the name where none is given. */
  constructor(
    readonly name: string,
    privateKey: Uint8Array = sha256(utf8(`scenario key ${name}`)),
  ) {
    this.#privateKey = privateKey;
    this.publicKey = publicKeyOf("secp256k1", this.#privateKey).bytes;
    this.addressBytes = addressOf(sha256, { type: "secp256k1", bytes: this.publicKey });
    this.address = encodeAddress(this.addressBytes);
  }

  sign(messages: readonly Packed[], options: SignOptions): Uint8Array {
    const { accountNumber, sequence, ...rest } = options;
    return signTogether([{ signer: this, accountNumber, sequence }], messages, rest);
  }

  /** Signs the bytes of a transaction for this account. */
  signature(bytes: Uint8Array): Uint8Array {
    return sign("secp256k1", this.#privateKey, bytes);
  }
}

/** One transaction of several accounts, in the order in which its messages name them. The first pays the fee. */
export function signTogether(
  accounts: readonly SigningAccount[],
  messages: readonly Packed[],
  options: Omit<SignOptions, "accountNumber" | "sequence">,
): Uint8Array {
  const { chainId, fee = "", gas = 1_000_000n, memo = "", timeoutHeight = 0n } = options;
  const amount = fee === "" ? [] : [{ denom: "ustake", amount: fee }];
  const modeInfo = { sum: { case: "single", value: { mode: SignMode.DIRECT } } } as const;
  const signerInfos = accounts.map(({ signer, sequence }) => ({
    ...{ publicKey: pack(PubKeySchema, { key: signer.publicKey }), modeInfo, sequence },
  }));
  const body = create(TxBodySchema, { messages: [...messages], memo, timeoutHeight });
  const authInfo = create(AuthInfoSchema, { signerInfos, fee: { amount, gasLimit: gas } });
  const raw = create(TxRawSchema, {
    bodyBytes: toBinary(TxBodySchema, body),
    authInfoBytes: toBinary(AuthInfoSchema, authInfo),
  });
  raw.signatures = accounts.map(({ signer, accountNumber }) =>
    signer.signature(signBytes({ raw, chainId, accountNumber })),
  );
  return toBinary(TxRawSchema, raw);
}

const coins = (amount: number | string, denom = "ustake") => ({ denom, amount: String(amount) });

export const send = (from: Signer, to: string, amount: number): Packed =>
  pack(MsgSendSchema, { fromAddress: from.address, toAddress: to, amount: [coins(amount)] });

export const vote = (voter: Signer, proposalId: bigint, option: VoteOption): Packed =>
  pack(MsgVoteSchema, { proposalId, voter: voter.address, option });

export const deposit = (depositor: Signer, proposalId: bigint, amount: number): Packed =>
  pack(MsgDepositSchema, { proposalId, depositor: depositor.address, amount: [coins(amount)] });

export interface ProposalOptions {
  readonly amount?: number;
  readonly expedited?: boolean;
  readonly title?: string;
}

export function propose(proposer: Signer, messages: readonly Packed[], options: ProposalOptions = {}): Packed {
  const { amount = 100, expedited = false, title = "title" } = options;
  return pack(MsgSubmitProposalSchema, {
    messages: [...messages],
    initialDeposit: [coins(amount)],
    proposer: proposer.address,
    title,
    summary: "summary",
    metadata: messages.length === 0 ? "text" : "",
    expedited,
  });
}

export const softwareUpgrade = (name: string, height: bigint, info = "", authority = GOV_ADDRESS): Packed =>
  pack(MsgSoftwareUpgradeSchema, { authority, plan: { name, height, info } });

export const cancelUpgrade = (authority = GOV_ADDRESS): Packed => pack(MsgCancelUpgradeSchema, { authority });
