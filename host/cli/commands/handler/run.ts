/** `chaind handler run FILE --state HOME`: what would this handler do to this chain? Nothing is written. */

import { isUpgradeError } from "../../../base/errors/errors.js";
import type { Cobra } from "../../../base/terminal/cobra.js";
import { HANDLER_DISK_MAX_HELP, parseCount, parseHeight } from "../../../base/terminal/options.js";
import type { Output } from "../../../base/terminal/output.js";
import type { Failure } from "../../../upgrade/test-kit/failure/explain.js";
import { failureLines } from "../../../upgrade/test-kit/failure/failure-lines.js";
import { openMappedHandler } from "../../author/map/mapped-handler.js";
import { gasLines } from "../../author/testing/gas-text.js";
import type { Context } from "../../flags/context.js";
import { type Trial, tryHandler } from "../../rehearsal/handler-trial.js";
import { failedAnswer, trialAnswer } from "../../rehearsal/report/trial-answer.js";

interface RunOptions {
  readonly state: string;
  readonly height?: bigint;
  readonly handlerDiskMax?: number;
  readonly gas?: boolean;
}

export function registerRun(handler: Cobra, context: Context): void {
  const { chain } = context;
  handler
    .command("run")
    .argument("<file>", "handler file")
    .summary("Try a handler on the state of a chain")
    .description(
      "Runs a handler on a branch of the state in a home, as if its plan were due at once. Nothing is written\n" +
        "there; no plan is needed and no version that knows it. A node may run in the home meanwhile. What the block would\n" +
        "write is kept in a temporary folder (TMPDIR) until the end.\n\n" +
        "Exit status 20: the handler failed. 21: nodes would refuse it, or it broke a rule. 30: the stores do not fit.\n" +
        "3: no state of that height. 2: no such file, or no home.",
    )
    .requiredOption("--state <home>", "home of the chain")
    .option("--height <height>", "begin with the state of this height (default: the last one)", parseHeight)
    .option("--gas", "print what the gas went to; for that the handler runs twice")
    .option("--handler-disk-max <bytes>", HANDLER_DISK_MAX_HELP, parseCount)
    .example("handler run v3.wasm --state node", "handler run v3.wasm --state node --height 40 -o json")
    .action(async (file: string, { state, height, handlerDiskMax, gas }: RunOptions) => {
      let failure: Failure | undefined;
      try {
        const wasm = openMappedHandler(file);
        const log = (line: string) => context.say(line);
        const onFailure = (why: Failure) => {
          failure = why;
        };
        const trial = tryHandler(chain, { handler: wasm, home: state, height, handlerDiskMax, log, onFailure, gas });
        await printTrial(trial, context);
      } catch (error) {
        if (!isUpgradeError(error)) throw error;
        if (!context.isJson) {
          // People get the one line that every failure is, machines the record with all its fields.
          if (failure) context.say(failureLines(failure).join("\n"));
          if (error.details["gas"] !== undefined) context.say(`gas until it failed: ${error.details["gas"]}`);
          throw error;
        }
        context.setExitStatus(error.kind.exit);
        await context.print(failedAnswer(error, failure));
      }
    });
}

/** People get what the gas went to as a table of its own. */
async function printTrial(trial: Trial, output: Output): Promise<void> {
  const { gas_profile: profile, ...answer } = trialAnswer(trial);
  if (!profile) await output.print(answer);
  else if (output.isJson) await output.print({ ...answer, gas_profile: profile });
  else {
    await output.print(answer);
    await output.print(profile, gasLines(profile).join("\n"));
  }
}
