/** Validators and delegations as a genesis document gives them to the store. */
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { Validator, ValidatorSchema } from "../../../base/gen/chain/staking/v1/staking_pb.js";

/** What a record has besides what every document says of a validator. */
export type ValidatorDetails = Exclude<MessageInitShape<typeof ValidatorSchema>, Validator>;

export interface GenesisValidator {
  readonly operator: Uint8Array;
  readonly consensusKey: Uint8Array;
  readonly moniker: string;
  readonly tokens: bigint;
  readonly shares: string;
  readonly jailed: boolean;
  /** The Cosmos SDK's names: BOND_STATUS_BONDED and so on. */
  readonly status: string;
  /** Where the pools are kept: the rest of the record. */
  readonly more?: ValidatorDetails;
}

export interface GenesisDelegation {
  readonly delegator: Uint8Array;
  readonly operator: Uint8Array;
  readonly shares: string;
}
