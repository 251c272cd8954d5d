/** Questions about upgrades. */

import { UpgradeError } from "../../../base/errors/errors.js";
import { Query, type UpgradeProgress } from "../../../base/gen/chain/upgrade/v1beta1/query_pb.js";
import { yamlText } from "../../../base/terminal/output.js";
import { visible } from "../../../base/text/visible.js";
import type { Estimate } from "../../../chain/app/pace.js";
import { RpcClient } from "../../../node/remote/client.js";
import { Core } from "../../../upgrade/core/core.js";
import { planProtoJson } from "../../../upgrade/plan-info/plan-text.js";
import { askUpgrade } from "../../wallet/ask-upgrade.js";
import { type QueryFlags, queryClient, rpcClient } from "../flags.js";
import { messageJson } from "../message-json.js";
import type { TrustFlags } from "../verify/trust.js";
import { estimateAt, estimateJson, estimateText } from "./estimate.js";
import type { Question } from "./question.js";
import { blockMeta, provenReceipt } from "./receipt.js";

const { method } = Query;

interface PlanFlags extends QueryFlags {
  readonly estimate?: boolean;
}

export const plan: Question<PlanFlags> = async (_, flags) => {
  const client = queryClient(flags);
  const { plan: found } = await askUpgrade(client, method.currentPlan, {}, flags.height);
  if (!found) return { json: { plan: null }, text: "no upgrade scheduled" };
  const { name, height, info, time } = found;
  const fields = JSON.parse(planProtoJson({ name, height, info, ...(time ? { time } : {}) })) as object;
  // Times of blocks are asked of an RPC.
  const estimate = client instanceof RpcClient ? await orNothing(estimateAt(client, height)) : undefined;
  return {
    json: { plan: fields, ...(flags.estimate ? { estimate: estimate ? estimateJson(estimate) : null } : {}) },
    text: `${await yamlText({ plan: fields })}${estimate ? estimateText(estimate) : ""}`,
  };
};

/** A node that keeps few blocks still knows the plan. */
async function orNothing(estimate: Promise<Estimate | undefined>): Promise<Estimate | undefined> {
  try {
    return await estimate;
  } catch {
    return undefined;
  }
}

export const applied: Question = async ([name = ""], flags) => {
  const { height } = await askUpgrade(queryClient(flags), method.appliedPlan, { name }, flags.height);
  if (height === 0n) throw new UpgradeError("UPG_NOT_FOUND_UPGRADE", "no upgrade found");
  const rpc = rpcClient(flags);
  const meta = await blockMeta(rpc, height);
  if (meta) return { json: meta };
  throw new UpgradeError(
    "UPG_NOT_FOUND_BLOCK",
    `the upgrade "${visible(name)}" was applied at height ${height}, and the node at ${rpc.node} does not have that block: it began later, ` +
      "from a snapshot, or has pruned it. --node names one that keeps it",
  );
};

export const moduleVersions: Question = async ([moduleName = ""], flags, chain) => {
  const { moduleVersions: versions } = method;
  return {
    json: messageJson(
      chain,
      versions.output,
      await askUpgrade(queryClient(flags), versions, { moduleName }, flags.height),
    ),
  };
};

export const authority: Question = async (_, flags, chain) => {
  const { authority: account } = method;
  return { json: messageJson(chain, account.output, await askUpgrade(queryClient(flags), account, {}, flags.height)) };
};

export const progress: Question = async (_, flags, chain) => {
  const { output } = method.progress;
  const answer = await askUpgrade(queryClient(flags), method.progress, {});
  return { json: messageJson(chain, output, answer), text: progressText(answer.progress) };
};

function progressText(progress: UpgradeProgress | undefined): string {
  if (!progress) return "no upgrade is being made";
  const { plan, height, phase, store, done, total, rate, elapsedMs, leftMs } = progress;
  const of = total > 0n ? ` of ${total} (${(done * 100n) / total} %)` : "";
  const pairs = done > 0n || total > 0n ? `, ${done}${of}` : "";
  const speed = rate > 0n ? `, ${rate} a second` : "";
  const left = leftMs === undefined ? "" : `, about ${seconds(leftMs)} s left in this phase`;
  const where = store === "" ? phase : `${phase} of store ${store}`;
  return `upgrade ${plan} in block ${height}: ${where}${pairs}${speed}${left}; ${seconds(elapsedMs)} s since it began`;
}

const seconds = (millis: bigint): string => (Number(millis) / 1_000).toFixed(1);

export const receipt: Question<QueryFlags & TrustFlags> = async ([name = ""], flags) => ({
  json: await provenReceipt(rpcClient(flags), new Core().receiptKey(name), name, flags),
});
