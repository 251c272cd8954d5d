/** How validators come to be bonded, to unbond, and to be unbonded: at the end of a block that wrote to the store. */
import { create } from "@bufbuild/protobuf";
import { TimestampSchema } from "@bufbuild/protobuf/wkt";
import { BondStatus, type Validator } from "../../../base/gen/chain/staking/v1/staking_pb.js";
import { toHex } from "../../../base/text/bytes.js";
import { addTime } from "../../../base/time/time.js";
import type { KVReader, KVStore } from "../../../base/types/types.js";
import type { ModuleContext } from "../../app/context.js";
import { TOTAL_POWER_MAX } from "../../comet-types/validator-set.js";
import { JsonReader } from "../../values/json-reader.js";
import { readStakingParams, type StakingParams } from "./params.js";
import { powerOf, rankedValidators } from "./power.js";
import { readValidator, removeValidator, setValidator, validators } from "./records.js";
import { dequeueValidator, enqueueValidator, takeEndedValidators } from "./unbonding.js";

export function paramsOf({ constants }: Pick<ModuleContext, "constants">): StakingParams {
  return readStakingParams(new JsonReader(constants.stakingParams ?? {}, "app_state.staking.params"));
}

/** From now on for the unbonding time. */
export function beginUnbonding(context: ModuleContext, store: KVStore, validator: Validator): void {
  validator.status = BondStatus.UNBONDING;
  validator.unbondingHeight = context.height;
  validator.unbondingTime = create(TimestampSchema, addTime(context.time, paramsOf(context).unbondingTime));
  setValidator(store, validator);
  enqueueValidator(store, validator);
}

/** The validators that are to be bonded: not jailed, with power, the greatest first, no more than engines count. */
function chosenValidators(store: KVReader, most: number): Validator[] {
  let total = 0n;
  return rankedValidators(store)
    .slice(0, most)
    .filter((validator) => {
      total += powerOf(validator);
      return total <= TOTAL_POWER_MAX;
    });
}

/** Bonds those who are chosen, and unbonds the others; returns the tokens that the pool of bonded ones gains by it. */
export function settleStatuses(context: ModuleContext, store: KVStore): bigint {
  const chosen = new Set(
    chosenValidators(store, paramsOf(context).maxValidators).map(({ operator }) => toHex(operator)),
  );
  let gained = 0n;
  for (const validator of [...validators(store)]) {
    const isBonded = validator.status === BondStatus.BONDED;
    if (isBonded === chosen.has(toHex(validator.operator))) continue;
    if (isBonded) {
      gained -= BigInt(validator.tokens);
      beginUnbonding(context, store, validator);
    } else {
      gained += BigInt(validator.tokens);
      if (validator.status === BondStatus.UNBONDING) dequeueValidator(store, validator);
      validator.status = BondStatus.BONDED;
      setValidator(store, validator);
    }
  }
  return gained;
}

/** Those whose unbonding time is over; one without shares is gone then. */
export function endUnbonding(context: ModuleContext, store: KVStore): void {
  for (const operator of takeEndedValidators(store, context.time)) {
    const validator = readValidator(store, operator);
    if (validator?.status !== BondStatus.UNBONDING) continue;
    validator.status = BondStatus.UNBONDED;
    setValidator(store, validator);
    removeIfEmpty(store, validator);
  }
}

/** A validator without shares goes once it is unbonded. One that signed twice stays, so that its key stays taken. */
export function removeIfEmpty(store: KVStore, validator: Validator): void {
  const isEmpty = /^0(\.0*)?$/.test(validator.delegatorShares);
  if (isEmpty && validator.status === BondStatus.UNBONDED && !validator.tombstoned) removeValidator(store, validator);
}
