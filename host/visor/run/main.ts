/** `chainvisor`: the sidecar. What a command needs is loaded when it runs. */
import { FailureReporter } from "../../base/terminal/fail.js";
import { PROCESS_IO } from "../../base/terminal/io.js";
import { VISOR_PROGRAM } from "../decide/program-variables.js";
import { splitArguments } from "../decide/run-arguments.js";
import { runVisorCommand, wantsJson } from "./command-line.js";

export async function runChainvisor(): Promise<void> {
  const args = process.argv.slice(2);
  const reporter = new FailureReporter(VISOR_PROGRAM, PROCESS_IO);
  // A reader of our output may close it early (`chainvisor … | head`); a full disk loses it.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    const { own, app } = splitArguments(args);
    // The sidecar goes on: status 0 for a log that nobody reads would leave the node down.
    if (error.code === "EPIPE" && app) return;
    const asked = { isJson: wantsJson(own), isTraced: args.includes("--trace") };
    process.exit(error.code === "EPIPE" ? 0 : reporter.report(error, asked));
  });
  process.stderr.on("error", () => undefined);
  process.exitCode = await runVisorCommand(args, PROCESS_IO, reporter);
}
