/** `query upgrade readiness`: who would run the same file with the same result, by power. */

import {
  Query,
  type Readiness,
  type ReadinessGroup,
  type ReadyValidator,
} from "../../../base/gen/chain/upgrade/v1beta1/query_pb.js";
import { toHex, toUpperHex } from "../../../base/text/bytes.js";
import { visible } from "../../../base/text/visible.js";
import { askUpgrade } from "../../wallet/ask-upgrade.js";
import { queryClient } from "../flags.js";
import type { Question } from "./question.js";
import { readinessNotes } from "./readiness-notes.js";

export const readiness: Question = async ([name = ""], flags) => {
  const { readiness: found } = await askUpgrade(queryClient(flags), Query.method.readiness, { name }, flags.height);
  if (!found) return { json: { readiness: null }, text: "no upgrade scheduled" };
  return { json: { readiness: readinessJson(found) }, text: readinessText(found) };
};

function readinessJson({ plan, planHeight, pinnedSha256, totalPower, attestedPower, groups, silent }: Readiness) {
  return {
    ...{ plan, plan_height: String(planHeight), pinned_sha256: toHex(pinnedSha256) },
    ...{ total_power: String(totalPower), attested_power: String(attestedPower) },
    groups: groups.map((group) => ({
      artifact_sha256: toHex(group.artifactSha256),
      app_hash: toUpperHex(group.appHash),
      rehearsed_height: String(group.rehearsedHeight),
      power: String(group.power),
      is_pinned: group.isPinned,
      validators: group.validators.map(validatorJson),
    })),
    silent: { power: String(silent?.power ?? 0n), validators: (silent?.validators ?? []).map(validatorJson) },
  };
}

const validatorJson = ({ operatorAddress, moniker, power, height }: ReadyValidator) => ({
  ...{ operator_address: operatorAddress, moniker, power: String(power) },
  ...(height > 0n ? { height: String(height) } : {}),
});

function readinessText(readiness: Readiness): string {
  const { plan, planHeight, pinnedSha256, totalPower, attestedPower, groups, silent } = readiness;
  const when = planHeight > 0n ? ` at height ${planHeight}` : ", which is not scheduled";
  const pin = pinnedSha256.length > 0 ? `the plan pins the handler ${toHex(pinnedSha256)}` : "the plan pins no handler";
  return [
    `upgrade "${visible(plan)}"${when}: ${share(attestedPower, totalPower)} of the power has attested`,
    ...(planHeight > 0n ? [pin] : []),
    ...groups.flatMap((group) => groupLines(group, readiness)),
    ...readinessNotes(groups),
    ...(silent && silent.power > 0n ? [`${share(silent.power, totalPower)} has said nothing`, ...names(silent)] : []),
  ].join("\n");
}

function groupLines(group: ReadinessGroup, { totalPower, pinnedSha256 }: Readiness): string[] {
  const { artifactSha256, appHash, rehearsedHeight, power, isPinned } = group;
  const differs = pinnedSha256.length > 0 && !isPinned ? ", which is not the file that the plan pins" : "";
  const result =
    rehearsedHeight > 0n ? `rehearsed on block ${rehearsedHeight}: app hash ${toUpperHex(appHash)}` : "not rehearsed";
  return [`${share(power, totalPower)} has ${toHex(artifactSha256)}${differs}; ${result}`, ...names(group)];
}

const names = ({ validators }: ReadinessGroup): string[] =>
  validators.map(({ moniker, operatorAddress, power }) => `  ${power}  ${visible(moniker)}  ${operatorAddress}`);

/** In whole hundredths of a percent, rounded down: nothing that is not all reads as 100 %. */
function share(power: bigint, total: bigint): string {
  const hundredths = total === 0n ? 0n : (power * 10_000n) / total;
  return `${hundredths / 100n}.${String(hundredths % 100n).padStart(2, "0")} %`;
}
