/** Opens the job's home in this process: time is counted by blocks, and the handlers are those of the program. */
import { fileURLToPath } from "node:url";
import { logicalClock } from "../../engine/clock.js";
import { type OpenNode, openNode } from "../../engine/open-node.js";

export const BLOCK_TIME = "5s";
const BLOCK_NANOS = 5_000_000_000n;

export function builtInHandlers(): string {
  return fileURLToPath(new URL("handlers", import.meta.url));
}

/** `appVersion`: know nothing newer. */
export function openJob(home: string, appVersion?: bigint): OpenNode {
  return openNode({
    home,
    clock: logicalClock(BLOCK_NANOS),
    handlers: builtInHandlers(),
    log: () => undefined,
    ...(appVersion === undefined ? {} : { appVersion }),
  });
}
