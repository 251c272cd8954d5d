/** The command line of `chainvisor`: runs one command and returns the exit status of docs/errors.md. */

import { resolve } from "node:path";
import { diskFiles } from "../../base/files/disk-files.js";
import { readyArguments } from "../../base/terminal/arguments.js";
import type { Cobra } from "../../base/terminal/cobra.js";
import { FailureReporter } from "../../base/terminal/fail.js";
import { formatHelp } from "../../base/terminal/help.js";
import type { Io } from "../../base/terminal/io.js";
import { makeOutput } from "../../base/terminal/output.js";
import { usage } from "../../base/terminal/usage.js";
import { VERSION } from "../../base/terminal/version.js";
import { VISOR_PROGRAM } from "../decide/program-variables.js";
import { splitArguments, WITH_VALUE } from "../decide/run-arguments.js";
import { readSettings, requireSettings } from "../decide/settings/read.js";
import { COMPLETE, makeProgram } from "./program.js";
import type { VisorTools } from "./tools.js";

/** @param args without the program's own name. @param reporter reports how the command fails */
export async function runVisorCommand(
  args: readonly string[],
  io: Io,
  reporter: FailureReporter = new FailureReporter(VISOR_PROGRAM, io),
): Promise<number> {
  let isJson = wantsJson(args);
  let status = 0;
  const setExitStatus = (given: number) => {
    status = given;
  };
  try {
    // All that follows `run` is the application's, whatever it looks like.
    const { own, app } = splitArguments(args);
    isJson = wantsJson(own);
    const words = wordsOf(own);
    if (words[0] === "start") throw usage('unknown command "start" for "chainvisor" (did you mean "run start"?)');
    let program: Cobra | undefined;
    const tools = makeTools({ io, reporter, setExitStatus }, () => program as Cobra);
    program = await makeProgram(words, VERSION, tools);
    if (app) return await runApplication(program, own, app, tools);
    await program.parseAsync([...readyArguments(own, program).args], { from: "user" });
    return status;
  } catch (error) {
    return reporter.report(error, { isJson, isTraced: args.includes("--trace") });
  }
}

/** `chainvisor --home H run start …`: the flags before `run` are the sidecar's. */
async function runApplication(
  program: Cobra,
  own: readonly string[],
  app: readonly string[],
  tools: VisorTools,
): Promise<number> {
  const { runApp } = await import("./commands/run.js");
  let exit = 0;
  const run = program.commands.find((each) => each.name() === "run");
  run?.action(async () => {
    // The program has a help of its own; until there is one, the sidecar's is what is asked for.
    if (run && isHelp(app) && tools.readSettings().problems.length > 0) tools.io.stdout.write(formatHelp(run as Cobra));
    else exit = await runApp(tools, app);
  });
  await program.parseAsync([...readyArguments(own, program).args], { from: "user" });
  return exit;
}

const isHelp = (app: readonly string[]) => app.length === 1 && ["--help", "-h"].includes(app[0] ?? "");

function makeTools(own: Pick<VisorTools, "io" | "reporter" | "setExitStatus">, program: () => Cobra): VisorTools {
  const { io } = own;
  const { env } = io;
  const read: VisorTools["readSettings"] = (options) => {
    const flags = program().opts<Record<string, string | undefined>>();
    const file = flags["chainvisorConfig"] ?? flags["cosmovisorConfig"];
    const given = { daemon_home: flags["home"], daemon_name: flags["name"] };
    return readSettings(env, file && resolve(file), given, { ...options, files: diskFiles });
  };
  return {
    ...own,
    output: makeOutput({ opts: () => program().opts() }, io, VISOR_PROGRAM),
    ...{ env, files: diskFiles },
    readSettings: read,
    settings: () => {
      const found = read();
      for (const warning of found.warnings) io.stderr.write(`Warning: ${warning}\n`);
      return requireSettings(found);
    },
  };
}

/** The words that are neither flags nor values of the flags that every command has. */
function wordsOf(args: readonly string[]): string[] {
  if (args[0] === COMPLETE) return [COMPLETE];
  return args.filter((arg, at) => !arg.startsWith("-") && !WITH_VALUE.has(args[at - 1] ?? ""));
}

export function wantsJson(args: readonly string[]): boolean {
  return args.some((arg, at) => {
    if (arg === "--json" || /^(-o=?|--output=)json$/.test(arg)) return true;
    return arg === "json" && ["-o", "--output"].includes(args[at - 1] ?? "");
  });
}
