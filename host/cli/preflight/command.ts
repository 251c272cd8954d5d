/** `chaind upgrade preflight`: is all there for the scheduled upgrade? */

import type { Cobra } from "../../base/terminal/cobra.js";
import { settingFlags } from "../../base/terminal/known-settings.js";
import { HANDLER_DISK_MAX_HELP, parseCount } from "../../base/terminal/options.js";
import { startUnderSidecar } from "../../node/home/supervised-start.js";
import { NOT_READY_EXIT } from "../../visor/decide/readiness.js";
import type { Context } from "../flags/context.js";
import { settledStart } from "../flags/start-settings.js";
import type { PreflightFlags } from "./preflight.js";

export function registerPreflight(program: Cobra, group: Cobra, context: Context): void {
  group
    .command("preflight")
    .summary("Check whether all is there for the scheduled upgrade: one table, one exit status")
    .description(
      "Looks at the plan and the time left, this binary and the program that is staged in Cosmovisor's folders, the checksum\n" +
        "that the plan pins, the handler with its layouts, the stores before and after, disk, memory, the last rehearsal,\n" +
        "attestations and the sidecar. Writes nothing; a node may run in the home.\n" +
        "Exit 0: ready, warnings included. 30: something is missing. 3: no plan is scheduled.",
    )
    .option("--plan <name>", "the plan that must be scheduled (default: whichever is)")
    .option(
      "--rehearsal <file>",
      "a report of `upgrade rehearse -o json` (default: data/rehearsals/<plan>.json of the home)",
    )
    .option("--handlers <string>", "folder of handlers, beside <home>/handlers (default: the program's own)")
    .option("--handlers-staged <string>", "one more folder of handlers that wait for their height")
    .option("--handler-disk-max <bytes>", HANDLER_DISK_MAX_HELP, parseCount)
    .example("upgrade preflight --home node", "upgrade preflight --plan v2 --home node -o json")
    .action(async (flags: PreflightFlags, command: Cobra) => {
      const { preflight } = await import("./preflight.js");
      const { isReady, tableText } = await import("./row.js");
      const settings = [...settingFlags(program, "app").keys()];
      const { chain, io } = context;
      const home = String(command.optsWithGlobals()["home"]);
      const all = {
        ...flags,
        settings,
        env: io.env,
        start: () => settledStart(program, io.env, startUnderSidecar(chain.name, home, io.env)),
      };
      const { plan, rows } = await preflight(chain, home, all);
      await context.print(
        {
          plan: { name: plan.name, height: String(plan.height) },
          is_ready: isReady(rows),
          checks: rows.map(({ check, state, words, next }) => ({ check, state, words, next: next ?? null })),
        },
        tableText(rows),
      );
      if (!isReady(rows)) context.setExitStatus(NOT_READY_EXIT);
    });
}
