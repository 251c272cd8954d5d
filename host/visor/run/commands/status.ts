/** `chainvisor status`. */

import type { Cobra } from "../../../base/terminal/cobra.js";
import { realMachine } from "../real-machine.js";
import type { VisorTools } from "../tools.js";
import { statusCommand } from "../without-sidecar/command.js";

export function registerStatus(program: Cobra, tools: VisorTools): void {
  program
    .command("status")
    .summary("Print what the sidecar of this home is doing")
    .description(
      "Asks the sidecar that runs on this home, at <home>/cosmovisor/chainvisor.sock: its phase, the plan and the time left, what is\n" +
        "ready, what is missing, and the next command. Where none runs, it prints what the files of the home say, asks the plan's program\n" +
        "(`version`, `pre-upgrade`), and ends with 3. While the sidecar tries a plan's program, it waits at most 30 s for the result.\n" +
        "Exit 30: the node is not ready for its plan, has not made the upgrade's block since the switch, or the sidecar failed.",
    )
    .option("--watch", "print again at each change, until the sidecar ends")
    .example("status", "status -o json", "status --watch")
    .action(async ({ watch = false }: { watch?: boolean }) => {
      const exit = await statusCommand({
        settings: tools.settings(),
        machine: realMachine,
        isWatching: watch,
        signal: new AbortController().signal,
        print: (status, text) => tools.output.print(status, text),
      });
      tools.setExitStatus(exit);
    });
}
