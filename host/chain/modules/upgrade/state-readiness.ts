/** The readiness of a plan in one state: attestations of store `upgrade` by the powers in store `staking`. */

import type { Validator } from "../../../base/gen/chain/staking/v1/staking_pb.js";
import { toHex } from "../../../base/text/bytes.js";
import { UPGRADE_STORE } from "../../../upgrade/module/keeper.js";
import type { ReadableStores } from "../../app/module.js";
import { JsonReader } from "../../values/json-reader.js";
import { readStakingParams } from "../staking/params.js";
import { decidingValidators, powerOf } from "../staking/power.js";
import { STAKING_STORE } from "../staking/records.js";
import { attestations } from "./attestations.js";
import { type ReadinessTally, type Statement, tallyReadiness } from "./readiness.js";

/**
 * The validators whose statements count; none where the version has no module staking.
 * @param stakingParams `app_state.staking.params` of the genesis document, as JSON
 */
export function decidingIn(stores: ReadableStores, stakingParams: unknown): readonly Validator[] {
  if (!stores.names.includes(STAKING_STORE)) return [];
  const { maxValidators } = readStakingParams(new JsonReader(stakingParams ?? {}, "app_state.staking.params"));
  return decidingValidators(stores, maxValidators);
}

export function readinessIn(stores: ReadableStores, stakingParams: unknown, plan: string): ReadinessTally {
  const statements = new Map<string, Statement>();
  for (const { operator, attestation } of attestations(stores.store(UPGRADE_STORE))) {
    if (attestation.plan === plan) statements.set(toHex(operator), attestation);
  }
  const validators = decidingIn(stores, stakingParams).map((validator) => ({
    operator: validator.operator,
    moniker: validator.moniker,
    power: powerOf(validator),
  }));
  return tallyReadiness(validators, (operator) => statements.get(toHex(operator)));
}
