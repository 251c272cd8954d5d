/**
 * What is left of an application: of one whose sidecar was killed, and of one that was a script and not the program itself, which
 * goes on when the script is ended. Nothing may touch the data while it runs, and no other program may be started beside it.
 */

import { MARK } from "../../decide/child-env.js";
import type { AppProcess } from "../../decide/machine.js";
import type { Shared } from "../loop/options.js";

/** A process that starts others as fast as they are ended is no application. */
const ROUNDS_MAX = 100;
/** What ends with its parent takes a moment. */
const PATIENCE_MILLIS = 100;
const LOOK_MILLIS = 10;

/** Until nothing is left. @param end ends one, and waits until it is gone */
export async function endLeftovers(
  { machine, settings, log }: Pick<Shared, "machine" | "settings" | "log">,
  of: "killed sidecar" | "application",
  end: (app: AppProcess) => Promise<unknown>,
): Promise<void> {
  const left = () => machine.processes.left(MARK, settings.root);
  const begin = machine.clock.now();
  while (of === "application" && machine.clock.now() - begin < PATIENCE_MILLIS && left().length > 0)
    await machine.clock.sleep(LOOK_MILLIS);
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const found = left();
    if (found.length === 0) return;
    for (const app of found) {
      log("warn", `process ${app.pid} ${WORDS[of]}: it is ended before another starts`);
      await end(app);
    }
  }
  throw new Error("processes of the application are started again as often as they are ended");
}

const WORDS = {
  "killed sidecar": "is the application of a sidecar that was killed",
  application:
    "was started by the application, or before the switch, and goes on (a script ends with `exec` and the program)",
} as const;
