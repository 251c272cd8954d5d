/** The command line of a chain: runs one command and returns the exit status of docs/errors.md. */
import type { Chain } from "../chain/define-chain.js";
import { readyArguments } from "../shell/arguments.js";
import { reportFailure } from "../shell/fail.js";
import { serveChain } from "../shell/program-chain.js";
import { envName, settle } from "../shell/settings.js";
import { VERSION } from "../version.js";
import { makeProgram } from "./program.js";

/** A mistake on the command line is reported in the form that was asked for, also when it cannot be parsed. */
function wantsJson(args: readonly string[]): boolean {
  let format = process.env[envName("--output")];
  for (const [at, arg] of args.entries()) {
    const joined = /^(?:-o=?|--output=)(.+)$/.exec(arg)?.[1];
    if (arg === "--json") format = "json";
    else if (arg === "-o" || arg === "--output") format = args[at + 1];
    else if (joined !== undefined) format = joined;
  }
  return format === "json";
}

/** Ends the process with an error that came up outside of any command. */
export function endWithFailure(error: unknown): never {
  const args = process.argv.slice(2);
  process.exit(reportFailure(error, wantsJson(args), args.includes("--trace")));
}

export async function runCommandLine(chain: Chain): Promise<number> {
  const args = process.argv.slice(2);
  serveChain(chain);
  // A reader of our output may close it early (`chaind … | head`); a full disk loses it.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    process.exit(error.code === "EPIPE" ? 0 : reportFailure(error, wantsJson(args), args.includes("--trace")));
  });
  // Logs whose reader has gone, or whose disk is full, are lost; a node goes on making blocks.
  process.stderr.on("error", () => undefined);
  let isJson = wantsJson(args);
  try {
    const program = await makeProgram(args, VERSION);
    const ready = readyArguments(args, program);
    program.hook("preAction", (_, command) => {
      settle(command, { env: process.env, off: ready.off });
      // Errors are JSON for those who asked for it, not for all who send a transaction.
      isJson = program.opts()["output"] === "json";
      if (program.opts()["output"] !== undefined) return;
      const isTx = command.parent !== null && topName(command) === "tx";
      program.setOptionValue("output", isTx ? "json" : "text");
    });
    await program.parseAsync(ready.args, { from: "user" });
    return Number(process.exitCode ?? 0);
  } catch (error) {
    return reportFailure(error, isJson, args.includes("--trace"));
  }
}

function topName(command: { parent: typeof command | null; name(): string }): string {
  return command.parent?.parent ? topName(command.parent) : command.name();
}
