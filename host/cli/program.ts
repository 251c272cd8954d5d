/** The command tree of `chaind`. */
import { homedir } from "node:os";
import { join } from "node:path";
import { Command, Option } from "commander";
import { registerInit } from "./commands/init.js";
import { registerStart } from "./commands/start.js";

export interface Output {
  /** The result of a command, on stdout; people's words go to stderr. */
  print(answer: object): void;
}

export function makeProgram(version: string, output: Output): Command {
  const program = new Command("chaind")
    .description("A small chain that knows how to upgrade itself.")
    .version(version, "-v, --version")
    .option("--home <dir>", "home folder", join(homedir(), ".chaind"))
    .option("--chain-id <id>", "chain id")
    .addOption(new Option("-o, --output <format>", "format of results").choices(["text", "json"]).default("text"))
    .addOption(new Option("--log_format <format>", "format of logs").choices(["plain", "json"]).default("plain"))
    .addOption(
      new Option("--log_level <level>", "least level of logs")
        .choices(["trace", "debug", "info", "warn", "error", "fatal", "silent"])
        .default("info"),
    )
    .option("--trace", "print the stack of errors")
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError("(chaind <command> --help tells more)")
    .exitOverride();
  registerInit(program, (answer) => output.print(answer));
  registerStart(program);
  for (const command of program.commands) command.exitOverride();
  return program;
}
