/** What a node that makes no empty blocks waits for. */
import { equalBytes } from "../../base/text/bytes.js";
import type { EmbeddedNode } from "./embedded-node.js";

/** A timer takes no more. */
export const TIMER_MILLIS_MAX = 2_147_483_647;

/** Returns when the next block has something to do, or at the signal. */
export async function somethingToDo(node: EmbeddedNode, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && !hasWork(node)) await change(node, signal);
}

/**
 * The first block is made at once. A transaction waits for nobody, a plan that is due neither, nor the end of a deposit
 * or a vote. After a block that held transactions or changed state comes one more, whose header carries its result,
 * so that it can be proven.
 */
function hasWork({ app, lastBlock, mempool, millisToNextEnd }: EmbeddedNode): boolean {
  if (!lastBlock || mempool.count > 0 || app.isUpgradeBlockNext || millisToNextEnd === 0) return true;
  return lastBlock.txCount > 0 || !equalBytes(lastBlock.header.appHash, lastBlock.appHash);
}

/** A transaction, the end of a period, or the signal. */
function change({ mempool, millisToNextEnd }: EmbeddedNode, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      stopListening();
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer =
      millisToNextEnd === undefined ? undefined : setTimeout(done, Math.min(millisToNextEnd, TIMER_MILLIS_MAX));
    const stopListening = mempool.onArrival(done);
    signal.addEventListener("abort", done, { once: true });
  });
}
