/** A sidecar asks its node for the plan every few seconds. In between, the home's state may hold a plan that it has not read. */
import type { Pending } from "./decision/decide.js";
import { BEFORE_HEIGHT, type PlanStatus, type VisorStatus } from "./status.js";

/**
 * The status of a sidecar, with the node's plan in place of what the sidecar has not read yet: nothing was found of that plan, so the node
 * is not ready for it.
 * @param inState the plan that the state of the home holds; undefined: none
 */
export function withUnseenPlan(status: VisorStatus, inState: Pending | undefined): VisorStatus {
  // In other phases the sidecar is busy with a plan that is due, or with a node that does not run.
  if (!inState || !BEFORE_HEIGHT.has(status.phase) || isSeen(status, inState)) return status;
  const { name, height } = inState.plan;
  const { why, next } = reasonOf(status);
  const detail = `the node has scheduled "${name}" at height ${height}, and the sidecar ${why}`;
  return {
    ...status,
    phase: "waiting",
    plan: planStatus(inState),
    eta: null,
    message: detail,
    next: [next],
    readiness: [{ what: "plan", state: "unknown", detail, next }],
  };
}

function reasonOf({ rpc_failure: failure }: VisorStatus): { why: string; next: string } {
  if (!failure) {
    return {
      why: "has not read it yet: what is there for it was not looked at. Ask again in a few seconds",
      next: "chainvisor status",
    };
  }
  const { address, why } = failure;
  return {
    why:
      `cannot read it: ${why}. CHAINVISOR_RPC_ADDRESS is ${address}: ` +
      "set it to the address of this node's RPC, and restart the sidecar",
    next: "chainvisor config view --sources",
  };
}

export const planStatus = ({ plan: { name, height, info }, origin }: Pending): PlanStatus => ({
  ...{ name, height: String(height), info, origin },
});

function isSeen({ plan, height }: VisorStatus, { plan: inState }: Pending): boolean {
  if (height && BigInt(height.value) >= inState.height) return true;
  if (!plan) return false;
  // The sidecar reports the plan that comes first.
  if (plan.origin === "operator") return BigInt(plan.height) <= inState.height;
  return plan.name === inState.name && plan.height === String(inState.height);
}
