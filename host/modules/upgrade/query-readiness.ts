/** The readiness of a plan, from one committed state: attestations of store `upgrade` by the powers in store `staking`. */
import { equalBytes, fromHex, toHex } from "../../bytes.js";
import type { QueryCall } from "../../chain/query/call.js";
import { pinnedHash } from "../../plan-info/plan-info.js";
import { UPGRADE_STORE } from "../../upgrade/keeper.js";
import { JsonReader } from "../../values/json-reader.js";
import { readStakingParams } from "../staking/params.js";
import { decidingValidators, powerOf } from "../staking/power.js";
import { STAKING_STORE } from "../staking/records.js";
import { attestations } from "./attestations.js";
import { type ReadinessGroup, type Statement, tallyReadiness, type WeighedValidator } from "./readiness.js";

/** Nothing where no name is given and no plan is scheduled. */
export function readinessOf(asked: string, call: QueryCall) {
  const store = call.stores.store(UPGRADE_STORE);
  const scheduled = call.app.keeper.plan(store);
  const name = asked === "" ? scheduled?.name : asked;
  if (name === undefined) return {};
  const plan = scheduled?.name === name ? scheduled : undefined;
  const pinned = pinnedHash(plan?.info ?? "");
  const pinnedSha256 = pinned === undefined ? new Uint8Array() : fromHex(pinned);
  const statements = new Map<string, Statement>();
  for (const { operator, attestation } of attestations(store)) {
    if (attestation.plan === name) statements.set(toHex(operator), attestation);
  }
  const tally = tallyReadiness(weighedValidators(call), (operator) => statements.get(toHex(operator)));
  const fields = (group: ReadinessGroup) => groupFields(group, pinnedSha256, call);
  return {
    readiness: {
      ...{ plan: name, planHeight: plan?.height ?? 0n, pinnedSha256 },
      ...{ totalPower: tally.totalPower, attestedPower: tally.attestedPower },
      groups: tally.groups.map(fields),
      silent: fields(tally.silent),
    },
  };
}

/** None where the version has no module staking. */
function weighedValidators({ stores, stakingParams }: QueryCall): WeighedValidator[] {
  if (!stores.names.includes(STAKING_STORE)) return [];
  const { maxValidators } = readStakingParams(new JsonReader(stakingParams ?? {}, "app_state.staking.params"));
  return decidingValidators(stores, maxValidators).map((validator) => ({
    operator: validator.operator,
    moniker: validator.moniker,
    power: powerOf(validator),
  }));
}

function groupFields(
  { artifactSha256, appHash, rehearsedHeight, power, validators }: ReadinessGroup,
  pinned: Uint8Array,
  { chain }: QueryCall,
) {
  return {
    ...{ artifactSha256, appHash, rehearsedHeight, power },
    isPinned: pinned.length > 0 && equalBytes(artifactSha256, pinned),
    validators: validators.map(({ operator, ...said }) => ({
      operatorAddress: chain.addresses.operators.encode(operator),
      moniker: said.moniker,
      power: said.power,
      height: said.height,
    })),
  };
}
