/** Opens the job's home in this process: time is counted by blocks, and the handlers are those of the program. */

import type { Chain } from "../../chain/app/chain.js";
import { logicalClock } from "../../node/embedded/clock.js";
import { type OpenNode, openNode } from "../../node/open/open-node.js";

export const BLOCK_TIME = "5s";
const BLOCK_NANOS = 5_000_000_000n;

/** `appVersion`: know nothing newer. */
export function openJob(chain: Chain, home: string, appVersion?: bigint): OpenNode {
  return openNode({
    chain,
    home,
    clock: logicalClock(BLOCK_NANOS),
    log: () => undefined,
    ...(appVersion === undefined ? {} : { appVersion }),
  });
}
