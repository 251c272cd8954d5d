/** Where the sidecar holds CometBFT's connections, CometBFT that ends by itself is started again as an application that crashes is. */
import { messageOf } from "../../../base/errors/errors.js";
import { Halt } from "../../../upgrade/module/halt.js";
import { CrashLoop } from "../../decide/decision/crash-loop.js";
import type { Shared } from "../loop/options.js";
import { StepFailure } from "../loop/scripts.js";

/** CometBFT has ended, or a worker in a way that only CometBFT's handshake can go on from. */
const MENDABLE: ReadonlySet<string> = new Set(["UPG_HALT_ENGINE", "UPG_HALT_WORKER"]);

/**
 * @param hold CometBFT and the application, from their start to their end
 * @returns what the last `hold` returns; 0: asked to stop meanwhile
 * @throws StepFailure: it has ended too often; whatever else `hold` throws
 */
export async function heldAgain(
  { settings, machine, board, log, signal }: Pick<Shared, "settings" | "machine" | "board" | "log" | "signal">,
  hold: () => Promise<number>,
): Promise<number> {
  const crashes = new CrashLoop(settings);
  for (;;) {
    try {
      return await hold();
    } catch (error) {
      if (!(error instanceof Halt) || !MENDABLE.has(error.code) || signal.aborted) throw error;
      const wait = crashes.next(machine.clock.now());
      if (wait === undefined) throw tooOften(error, settings);
      const seconds = wait / 1_000;
      log("warn", `${messageOf(error)}. CometBFT and the application are started again in ${seconds} s`);
      const restarts = board.current.restarts + 1;
      board.update({ restarts, message: `${messageOf(error)}; started again in ${seconds} s` });
      await machine.clock.sleep(wait, signal);
      if (signal.aborted) return 0;
    }
  }
}

function tooOften(error: Halt, { restartsMax, restartWindow }: Shared["settings"]): StepFailure {
  const often = restartsMax === 0 ? "" : `, after ${restartsMax} restarts in ${restartWindow / 1_000} s`;
  return new StepFailure(`${messageOf(error)}${often}`, error.kind.exit);
}
