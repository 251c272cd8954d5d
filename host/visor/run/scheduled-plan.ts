/** The plan that is scheduled, as the node answers it: over gRPC as Cosmovisor asks it, else over RPC, else by the file it wrote. */
import { fromBinary } from "@bufbuild/protobuf";
import { fromBase64 } from "../../bytes.js";
import { messageOf, UpgradeError } from "../../errors.js";
import { QueryCurrentPlanResponseSchema } from "../../gen/cosmos/upgrade/v1beta1/query_pb.js";
import type { Plan } from "../../sidecar/decision/plan-file.js";
import type { AskRpc } from "../../sidecar/heights/node-status.js";
import { GrpcClient } from "../../wallet/grpc.js";

export interface ScheduledPlan {
  /** Undefined: none is scheduled. */
  readonly plan: Plan | undefined;
  /** Where it is from, for people. */
  readonly from: string;
}

const METHOD = "/cosmos.upgrade.v1beta1.Query/CurrentPlan";
const MILLIS_MAX = 10_000;

/** @param address `host:port`, or `https://host:port` with TLS. @throws UpgradeError UPG_REMOTE_* */
export async function planByGrpc(address: string): Promise<ScheduledPlan> {
  if (address === "") throw new UpgradeError("UPG_REMOTE_UNAVAILABLE", "gRPC address is empty");
  const isInsecure = !address.startsWith("https://");
  const client = new GrpcClient(address, { isInsecure, timeoutMillis: MILLIS_MAX });
  const bytes = await client.unary(METHOD, new Uint8Array(), 0n);
  return { plan: planOf(() => bytes), from: `the node's gRPC, ${address}` };
}

/** @throws UpgradeError UPG_REMOTE_* */
export async function planByRpc(address: string, ask: AskRpc): Promise<ScheduledPlan> {
  if (address === "") throw new UpgradeError("UPG_REMOTE_UNAVAILABLE", "RPC address is empty");
  const base = address.replace(/^tcp:/, "http:").replace(/\/$/, "");
  const url = `${base}/abci_query?path=${encodeURIComponent(`"${METHOD}"`)}`;
  const { code = 0, log = "", value } = responseOf(await answerOf(url, ask));
  if (code !== 0) throw new UpgradeError("UPG_REMOTE_REFUSED", `${base} returned code ${code}: ${log}`);
  return { plan: planOf(() => fromBase64(String(value ?? ""))), from: `the node's RPC, ${base}` };
}

async function answerOf(url: string, ask: AskRpc): Promise<unknown> {
  try {
    return await ask(url, AbortSignal.timeout(MILLIS_MAX));
  } catch (cause) {
    throw new UpgradeError("UPG_REMOTE_UNAVAILABLE", `cannot ask ${url}: ${messageOf(cause)}`, { cause });
  }
}

function responseOf(answer: unknown): { code?: number; log?: string; value?: unknown } {
  const { result } = (answer ?? {}) as { result?: { response?: object } };
  if (typeof result?.response === "object" && result.response !== null) return result.response;
  throw new UpgradeError("UPG_REMOTE_REFUSED", "the answer of the RPC is not one of abci_query");
}

function planOf(bytes: () => Uint8Array): Plan | undefined {
  try {
    const { plan } = fromBinary(QueryCurrentPlanResponseSchema, bytes());
    return plan && { name: plan.name, height: plan.height, info: plan.info };
  } catch (cause) {
    throw new UpgradeError("UPG_REMOTE_REFUSED", `the node's answer holds no plan: ${messageOf(cause)}`, { cause });
  }
}
