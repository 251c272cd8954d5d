/** The demonstration: takes a chain through an upgrade, visibly. One job, typed as `chaind demo` or as `npm start`. */

import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Option } from "commander";
import { UpgradeError } from "../../base/errors/errors.js";
import { readyArguments } from "../../base/terminal/arguments.js";
import { Cobra } from "../../base/terminal/cobra.js";
import { FailureReporter } from "../../base/terminal/fail.js";
import { PROCESS_IO } from "../../base/terminal/io.js";
import { makeOutput } from "../../base/terminal/output.js";
import { requireWasm } from "../../base/terminal/require-wasm.js";
import { VERSION } from "../../base/terminal/version.js";
import { shellWord } from "../../base/text/shell-word.js";
import type { Chain } from "../../chain/app/chain.js";
import { Home } from "../../node/home/home.js";
import type { Context } from "../flags/context.js";
import { wantsJson } from "../program/command-line.js";
import { HOW_TO_RUN } from "./how-to-run.js";
import { jsonView } from "./json-view.js";
import { runMainJob } from "./run.js";
import { textView } from "./text-view.js";

interface Options {
  readonly genesis?: string;
  readonly handler?: string;
  readonly keep?: boolean;
}

const HOME = "use this (new) home and keep it; without: a temporary one";

/** Adds `demo` to a chain's program. The home is never that of the environment: nobody's chain is to be played with. */
export function registerDemo(program: Cobra, context: Context): void {
  const demo = program.command("demo").summary("Take a chain through an upgrade, visibly");
  demo.describeGlobals({ "--home": HOME, "--chain-id": undefined, "--log_format": undefined });
  demo.describeGlobals({ "--log_level": undefined, "--log_no_color": undefined });
  demo.example("demo", "demo --home my-chain", "demo --genesis exported.json");
  addFlags(demo).action(async (options: Options) => {
    const isGiven = program.getOptionValueSource("home") === "cli";
    const home = isGiven ? String(program.getOptionValue("home")) : undefined;
    context.setExitStatus((await demonstrate(context, options, home)) ? 0 : 1);
  });
}

/** Runs the demonstration with the process's arguments, as a program of its own; returns its exit status. */
export async function runAlone(chain: Chain): Promise<number> {
  const args = process.argv.slice(2);
  const io = PROCESS_IO;
  const reporter = new FailureReporter(chain.name, io);
  let isJson = wantsJson(args, io.env, chain.name);
  try {
    requireWasm();
    const program = addFlags(new Cobra(HOW_TO_RUN)).version(VERSION).exitOverride();
    program.option("--home <dir>", HOME);
    program.addOption(new Option("-o, --output <string>", "format of results").choices(["text", "json"]));
    const output = makeOutput(program, io, chain.name);
    let isWell = true;
    program.action(async (options: Options & { home?: string }) => {
      isJson = output.isJson;
      isWell = await demonstrate({ chain, io, isJson }, options, options.home);
    });
    await program.parseAsync([...readyArguments(args, program).args], { from: "user" });
    return isWell ? 0 : 1;
  } catch (error) {
    return reporter.report(error, { isJson, isTraced: false });
  }
}

function addFlags(command: Cobra): Cobra {
  return command
    .description(
      "Starts the old version of a chain, schedules an upgrade, lets the node halt at its height, starts the new version\n" +
        "with the handler, and makes more blocks. Everything happens in a fresh home, without network.",
    )
    .option("--genesis <file>", "begin with real state of version 1: a genesis document, plain or .gz")
    .option("--handler <file>", "run this handler too: for its plan, after v2 when no known version carries it")
    .option("--keep", "keep the temporary home");
}

/** @returns whether everything that was checked holds */
async function demonstrate(
  { chain, io, isJson }: Pick<Context, "chain" | "io" | "isJson">,
  options: Options,
  given: string | undefined,
): Promise<boolean> {
  if (given !== undefined) requireNew(chain, given);
  const home = given ?? join(mkdtempSync(join(tmpdir(), "chain-upgrade-")), "home");
  const temporary = given === undefined && !options.keep ? join(home, "..") : undefined;
  try {
    const show = isJson ? jsonView(io) : textView({ io, home, isKept: temporary === undefined });
    const { genesis, handler } = options;
    return await runMainJob({
      chain,
      io,
      home,
      ...(genesis ? { genesis } : {}),
      ...(handler ? { handler } : {}),
      show,
    });
  } finally {
    if (temporary) rmSync(temporary, { recursive: true, force: true });
  }
}

function requireNew(chain: Chain, path: string): void {
  const home = new Home(path);
  if (!existsSync(home.genesisFile) && !home.hasDatabase) return;
  const start = `npx ${chain.name} start --home ${shellWord(path)}`;
  throw new UpgradeError(
    "UPG_INVALID_CONFIG",
    `${path} has a chain in it: name a folder that is new; \`${start}\` goes on with that chain`,
  );
}
