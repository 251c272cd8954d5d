/** Proposals to upgrade, as the chain's governance lists them: `/cosmos/gov/v1/proposals`. Unproven. */
import { integer, list, members, shownText } from "./json.js";
import { millisOf } from "./number-text.js";
import type { StatusPlan, StatusProposal } from "./status.js";

export interface UpgradeProposal extends StatusProposal {
  /** `passed`, `in its voting period`, `rejected`, …: the status in words. */
  readonly status: string;
  readonly votingEnds: number | undefined;
  readonly plan: StatusPlan;
}

const SOFTWARE_UPGRADE = "/cosmos.upgrade.v1beta1.MsgSoftwareUpgrade";
const STATUS_PREFIX = "PROPOSAL_STATUS_";

/** Proposals that schedule a plan, as they came. */
export function readProposals(value: unknown): UpgradeProposal[] {
  return list(members(value)["proposals"]).flatMap((each) => {
    const proposal = members(each);
    const id = integer(proposal["id"]);
    const plan = planOf(proposal["messages"]);
    if (id === undefined || plan === undefined) return [];
    const status = (shownText(proposal["status"]) ?? "").replace(STATUS_PREFIX, "").toLowerCase().replaceAll("_", " ");
    const votingEnds = millisOf(proposal["voting_end_time"]);
    return [
      {
        id,
        plan,
        status,
        votingEnds,
        title: shownText(proposal["title"]) ?? "",
        summary: shownText(proposal["summary"]) ?? "",
      },
    ];
  });
}

function planOf(messages: unknown): StatusPlan | undefined {
  for (const each of list(messages)) {
    const message = members(each);
    const plan = members(message["plan"]);
    const [name, height] = [shownText(plan["name"]), integer(plan["height"])];
    if (message["@type"] !== SOFTWARE_UPGRADE || name === undefined || height === undefined) continue;
    return { name, height, info: shownText(plan["info"]) ?? "" };
  }
  return undefined;
}

/** The one that scheduled this plan; without a plan, the next one that is in its voting period. */
export function proposalOf(
  proposals: readonly UpgradeProposal[],
  plan: StatusPlan | undefined,
): UpgradeProposal | undefined {
  const newestFirst = [...proposals].sort((a, b) => (a.id < b.id ? 1 : -1));
  if (!plan) return newestFirst.find(({ status }) => status === "voting period");
  return newestFirst.find(
    (each) => each.plan.name === plan.name && each.plan.height === plan.height && each.status === "passed",
  );
}
