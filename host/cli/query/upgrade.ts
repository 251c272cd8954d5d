/** Questions about upgrades. */
import { Core } from "../../core/core.js";
import { UpgradeError } from "../../errors.js";
import { Query } from "../../gen/chain/upgrade/v1beta1/query_pb.js";
import { planProtoJson } from "../../upgrade/plan-text.js";
import { ask } from "../client/ask.js";
import { type QueryFlags, rpcClient } from "../client/flags.js";
import { messageJson } from "../client/message-json.js";
import { jsonToYaml, type YamlValue } from "../yaml.js";
import { type Estimate, estimateAt, estimateJson, estimateText } from "./estimate.js";
import type { Question } from "./question.js";
import { blockMeta, provenReceipt } from "./receipt.js";

const { method } = Query;

interface PlanFlags extends QueryFlags {
  readonly estimate?: boolean;
}

export const plan: Question<PlanFlags> = async (_, flags) => {
  const rpc = rpcClient(flags);
  const { plan: found } = await ask(rpc, method.currentPlan, {}, flags.height);
  if (!found) return { json: { plan: null }, text: "no upgrade scheduled" };
  const { name, height, info, time } = found;
  const fields = JSON.parse(planProtoJson({ name, height, info, ...(time ? { time } : {}) })) as YamlValue;
  const estimate = await orNothing(estimateAt(rpc, height));
  return {
    json: { plan: fields, ...(flags.estimate ? { estimate: estimate ? estimateJson(estimate) : null } : {}) },
    text: `${jsonToYaml({ plan: fields })}${estimate ? estimateText(estimate) : ""}`,
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
  const rpc = rpcClient(flags);
  const { height } = await ask(rpc, method.appliedPlan, { name }, flags.height);
  if (height === 0n) throw new UpgradeError("UPG_NOT_FOUND_UPGRADE", "no upgrade found");
  return { json: await blockMeta(rpc, height) };
};

export const moduleVersions: Question = async ([moduleName = ""], flags) => {
  const { moduleVersions: versions } = method;
  return { json: messageJson(versions.output, await ask(rpcClient(flags), versions, { moduleName }, flags.height)) };
};

export const authority: Question = async (_, flags) => {
  const { authority: account } = method;
  return { json: messageJson(account.output, await ask(rpcClient(flags), account, {}, flags.height)) };
};

export const receipt: Question = async ([name = ""], flags) => ({
  json: await provenReceipt(rpcClient(flags), new Core().receiptKey(name), name),
});
