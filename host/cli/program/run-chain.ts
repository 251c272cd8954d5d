/**
 * The program of a chain: its command line, its node, its servers. `start` runs the same file a second time, in a
 * thread: there it is the engine. What a command needs is loaded when it runs.
 */
import { isMainThread } from "node:worker_threads";
import type { Chain } from "../../chain/app/chain.js";
import type { ProgramCommand } from "./program-command.js";

/**
 * Runs the command that the process was started with, and sets its exit status (docs/errors.md). Call it last in the
 * file that `node` is started with.
 *
 * @param more commands besides those of every chain
 *
 * @example
 * process.argv = ["node", "notesd", "version"]; // what a user typed
 * await runChain(defineChain({ name: "notesd", modules: [auth(), bank(), staking(), gov(), upgrade()] }));
 */
export async function runChain(chain: Chain, ...more: readonly ProgramCommand[]): Promise<void> {
  if (isMainThread) {
    const { runProcess } = await import("./process.js");
    await runProcess(chain, more);
  } else {
    const { runThread } = await import("../../node/threads/engine-worker.js");
    await runThread(chain);
  }
}
