/** The command line of a chain, as a function: runs one command and returns the exit status of docs/errors.md. */

import { readyArguments } from "../../base/terminal/arguments.js";
import { FailureReporter } from "../../base/terminal/fail.js";
import type { Io } from "../../base/terminal/io.js";
import { requireWasm } from "../../base/terminal/require-wasm.js";
import { envName, settle } from "../../base/terminal/settings.js";
import { VERSION } from "../../base/terminal/version.js";
import { envPrefix } from "../../base/text/program-text.js";
import type { Chain } from "../../chain/app/chain.js";
import { makeProgram } from "./program.js";
import type { ProgramCommand } from "./program-command.js";

/**
 * A mistake on the command line is reported in the form that was asked for, also when it cannot be parsed.
 * @param program its name
 */
export function wantsJson(args: readonly string[], env: Io["env"], program: string): boolean {
  let format = env[envName("--output", envPrefix(program))];
  for (const [at, arg] of args.entries()) {
    const joined = /^(?:-o=?|--output=)(.+)$/.exec(arg)?.[1];
    if (arg === "--json") format = "json";
    else if (arg === "-o" || arg === "--output") format = args[at + 1];
    else if (joined !== undefined) format = joined;
  }
  return format === "json";
}

/** Sidecars go on with the upgrade after every status of `pre-upgrade` but this one and 31. */
export const [PRE_UPGRADE, REFUSED] = ["pre-upgrade", 30] as const;

/** Commands that neither compute state nor ask a node. */
const WITHOUT_WASM = new Set(["version", "completion", "config", "keys", "help"]);

export const commandOf = (args: readonly string[]): string | undefined => args.find((arg) => !arg.startsWith("-"));

const needsWasm = (args: readonly string[]) => !WITHOUT_WASM.has(commandOf(args) ?? "help");

/**
 * Leaves the process alone: it sets no exit status and listens to nothing, except that `start`, `relay` and `localnet` listen to
 * signals while they run. So commands of several chains can run in one process.
 *
 * @param args without the program's own name
 * @param more commands besides those of every chain
 * @param reporter reports how the command fails
 */
export async function runCommandLine(
  chain: Chain,
  args: readonly string[],
  io: Io,
  more: readonly ProgramCommand[] = [],
  reporter: FailureReporter = new FailureReporter(chain.name, io),
): Promise<number> {
  let isJson = wantsJson(args, io.env, chain.name);
  let isAskedBySidecar = false;
  let status = 0;
  const setExitStatus = (given: number) => {
    status = given;
  };
  try {
    // Before the command is loaded: what it imports may want WebAssembly at once.
    if (needsWasm(args)) requireWasm();
    const openLog = reporter.openLog.bind(reporter);
    const program = await makeProgram({ chain, io, setExitStatus, openLog }, args, VERSION, more);
    const ready = readyArguments(args, program);
    program.hook("preAction", (_, command) => {
      isAskedBySidecar = command.name() === PRE_UPGRADE;
      settle(command, { env: io.env, off: ready.off });
      // Errors are JSON for those who asked for it, not for all who send a transaction.
      isJson = program.opts()["output"] === "json";
      if (program.opts()["output"] !== undefined) return;
      const isTx = command.parent !== null && topName(command) === "tx";
      program.setOptionValue("output", isTx ? "json" : "text");
    });
    await program.parseAsync(ready.args, { from: "user" });
    return status;
  } catch (error) {
    const exit = reporter.report(error, { isJson, isTraced: args.includes("--trace") });
    return isAskedBySidecar ? REFUSED : exit;
  }
}

function topName(command: { parent: typeof command | null; name(): string }): string {
  return command.parent?.parent ? topName(command.parent) : command.name();
}
