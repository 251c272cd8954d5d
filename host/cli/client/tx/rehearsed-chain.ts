/** Is a rehearsal one of this chain, of the plan that is due, on a state that the chain has had? A report is a file that outlives all three. */
import { equalBytes, fromHex, toUpperHex } from "../../../base/text/bytes.js";
import type { Plan } from "../../../base/types/types.js";
import type { RehearsalReport } from "./rehearsal-report.js";

/** What is known of the chain; a member that is undefined is not known here, and is not compared. */
export interface RehearsedChain {
  readonly chainId: string | undefined;
  /** Those of the name that is asked for. */
  readonly plans: NamedPlans | undefined;
  /** Of the last block. */
  readonly height: bigint | undefined;
  /** Of the state that was rehearsed on. */
  readonly appHash: Uint8Array | undefined;
}

/** The scheduled plan, or those that open proposals name. */
export interface NamedPlans {
  readonly isScheduled: boolean;
  readonly plans: readonly [RehearsedPlan, ...RehearsedPlan[]];
}

export type RehearsedPlan = Pick<Plan, "name" | "height" | "info">;

const quoted = (text: string) => JSON.stringify(text);

/** Why it is none, as the end of a message that begins with the report; undefined: it is one. */
export function foreignTo(report: RehearsalReport, chain: RehearsedChain): string | undefined {
  if (chain.chainId !== undefined && report.chainId !== chain.chainId)
    return `is of the chain ${quoted(report.chainId)}, and this is ${quoted(chain.chainId)}`;
  return (chain.plans && otherPlan(report, chain.plans)) ?? otherState(report, chain);
}

function otherPlan(report: RehearsalReport, { isScheduled, plans }: NamedPlans): string | undefined {
  if (plans.some((each) => isSame(report, each))) return undefined;
  const [{ name: wanted }] = plans;
  const [was, is] = [report.plan.height, isScheduled ? "scheduled" : "proposed"];
  const name = quoted(report.plan.name);
  if (report.plan.name !== wanted) return `is of the plan ${name}, and the one that is ${is} is ${quoted(wanted)}`;
  if (plans.some(({ height }) => height === was))
    return `is of a plan ${name} with other info than the one that is ${is}`;
  const heights = [...new Set(plans.map(({ height }) => height))];
  const which = heights.length === 1 ? `the one that is ${is} is at` : `those that are ${is} are at`;
  return `is of a plan ${name} at height ${was}, and ${which} ${heights.join(" and ")}`;
}

const isSame = ({ plan }: RehearsalReport, { name, height, info }: RehearsedPlan) =>
  plan.name === name && plan.height === height && plan.info === info;

function otherState({ state }: RehearsalReport, { height, appHash }: RehearsedChain): string | undefined {
  if (!state || height === undefined) return undefined;
  if (state.height > height) return `is on the state of block ${state.height}, and the last block is ${height}`;
  if (!appHash || equalBytes(appHash, fromHex(state.appHash.toLowerCase()))) return undefined;
  return `is on another state of block ${state.height}: its app hash is ${state.appHash}, and here ${toUpperHex(appHash)}`;
}
