/** Voting power in consensus: which validators decide blocks, and with how much, as the Cosmos SDK's staking has it. */

import { rethrowEngineLimit } from "../../../base/errors/engine-limit.js";
import { messageOf } from "../../../base/errors/errors.js";
import { BondStatus, type Validator } from "../../../base/gen/chain/staking/v1/staking_pb.js";
import { compareBytes, toHex } from "../../../base/text/bytes.js";
import type { KVReader } from "../../../base/types/types.js";
import type { Invariant, ReadableStores } from "../../app/module.js";
import { TOTAL_POWER_MAX } from "../../comet-types/validator-set.js";
import type { ValidatorUpdate } from "../../comet-types/validator-updates.js";
import { parseAmount } from "../../values/coins.js";
import { STAKING_STORE, validators } from "./records.js";

/** Tokens for one unit of power (the Cosmos SDK's `DefaultPowerReduction`). */
const POWER_REDUCTION = 1_000_000n;
const KEY_BYTES = 32;

/** Bonded, not jailed, with at least one unit of power; the greatest first, equals by the operator's address. */
export function consensusPowers(stores: ReadableStores, most: number): ValidatorUpdate[] {
  return decidingValidators(stores, most).map((validator) => ({
    publicKey: { type: "ed25519", bytes: validator.consensusKey },
    power: powerOf(validator),
  }));
}

/** Their records, in the same order. */
export function decidingValidators(stores: ReadableStores, most: number): readonly Validator[] {
  return rankedValidators(stores.store(STAKING_STORE), ({ status }) => status === BondStatus.BONDED).slice(0, most);
}

/** Bonded and not jailed, with power: what it says weighs. */
export const decidesBlocks = (validator: Pick<Validator, "status" | "jailed" | "tokens">): boolean =>
  validator.status === BondStatus.BONDED && !validator.jailed && powerOf(validator) > 0n;

/** The same of any status, unless `fits` says more. */
export function rankedValidators(
  store: KVReader,
  fits: (validator: Validator) => boolean = () => true,
): readonly Validator[] {
  const candidates = [...validators(store)]
    .filter((validator) => !validator.jailed && fits(validator))
    .map((validator) => ({ validator, power: powerOf(validator) }))
    .filter(({ power }) => power > 0n)
    .sort((a, b) => (a.power === b.power ? byOperator(a.validator, b.validator) : a.power > b.power ? -1 : 1))
    .map(({ validator }) => validator);
  // A key that several records have counts for the first of them: older documents were not refused for it.
  const seen = new Set<string>();
  return candidates.filter((validator) => {
    const key = toHex(validator.consensusKey);
    return !seen.has(key) && seen.add(key);
  });
}

/** No engine counts further than `TOTAL_POWER_MAX`. */
export function powerOf({ tokens }: Pick<Validator, "tokens">): bigint {
  const power = BigInt(tokens) / POWER_REDUCTION;
  return power > TOTAL_POWER_MAX ? TOTAL_POWER_MAX : power;
}

const byOperator = (a: Validator, b: Validator) => compareBytes(a.operator, b.operator);

/** What an upgrade must leave, so that the block after it can be decided. */
export const soundValidators: Invariant = {
  name: "validators",
  check(stores) {
    const owners = new Map<string, string>();
    try {
      for (const { operator, consensusKey, tokens } of validators(stores.store(STAKING_STORE))) {
        const owner = toHex(operator);
        parseAmount(tokens);
        if (consensusKey.length !== KEY_BYTES)
          return `the consensus key of operator ${owner} has ${consensusKey.length} bytes`;
        const other = owners.get(toHex(consensusKey));
        if (other !== undefined) return `the operators ${other} and ${owner} have the same consensus key`;
        owners.set(toHex(consensusKey), owner);
      }
      return undefined;
    } catch (error) {
      rethrowEngineLimit(error);
      return `a validator's record cannot be read: ${messageOf(error)}`;
    }
  },
};
