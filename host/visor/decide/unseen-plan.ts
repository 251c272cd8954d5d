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

/**
 * Why nobody knows whether the chain has scheduled an upgrade, with the way out. Undefined: the node's last response says it, or the
 * sidecar is busy with an upgrade.
 */
export function unreadPlan(status: VisorStatus): { readonly detail: string; readonly next: string } | undefined {
  const { phase, rpc_failure: failure, is_plan_read: isRead, plan } = status;
  if (isRead && !failure) return undefined;
  if (plan?.origin === "chain" || (phase !== "starting" && !BEFORE_HEIGHT.has(phase))) return undefined;
  const { why, next } = reasonOf(status);
  return { detail: `whether the chain has scheduled an upgrade is not known: the sidecar ${why}`, next };
}

function reasonOf({ rpc_failure: failure }: VisorStatus): { why: string; next: string } {
  if (!failure) {
    return {
      why: "has not read the node's plan yet, and has not looked at what is there for it. Ask again in a few seconds",
      next: "chainvisor status",
    };
  }
  const { address, why, next = "chainvisor config view --sources" } = failure;
  return {
    why:
      `cannot read the node's plan: ${why}. CHAINVISOR_RPC_ADDRESS is ${address}: ` +
      "set it to the address of this node's RPC, and restart the sidecar",
    next,
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
