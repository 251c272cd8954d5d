/** The command line of a chain as a process: its arguments, its streams, and what happens to it outside of any command. */

import { isUpgradeError } from "../../base/errors/errors.js";
import { machineProblem } from "../../base/errors/machine.js";
import { FailureReporter } from "../../base/terminal/fail.js";
import { PROCESS_IO } from "../../base/terminal/io.js";
import { watchForResult } from "../../base/terminal/result-watch.js";
import { OWN_PROGRAM } from "../../base/text/program-text.js";
import type { Chain } from "../../chain/app/chain.js";
import { commandOf, PRE_UPGRADE, REFUSED, runCommandLine, wantsJson } from "./command-line.js";
import type { ProgramCommand } from "./program-command.js";

/** Ends the process with an error that came up outside of any command; of our own faults people can report where. */
export function endWithFailure(error: unknown, reporter = new FailureReporter(OWN_PROGRAM, PROCESS_IO)): never {
  const args = process.argv.slice(2);
  const isOurs = !isUpgradeError(error) && machineProblem(error) === undefined;
  const isJson = wantsJson(args, process.env, reporter.program);
  const exit = reporter.report(error, { isJson, isTraced: isOurs || args.includes("--trace") });
  process.exit(args.includes(PRE_UPGRADE) ? REFUSED : exit);
}

/** A closed log pipe must not end these commands: with exit status 0, a service would not start them again. */
const isNode = (args: readonly string[]) => ["start", "relay"].includes(commandOf(args) ?? "");

/** Runs the command that the process was started with, and sets its exit status. */
export async function runProcess(chain: Chain, more: readonly ProgramCommand[]): Promise<void> {
  const args = process.argv.slice(2);
  const reporter = new FailureReporter(chain.name, PROCESS_IO);
  const asked = { isJson: wantsJson(args, process.env, chain.name), isTraced: args.includes("--trace") };
  const hasResult = watchForResult(reporter, asked.isJson, {
    isOwn: more.some(({ name }) => name === commandOf(args)),
    ...(args.includes(PRE_UPGRADE) ? { exit: REFUSED } : {}),
  });
  // A reader of our output may close it early (`chaind … | head`); a full disk loses it.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE" && isNode(args)) return;
    hasResult();
    process.exit(error.code === "EPIPE" ? 0 : reporter.report(error, asked));
  });
  // Logs whose reader has gone, or whose disk is full, are lost; a node goes on making blocks.
  process.stderr.on("error", () => undefined);
  // Tests and debuggers may look after such errors themselves.
  if (process.listenerCount("uncaughtException") === 0) {
    process.on("uncaughtException", (error) => endWithFailure(error, reporter));
  }
  const exit = await runCommandLine(chain, args, PROCESS_IO, more, reporter);
  hasResult();
  // A command of the chain's own may have set the status itself.
  if (exit !== 0 || process.exitCode === undefined) process.exitCode = exit;
}
