/** The plan that the chain has scheduled, as its node returns it over RPC. */
import { fromBinary } from "@bufbuild/protobuf";
import { messageOf, UpgradeError } from "../../base/errors/errors.js";
import { QueryCurrentPlanResponseSchema } from "../../base/gen/cosmos/upgrade/v1beta1/query_pb.js";
import { fromBase64 } from "../../base/text/bytes.js";
import type { Plan } from "./decision/plan-file.js";
import type { AskRpc } from "./heights/node-status.js";

export interface ScheduledPlan {
  /** Undefined: none is scheduled. */
  readonly plan: Plan | undefined;
  /** Where it is from, for people. */
  readonly from: string;
}

export const CURRENT_PLAN_METHOD = "/cosmos.upgrade.v1beta1.Query/CurrentPlan";
export const PLAN_MILLIS_MAX = 10_000;

/** @throws UpgradeError UPG_REMOTE_* */
export async function planByRpc(address: string, ask: AskRpc): Promise<ScheduledPlan> {
  if (address === "") throw new UpgradeError("UPG_REMOTE_UNAVAILABLE", "RPC address is empty");
  const base = address.replace(/^tcp:/, "http:").replace(/\/$/, "");
  const url = `${base}/abci_query?path=${encodeURIComponent(`"${CURRENT_PLAN_METHOD}"`)}`;
  const { code = 0, log = "", value } = responseOf(await answerOf(url, ask));
  if (code !== 0) throw new UpgradeError("UPG_REMOTE_REFUSED", `${base} returned code ${code}: ${log}`);
  return { plan: planOf(() => fromBase64(String(value ?? ""))), from: `the node's RPC, ${base}` };
}

async function answerOf(url: string, ask: AskRpc): Promise<unknown> {
  try {
    return await ask(url, AbortSignal.timeout(PLAN_MILLIS_MAX));
  } catch (cause) {
    throw new UpgradeError("UPG_REMOTE_UNAVAILABLE", `cannot ask ${url}: ${messageOf(cause)}`, { cause });
  }
}

function responseOf(answer: unknown): { code?: number; log?: string; value?: unknown } {
  const { result } = (answer ?? {}) as { result?: { response?: object } };
  if (typeof result?.response === "object" && result.response !== null) return result.response;
  throw new UpgradeError("UPG_REMOTE_REFUSED", "the answer of the RPC is not one of abci_query");
}

/** @throws UpgradeError UPG_REMOTE_REFUSED */
export function planOf(bytes: () => Uint8Array): Plan | undefined {
  try {
    const { plan } = fromBinary(QueryCurrentPlanResponseSchema, bytes());
    return plan && { name: plan.name, height: plan.height, info: plan.info };
  } catch (cause) {
    throw new UpgradeError("UPG_REMOTE_REFUSED", `the node's answer holds no plan: ${messageOf(cause)}`, { cause });
  }
}
