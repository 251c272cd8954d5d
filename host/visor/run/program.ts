/** The command tree of `chainvisor`: names and summaries; a command itself is loaded when the command line asks for it. */
import { Option } from "commander";
import { Cobra } from "../../base/terminal/cobra.js";
import { registerHelp } from "../../base/terminal/help-command.js";
import type { VisorTools } from "./tools.js";

type Register = (program: Cobra, tools: VisorTools) => void;

interface VisorCommand {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly summary: string;
  load(): Promise<Register>;
}

const COMMANDS: readonly VisorCommand[] = [
  {
    name: "init",
    summary: "Make the folders of a home, with the program that runs first",
    load: async () => (await import("./commands/init.js")).registerInit,
  },
  {
    name: "run",
    summary: "Run the program, and go on with the next one at an upgrade",
    load: async () => (await import("./commands/run.js")).registerRun,
  },
  {
    name: "prepare",
    aliases: ["prepare-upgrade"],
    summary: "Fetch and check what the next upgrade needs, before its height",
    load: async () => (await import("./commands/prepare.js")).registerPrepare,
  },
  {
    name: "status",
    summary: "Print what the sidecar of this home is doing",
    load: async () => (await import("./commands/status.js")).registerStatus,
  },
  {
    name: "plan",
    summary: "Print the upgrades that are ahead, and what they need",
    load: async () => (await import("./commands/plan.js")).registerPlan,
  },
  {
    name: "add-upgrade",
    summary: "Put the program of an upgrade into its folder, and set its height",
    load: async () => (await import("./commands/add-upgrade.js")).registerAddUpgrade,
  },
  {
    name: "add-batch-upgrade",
    summary: "Put the programs of several upgrades into their folders, with their heights",
    load: async () => (await import("./commands/add-batch-upgrade.js")).registerAddBatchUpgrade,
  },
  {
    name: "show-upgrade-info",
    summary: "Print the node's upgrade-info.json",
    load: async () => (await import("./commands/show-upgrade-info.js")).registerShowUpgradeInfo,
  },
  {
    name: "restart",
    summary: "Start the application again, under the sidecar that runs",
    load: async () => (await import("./commands/restart.js")).registerRestart,
  },
  {
    name: "rollback",
    summary: "Go back to a backup",
    load: async () => (await import("./commands/rollback.js")).registerRollback,
  },
  {
    name: "backups",
    summary: "List the backups of this home",
    load: async () => (await import("./commands/backups.js")).registerBackups,
  },
  {
    name: "doctor",
    summary: "Look for everything that can go wrong at the height",
    load: async () => (await import("./commands/doctor.js")).registerDoctor,
  },
  {
    name: "config",
    summary: "Print and check the settings",
    load: async () => (await import("./commands/config.js")).registerConfig,
  },
  {
    name: "service",
    summary: "Print a unit file for systemd",
    load: async () => (await import("./commands/service.js")).registerService,
  },
  {
    name: "version",
    summary: "Print the versions of the sidecar and of the program",
    load: async () => (await import("./commands/version.js")).registerVersion,
  },
  {
    name: "completion",
    summary: "Print a script that completes commands in a shell",
    load: async () => {
      const { registerCompletion } = await import("../../base/terminal/completion-command.js");
      return (program) => registerCompletion(program, { name: "chainvisor", what: "commands and flags" });
    },
  },
];

/** Not listed: what the completion scripts ask. */
export const COMPLETE = "__complete";

/** Builds the tree as far as these words need it. @param words of the command line that are no flags */
export async function makeProgram(words: readonly string[], version: string, tools: VisorTools): Promise<Cobra> {
  const program = rootCommand(version, tools);
  const [first, second] = words;
  const wanted = first === "help" ? second : first;
  for (const { name, aliases = [], summary, load } of COMMANDS) {
    const isAsked = [name, ...aliases].includes(wanted ?? "") || first === COMPLETE;
    if (isAsked) (await load())(program, tools);
    else
      program
        .command(name)
        .aliases([...aliases])
        .summary(summary);
  }
  registerHelp(program);
  if (first === COMPLETE) await registerWords(program);
  return program;
}

const DESCRIPTION = `Runs the program of a chain, and takes it through upgrades: when a plan's height is reached it ends the old
program, backs up, and starts the new one from its folder. Variables, folders and exit statuses of pre-upgrade are
those of Cosmovisor: DAEMON_NAME and DAEMON_HOME must be set, in the environment or by flags.

  chainvisor init ./chaind                     once: the folders, and the program that runs first
  chainvisor doctor                            what is not right yet
  chainvisor run start                         in place of \`chaind start\`
  chainvisor add-upgrade v2 ./chaind-v2        before the height; or let the plan's info name a download
  chainvisor help run                          of the command \`run\`: what follows that word is the program's, --help too`;

async function registerWords(program: Cobra): Promise<void> {
  const { registerComplete } = await import("../../base/terminal/completion-command.js");
  registerComplete(program, COMPLETE, (await import("./commands/completion.js")).candidates);
}

function rootCommand(version: string, { io }: VisorTools): Cobra {
  return new Cobra("chainvisor")
    .configureOutput({ writeOut: (text) => io.stdout.write(text), writeErr: (text) => io.stderr.write(text) })
    .description(DESCRIPTION)
    .version(version, "-v, --version", "print the version")
    .option("--home <string>", "the node's home, an absolute path (default: DAEMON_HOME)")
    .option("--name <string>", "the name of the program's file (default: DAEMON_NAME)")
    .option(
      "-c, --chainvisor-config <file>",
      "file of settings (default: config.toml in <home>/cosmovisor, where it exists)",
    )
    .option("--cosmovisor-config <file>", "the same, as Cosmovisor calls it")
    .addOption(
      new Option("-o, --output <string>", "format of results; --json is the same as -o json")
        .choices(["text", "json"])
        .default("text"),
    )
    .option("--trace", "print the stack of errors")
    .configureHelp({ showGlobalOptions: true })
    .exitOverride()
    .group();
}
