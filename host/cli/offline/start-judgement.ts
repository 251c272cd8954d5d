/** Settings of `start` with which a node does not make a plan's block, whatever handler is here. */

import { UpgradeError } from "../../base/errors/errors.js";
import { visible } from "../../base/text/visible.js";
import type { Height, Plan } from "../../base/types/types.js";
import type { Chain } from "../../chain/app/chain.js";
import type { StartSettings } from "../flags/start-settings.js";

/** The home, the height of its next block, and what a start would run with. */
export interface StartFacts {
  readonly home: string;
  readonly next: Height;
  readonly start: StartSettings;
  /** A node has the home open, and began with these settings at a block that is not known here. */
  readonly isRunning: boolean;
}

/** @throws UpgradeError UPG_INVALID_CONFIG naming the setting and what takes it away */
export function requireBlockMade(plan: Plan | undefined, facts: StartFacts): void {
  const problem = hindrance(plan, facts);
  if (problem !== undefined) throw new UpgradeError("UPG_INVALID_CONFIG", problem);
}

/** Why a start would not come to the plan's block, or would leave it out; undefined: it makes the block. */
export function hindrance(plan: Plan | undefined, facts: StartFacts): string | undefined {
  return (plan && skipped(plan, facts)) ?? halted(plan, facts) ?? ended(plan, facts);
}

const block = ({ name, height }: Plan) => `block ${height}, which applies the upgrade "${visible(name)}"`;

function skipped(plan: Plan, { home, start }: StartFacts): string | undefined {
  const found = start.skipHeights.find(({ heights }) => heights.includes(plan.height));
  if (!found) return undefined;
  const { words, change } = start.sourceOf(found.setting);
  const others = found.heights.filter((height) => height !== plan.height).join(",");
  return (
    `${plan.height} is in ${found.setting} (${words}): this node leaves out the upgrade "${visible(plan.name)}", and its state ` +
    `differs from that of nodes that apply it. To apply it: ${change(others, home)}`
  );
}

/** A halt height counts before every other decision of a block. */
function halted(plan: Plan | undefined, { home, next, start }: StartFacts): string | undefined {
  const { haltHeight } = start;
  if (haltHeight === 0n || haltHeight > (plan && plan.height > next ? plan.height : next)) return undefined;
  const { words, change } = start.sourceOf("halt-height");
  const what = plan ? `ends before ${block(plan)}` : `makes no block: the next one is ${next}`;
  return `halt-height is ${haltHeight} (${words}): this node ${what}. To go on: ${change("", home)}`;
}

function ended(plan: Plan | undefined, { home, next, start, isRunning }: StartFacts): string | undefined {
  const { maxBlocks } = start;
  if (maxBlocks === undefined) return undefined;
  const { words, change } = start.sourceOf("max-blocks");
  // At the height the next start counts from there.
  if (plan && isRunning && plan.height > next) {
    const why = `it counts from the node's start, which is not known here, and may end the node before ${block(plan)}`;
    return `max-blocks is ${maxBlocks} (${words}): ${why}. To go on: ${change("", home)}`;
  }
  if (next + BigInt(maxBlocks) > (plan?.height ?? next)) return undefined;
  const what = plan ? `before ${block(plan)}` : "without a block";
  return `max-blocks is ${maxBlocks} (${words}): a node that is started now ends ${what}. To go on: ${change("", home)}`;
}

/** Said where the plan's version is hidden: "" where it is not. */
export function hiddenBy({ versions }: Chain, { name }: Plan, { appVersion, sourceOf }: StartSettings): string {
  const isHidden = appVersion !== undefined && versions.some((each) => each.plan === name && each.number > appVersion);
  if (!isHidden) return "";
  return `; app-version is ${appVersion} (${sourceOf("app-version").words}), so this program knows nothing newer`;
}
