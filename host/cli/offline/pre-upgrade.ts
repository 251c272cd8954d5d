/** Opens a home as `start` would, to see whether it can. */
import { fileURLToPath } from "node:url";
import { wallClock } from "../../engine/clock.js";
import { openNode } from "../../engine/open-node.js";
import { isUpgradeError } from "../../errors.js";

/** The sidecars' statuses. */
const GO_ON = 0;
const GIVE_UP = 30;
const TRY_AGAIN = 31;

export function preUpgrade(home: string, handlers: string | undefined, say: (line: string) => void): number {
  const folder = handlers ?? fileURLToPath(new URL("handlers", import.meta.url));
  try {
    openNode({ home, clock: wallClock, handlers: folder, log: (_, message) => say(message) }).close();
    return GO_ON;
  } catch (error) {
    say(
      `Error: ${error instanceof Error ? error.message : String(error)}${isUpgradeError(error) ? ` [${error.code}]` : ""}`,
    );
    return isUpgradeError(error) && error.code === "UPG_STORE_LOCKED" ? TRY_AGAIN : GIVE_UP;
  }
}
