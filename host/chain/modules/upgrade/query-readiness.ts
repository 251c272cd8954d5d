/** The query about the readiness of a plan, from one committed state. */
import { equalBytes, fromHex } from "../../../base/text/bytes.js";
import { UPGRADE_STORE } from "../../../upgrade/module/keeper.js";
import { pinnedHash } from "../../../upgrade/plan-info/plan-info.js";
import type { QueryCall } from "../../app/query/call.js";
import type { ReadinessGroup } from "./readiness.js";
import { readinessIn } from "./state-readiness.js";

/** Nothing where no name is given and no plan is scheduled. */
export function readinessOf(asked: string, call: QueryCall) {
  const { stores, stakingParams, app } = call;
  const scheduled = app.keeper.plan(stores.store(UPGRADE_STORE));
  const name = asked === "" ? scheduled?.name : asked;
  if (name === undefined) return {};
  const plan = scheduled?.name === name ? scheduled : undefined;
  const pinned = pinnedHash(plan?.info ?? "");
  const pinnedSha256 = pinned === undefined ? new Uint8Array() : fromHex(pinned);
  const tally = readinessIn(stores, stakingParams, name);
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
