/** The messages of module staking, as clients make them, and as documents hold what creates a validator. */
import { create, fromBinary, type MessageInitShape } from "@bufbuild/protobuf";
import type { Any } from "@bufbuild/protobuf/wkt";
import { PubKeySchema } from "../../../base/gen/cosmos/crypto/ed25519/keys_pb.js";
import {
  file_cosmos_staking_v1beta1_tx,
  type MsgCreateValidator,
  MsgCreateValidatorSchema,
  MsgDelegateSchema,
  MsgUndelegateSchema,
} from "../../../base/gen/cosmos/staking/v1beta1/tx_pb.js";
import { packAny } from "../../values/any.js";

export type NewValidatorMessage = MsgCreateValidator;

export const STAKING_TX_FILE = file_cosmos_staking_v1beta1_tx;

/** Rates are in 10^-18. */
export const newValidator = (
  consensusKey: Uint8Array,
  message: MessageInitShape<typeof MsgCreateValidatorSchema>,
): NewValidatorMessage =>
  create(MsgCreateValidatorSchema, { ...message, pubkey: packAny(PubKeySchema, { key: consensusKey }) });

export const packNewValidator = (message: NewValidatorMessage): Any => packAny(MsgCreateValidatorSchema, message);

/** Undefined: it is another message. @throws Error when its bytes are of none */
export function readNewValidator({ typeUrl, value }: Any): NewValidatorMessage | undefined {
  return typeUrl === `/${MsgCreateValidatorSchema.typeName}` ? fromBinary(MsgCreateValidatorSchema, value) : undefined;
}

export const delegation = (message: MessageInitShape<typeof MsgDelegateSchema>): Any =>
  packAny(MsgDelegateSchema, message);

export const undelegation = (message: MessageInitShape<typeof MsgUndelegateSchema>): Any =>
  packAny(MsgUndelegateSchema, message);
