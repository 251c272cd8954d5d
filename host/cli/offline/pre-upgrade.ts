/** Opens a home as `start` would, and looks at the next block's decision, to see whether this binary can go on. */
import { fileURLToPath } from "node:url";
import type { App } from "../../chain/app.js";
import { wallClock } from "../../engine/clock.js";
import { openNode } from "../../engine/open-node.js";
import { isUpgradeError } from "../../errors.js";
import { UPGRADE_STORE } from "../../upgrade/keeper.js";

/** The sidecars' statuses. */
const GO_ON = 0;
const GIVE_UP = 30;
const TRY_AGAIN = 31;

export function preUpgrade(home: string, handlers: string | undefined, say: (line: string) => void): number {
  const folder = handlers ?? fileURLToPath(new URL("handlers", import.meta.url));
  try {
    const open = openNode({ home, clock: wallClock, handlers: folder, log: (_, message) => say(message) });
    try {
      const obstacle = obstacleOf(open.node.app);
      if (obstacle !== undefined) say(`Error: ${obstacle}`);
      return obstacle === undefined ? GO_ON : GIVE_UP;
    } finally {
      open.close();
    }
  } catch (error) {
    const code = isUpgradeError(error) ? ` [${error.code}]` : "";
    say(`Error: ${error instanceof Error ? error.message : String(error)}${code}`);
    return isUpgradeError(error) && error.code === "UPG_STORE_LOCKED" ? TRY_AGAIN : GIVE_UP;
  }
}

/** Why the next block would halt this binary; undefined when it would not. */
function obstacleOf({ keeper, multiStore, nextHeight }: App): string | undefined {
  const plan = keeper.plan(multiStore.store(UPGRADE_STORE));
  if (!plan) return undefined;
  const state = keeper.handlerState(plan);
  const isDue = plan.height <= nextHeight;
  if (!isDue) {
    if (state !== "ready") return undefined;
    return `the plan "${plan.name}" is due at height ${plan.height}, and the next block is ${nextHeight}: this binary comes too early`;
  }
  if (state === "ready") return undefined;
  const what = state === "absent" ? "has no handler" : "has another handler than the plan pins";
  return `the plan "${plan.name}" is due, and this binary ${what} for it`;
}
