/** The command line of a chain: runs one command and returns the exit status of docs/errors.md. */

import { isUpgradeError } from "../../base/errors/errors.js";
import { machineProblem } from "../../base/errors/machine.js";
import { readyArguments } from "../../base/terminal/arguments.js";
import { reportFailure } from "../../base/terminal/fail.js";
import { requireWasm } from "../../base/terminal/require-wasm.js";
import { watchForResult } from "../../base/terminal/result-watch.js";
import { envName, settle } from "../../base/terminal/settings.js";
import { VERSION } from "../../base/terminal/version.js";
import type { Chain } from "../../chain/app/chain.js";
import { serveChain } from "../flags/program-chain.js";
import { makeProgram } from "./program.js";
import type { ProgramCommand } from "./program-command.js";

/** A mistake on the command line is reported in the form that was asked for, also when it cannot be parsed. */
export function wantsJson(args: readonly string[]): boolean {
  let format = process.env[envName("--output")];
  for (const [at, arg] of args.entries()) {
    const joined = /^(?:-o=?|--output=)(.+)$/.exec(arg)?.[1];
    if (arg === "--json") format = "json";
    else if (arg === "-o" || arg === "--output") format = args[at + 1];
    else if (joined !== undefined) format = joined;
  }
  return format === "json";
}

/** Sidecars go on with the upgrade after every status of `pre-upgrade` but this one and 31. */
const [PRE_UPGRADE, REFUSED] = ["pre-upgrade", 30] as const;

/** Ends the process with an error that came up outside of any command; of our own faults people can report where. */
export function endWithFailure(error: unknown): never {
  const args = process.argv.slice(2);
  const isOurs = !isUpgradeError(error) && machineProblem(error) === undefined;
  const exit = reportFailure(error, wantsJson(args), isOurs || args.includes("--trace"));
  process.exit(args.includes(PRE_UPGRADE) ? REFUSED : exit);
}

/** Commands that neither compute state nor ask a node. */
const WITHOUT_WASM = new Set(["version", "completion", "config", "keys", "help"]);

const commandOf = (args: readonly string[]) => args.find((arg) => !arg.startsWith("-"));

const needsWasm = (args: readonly string[]) => !WITHOUT_WASM.has(commandOf(args) ?? "help");

/** A closed log pipe must not end these commands: with exit status 0, a service would not start them again. */
const isNode = (args: readonly string[]) => ["start", "relay"].includes(commandOf(args) ?? "");

export async function runCommandLine(chain: Chain, more: readonly ProgramCommand[]): Promise<number> {
  const args = process.argv.slice(2);
  serveChain(chain);
  const hasResult = watchForResult(wantsJson(args), {
    isOwn: more.some(({ name }) => name === commandOf(args)),
    ...(args.includes(PRE_UPGRADE) ? { exit: REFUSED } : {}),
  });
  // A reader of our output may close it early (`chaind … | head`); a full disk loses it.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE" && isNode(args)) return;
    hasResult();
    process.exit(error.code === "EPIPE" ? 0 : reportFailure(error, wantsJson(args), args.includes("--trace")));
  });
  // Logs whose reader has gone, or whose disk is full, are lost; a node goes on making blocks.
  process.stderr.on("error", () => undefined);
  // Tests and debuggers may look after such errors themselves.
  if (process.listenerCount("uncaughtException") === 0) process.on("uncaughtException", endWithFailure);
  let isJson = wantsJson(args);
  let isAskedBySidecar = false;
  try {
    // Before the command is loaded: what it imports may want WebAssembly at once.
    if (needsWasm(args)) requireWasm();
    const program = await makeProgram(args, VERSION, more);
    const ready = readyArguments(args, program);
    program.hook("preAction", (_, command) => {
      isAskedBySidecar = command.name() === PRE_UPGRADE;
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
    const exit = reportFailure(error, isJson, args.includes("--trace"));
    return isAskedBySidecar ? REFUSED : exit;
  } finally {
    hasResult();
  }
}

function topName(command: { parent: typeof command | null; name(): string }): string {
  return command.parent?.parent ? topName(command.parent) : command.name();
}
