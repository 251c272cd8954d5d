/** What an attestation names and rests on, compared with the chain of the node that is asked: it stays in state for everybody to rely on. */
import { fromBase64, fromHex } from "../../bytes.js";
import type { RpcClient } from "../../comet-rpc/client.js";
import { isUpgradeError } from "../../errors.js";
import { Query as UpgradeQuery } from "../../gen/chain/upgrade/v1beta1/query_pb.js";
import { ProposalStatus } from "../../gen/cosmos/gov/v1/gov_pb.js";
import { Query as GovQuery } from "../../gen/cosmos/gov/v1/query_pb.js";
import { scheduledPlan } from "../../modules/upgrade/compose.js";
import { programName } from "../../program-name.js";
import { shellWord } from "../../shell-word.js";
import { usage } from "../../usage.js";
import { visible } from "../../visible.js";
import { ask } from "../../wallet/ask.js";
import type { TxFlags } from "./flags.js";
import { type RehearsalReport, readRehearsal } from "./rehearsal-report.js";
import { foreignTo, type NamedPlans, type RehearsedChain, type RehearsedPlan } from "./rehearsed-chain.js";
import { chainIdOf } from "./send.js";

export interface AppliedReport extends RehearsalReport {
  readonly state: NonNullable<RehearsalReport["state"]>;
  readonly appHash: string;
}

/** @throws UpgradeError UPG_INVALID_ARGUMENT where the report is of another plan, or of a rehearsal that failed */
export function appliedReport(file: string, plan: string, home: string): AppliedReport {
  const report = readRehearsal(file);
  const { exit, state, appHash, verdict } = report;
  if (report.plan.name !== plan)
    throw usage(`${file} rehearses the plan "${visible(report.plan.name)}", not "${visible(plan)}"`);
  const found = report.openFindings.map(visible).join(",");
  if (found !== "" && (exit === 0 || exit === 1)) {
    throw usage(
      `${file} has findings of ${found}, which nobody has accepted: read them there. If they are expected, ` +
        `\`${programName()} upgrade rehearse --home ${shellWord(home)} --accept ${found}\` makes a report that can be attested`,
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
    throw usage(`${report.file} ${visible(why)}: ${rehearseAgain(chain.plans, home)} makes one that can be attested`);
}

/** State does not have a plan that is only proposed: a file names its height and info. */
function rehearseAgain(plans: NamedPlans | undefined, home: string): string {
  const rehearse = `${programName()} upgrade rehearse --home ${shellWord(home)}`;
  if (!plans || plans.isScheduled) return `\`${rehearse}\``;
  const [{ name, height, info }] = plans.plans;
  const json = visible(JSON.stringify({ name, height: String(height), info }));
  return `\`${rehearse} --plan FILE\`, with the file ${json},`;
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
