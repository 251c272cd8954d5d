/** What an attestation names and rests on, compared with the chain of the node that is asked: it stays in state for everybody to rely on. */
import { existsSync } from "node:fs";
import { isUpgradeError } from "../../../base/errors/errors.js";
import { Query as UpgradeQuery } from "../../../base/gen/chain/upgrade/v1beta1/query_pb.js";
import { ProposalStatus } from "../../../base/gen/cosmos/gov/v1/gov_pb.js";
import { Query as GovQuery } from "../../../base/gen/cosmos/gov/v1/query_pb.js";
import { usage } from "../../../base/terminal/usage.js";
import { fromBase64, fromHex } from "../../../base/text/bytes.js";
import { visible } from "../../../base/text/visible.js";
import { scheduledPlan } from "../../../chain/modules/upgrade/compose.js";
import type { RpcClient } from "../../../node/remote/client.js";
import { ask } from "../../wallet/ask.js";
import { rpcClient } from "../flags.js";
import type { TxFlags } from "./flags.js";
import { type RehearsalReport, readRehearsal } from "./rehearsal-report.js";
import { rehearseAdvice } from "./rehearse-advice.js";
import { foreignTo, type NamedPlans, type RehearsedChain, type RehearsedPlan } from "./rehearsed-chain.js";
import { chainIdOf } from "./send.js";

export interface AppliedReport extends RehearsalReport {
  readonly state: NonNullable<RehearsalReport["state"]>;
  readonly appHash: string;
}

interface Rehearsal {
  readonly plan: string;
  readonly home: string;
  /** Asks the node, for advice; undefined: there is none to ask. */
  readonly plansNamed: () => Promise<NamedPlans | undefined>;
}

/** @throws UpgradeError UPG_INVALID_ARGUMENT where the report is of another plan, or of a rehearsal that failed */
export async function appliedReport(file: string, { plan, home, plansNamed }: Rehearsal): Promise<AppliedReport> {
  const report = readRehearsal(file);
  const { exit, state, appHash, verdict } = report;
  if (report.plan.name !== plan)
    throw usage(`${file} rehearses the plan "${visible(report.plan.name)}", not "${visible(plan)}"`);
  const found = report.openFindings.map(visible).join(",");
  if (found !== "" && (exit === 0 || exit === 1)) {
    const plans = (await plansNamed()) ?? { isScheduled: false, plans: [report.plan] };
    const same = state ? `; --at ${state.height} begins with the same state, if the home still has it` : "";
    throw usage(
      `${file} has findings of ${found}, which nobody has accepted: read them there. If they are expected, ` +
        `${again(report, { plans, home, accept: found })}${same}`,
    );
  }
  if (!state || appHash === undefined) throw usage(`${file} came to no app hash, the upgrade ${verdict}`);
  return { ...report, state, appHash };
}

/** @throws UpgradeError UPG_INVALID_ARGUMENT: it is of another chain, plan or state */
export function requireOwn(report: AppliedReport, chain: Partial<RehearsedChain>, home: string): void {
  const unknown = { chainId: undefined, plans: undefined, height: undefined, appHash: undefined };
  const why = foreignTo(report, { ...unknown, ...chain });
  if (why !== undefined)
    throw usage(`${report.file} ${visible(why)}: ${again(report, { plans: chain.plans, home, accept: undefined })}`);
}

interface Again {
  readonly plans: NamedPlans | undefined;
  readonly home: string;
  readonly accept: string | undefined;
}

/** Of several plans of one name, those at the height of the report count, if there are any. */
function again({ plan, handlerFile }: RehearsalReport, { plans, home, accept }: Again): string {
  const [first, ...others] = plans?.plans.filter(({ height }) => height === plan.height) ?? [];
  const wanted = plans && first ? { ...plans, plans: [first, ...others] as const } : plans;
  const handler = handlerFile !== undefined && existsSync(handlerFile) ? handlerFile : undefined;
  return rehearseAdvice({ home, plans: wanted, handler, accept }, "makes one that can be attested");
}

interface Attested {
  readonly flags: TxFlags;
  readonly plan: string;
  readonly report: AppliedReport | undefined;
}

/** @throws UpgradeError UPG_INVALID_ARGUMENT, UPG_REMOTE_* */
export async function requireKnown(rpc: RpcClient, { flags, plan, report }: Attested): Promise<void> {
  const plans = await plansNamed(rpc, plan);
  if (!report) return;
  const chain = { chainId: await chainIdOf(flags, rpc), plans, ...(await stateAt(rpc, report.state.height)) };
  requireOwn(report, chain, flags.home);
}

/** Returns the plans of that name, for advice; `undefined` without a node that responds. @throws UpgradeError UPG_INVALID_ARGUMENT */
export async function plansForAdvice(flags: TxFlags, name: string): Promise<NamedPlans | undefined> {
  if (flags.offline) return undefined;
  try {
    return await plansNamed(rpcClient(flags), name);
  } catch (error) {
    if (isUpgradeError(error) && error.code.startsWith("UPG_REMOTE_")) return undefined;
    throw error;
  }
}

/** A mistyped name would count nowhere. @throws UpgradeError UPG_INVALID_ARGUMENT, UPG_REMOTE_* */
async function plansNamed(rpc: RpcClient, name: string): Promise<NamedPlans> {
  const { plan } = await ask(rpc, UpgradeQuery.method.currentPlan, {});
  if (plan?.name === name) return { isScheduled: true, plans: [plan] };
  const found: RehearsedPlan[] = [];
  for (const proposalStatus of [ProposalStatus.VOTING_PERIOD, ProposalStatus.DEPOSIT_PERIOD]) {
    const { proposals } = await ask(rpc, GovQuery.method.proposals, { proposalStatus, pagination: { reverse: true } });
    for (const message of proposals.flatMap(({ messages }) => messages)) {
      const proposed = scheduledPlan(message);
      if (proposed?.name === name) found.push(proposed);
    }
  }
  const [first, ...others] = found;
  if (first) return { isScheduled: false, plans: [first, ...others] };
  const scheduled = plan ? `the plan that is scheduled is "${visible(plan.name)}"` : "no plan is scheduled";
  throw usage(`${scheduled}, and no open proposal names "${visible(name)}": nobody would count what is said of it`);
}

/** The last height, and the app hash of a state: the next block's header has it. @throws UpgradeError UPG_REMOTE_* */
async function stateAt(rpc: RpcClient, wanted: bigint): Promise<Pick<RehearsedChain, "height" | "appHash">> {
  const { response } = (await rpc.call("abci_info")) as {
    response: { last_block_height: string; last_block_app_hash: string };
  };
  const height = BigInt(response.last_block_height);
  if (wanted === height) return { height, appHash: fromBase64(response.last_block_app_hash) };
  return { height, appHash: wanted < height ? await headerHash(rpc, wanted + 1n) : undefined };
}

/** Undefined: the node no longer has the block, or never had it. */
async function headerHash(rpc: RpcClient, height: bigint): Promise<Uint8Array | undefined> {
  try {
    const { signed_header } = (await rpc.call("commit", { height: String(height) })) as {
      signed_header: { header: { app_hash: string } };
    };
    return fromHex(signed_header.header.app_hash.toLowerCase());
  } catch (error) {
    if (isUpgradeError(error) && error.code !== "UPG_REMOTE_UNAVAILABLE") return undefined;
    throw error;
  }
}
