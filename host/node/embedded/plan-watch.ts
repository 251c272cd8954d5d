/** Says in the log when a plan is cancelled, and counts down to its height. That one is scheduled is said by readiness.ts. */
import type { Height, Plan } from "../../base/types/types.js";

/** Blocks before the height at which a line is written. */
const COUNTDOWN: ReadonlySet<bigint> = new Set([10_000n, 1_000n, 100n, 10n, 1n]);

type PlanLine = { readonly message: string; readonly fields: Readonly<Record<string, string>> };

export class PlanWatch {
  #plan: Plan | undefined;

  /** `plan`: what state holds when the process starts. */
  constructor(plan: Plan | undefined) {
    this.#plan = plan;
  }

  /** @param height of the block after which state holds `plan` */
  after(height: Height, plan: Plan | undefined, applied: string | undefined): PlanLine[] {
    const before = this.#plan;
    this.#plan = plan;
    const lines: PlanLine[] = [];
    if (!plan) {
      // An upgrade that was applied has a line of its own, and so has one that was skipped.
      if (before && before.name !== applied && before.height > height) lines.push(line("plan cancelled", before));
      return lines;
    }
    const left = plan.height - height;
    if (COUNTDOWN.has(left)) lines.push(line(`upgrade in ${left} ${left === 1n ? "block" : "blocks"}`, plan, left));
    return lines;
  }
}

function line(message: string, { name, height }: Plan, left?: bigint): PlanLine {
  const blocks = left === undefined ? {} : { blocks_left: String(left) };
  return { message, fields: { plan: name, plan_height: String(height), ...blocks } };
}
