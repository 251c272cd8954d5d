/** Validators of the store, for handlers in TypeScript. */
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { type Validator, ValidatorSchema } from "../../../base/gen/chain/staking/v1/staking_pb.js";
import type { KVReader, KVStore } from "../../../base/types/types.js";
import { readValidator, removeValidator, setValidator, validators } from "./records.js";

/**
 * The validators in the store `staking`, for an upgrade's handler in TypeScript that adds, removes or changes some: power is
 * `tokens` / 1,000,000 of those with status 3 (bonded) that are not `jailed`. Once messages have delegated coins, tokens must be in the accounts
 * of the pools too, or the invariant `pools` ends the upgrade. The handler declares `allows: { writeStores: ["staking"] }`.
 *
 * @example
 * import { MemoryKVStore } from "chain-upgrade";
 * const store = new MemoryKVStore();
 * const operator = new Uint8Array(20).fill(1);
 * const shares = { tokens: "5000000", delegatorShares: "5000000.000000000000000000" };
 * validatorRecords.set(store, { operator, consensusKey: new Uint8Array(32).fill(2), moniker: "one", status: 3, ...shares });
 * console.log(validatorRecords.get(store, operator)?.moniker, [...validatorRecords.all(store)].length); // → one 1
 */
export const validatorRecords = Object.freeze({
  /** Ascending by the operator's address. */
  all: (store: KVReader): Generator<Validator> => validators(store),
  /** @param operator its address, 20 bytes */
  get: (store: KVReader, operator: Uint8Array): Validator | undefined => readValidator(store, operator),
  /** In place of the record of the same operator. */
  set: (store: KVStore, validator: MessageInitShape<typeof ValidatorSchema>): void =>
    setValidator(store, create(ValidatorSchema, validator)),
  delete: (store: KVStore, validator: Validator): void => removeValidator(store, validator),
});
