/**
 * The command tree of `chaind`. The first level is here as names and summaries; a command itself is loaded when
 * the command line asks for it, so that a query does not wait for the modules of a node.
 */
import { homedir } from "node:os";
import { join } from "node:path";
import { Option } from "commander";
import { Cobra } from "../../base/terminal/cobra.js";
import { registerHelp } from "../../base/terminal/help-command.js";
import { makeOutput } from "../../base/terminal/output.js";
import type { Context, ProgramContext } from "../flags/context.js";
import { LOG_LEVELS, parseLogLevel } from "../flags/sdk-flags.js";
import type { ProgramCommand } from "./program-command.js";

interface TopCommand extends ProgramCommand {
  readonly aliases?: readonly string[];
  register(program: Cobra, context: Context): Promise<void>;
}

const TOP_COMMANDS: readonly TopCommand[] = [
  {
    name: "init",
    summary: "Make a home: keys and a genesis document",
    register: async (program, context) => (await import("../commands/init.js")).registerInit(program, context),
  },
  {
    name: "genesis",
    summary: "Prepare and check the genesis document",
    register: async (program, context) => (await import("../commands/genesis.js")).registerGenesis(program, context),
  },
  {
    name: "start",
    summary: "Run the node",
    register: async (program, context) => (await import("../commands/start.js")).registerStart(program, context),
  },
  {
    name: "relay",
    summary: "Run the node with CometBFT, and go on with the next program at an upgrade",
    register: async (program, context) => (await import("../commands/relay.js")).registerRelay(program, context),
  },
  {
    name: "version",
    summary: "Print the version of this program",
    register: async (program, context) => (await import("../commands/version.js")).registerVersion(program, context),
  },
  {
    name: "status",
    summary: "Query a node's state",
    register: async (program, context) => (await import("../commands/status.js")).registerStatus(program, context),
  },
  {
    name: "query",
    aliases: ["q"],
    summary: "Ask a node",
    register: async (program, context) => (await import("../commands/query.js")).registerQuery(program, context),
  },
  {
    name: "tx",
    summary: "Sign and send transactions",
    register: async (program, context) => (await import("../commands/tx.js")).registerTx(program, context),
  },
  {
    name: "export",
    summary: "Print the state as a genesis document",
    register: async (program, context) =>
      (await import("../offline/commands/export.js")).registerExport(program, context),
  },
  {
    name: "upgrade",
    summary: "Rehearse upgrades, check that all is there for one; witnesses of those that were applied",
    register: async (program, context) => {
      const group = (await import("../offline/commands/upgrade.js")).registerUpgrade(program, context);
      (await import("../rehearsal/commands/rehearse.js")).registerRehearse(program, group, context);
      (await import("../preflight/command.js")).registerPreflight(program, group, context);
    },
  },
  {
    name: "verify",
    summary: "Check the database: checksums, hashes, blocks, index",
    register: async (program, context) =>
      (await import("../offline/commands/verify.js")).registerVerify(program, context),
  },
  {
    name: "verify-chain",
    summary: "Verify what a chain says of its upgrades, from a block that you trust",
    register: async (program, context) =>
      (await import("../client/verify/register.js")).registerVerifyChain(program, context),
  },
  {
    name: "rollback",
    summary: "Take back the last block, or all blocks after a height",
    register: async (program, context) =>
      (await import("../offline/commands/rollback.js")).registerRollback(program, context),
  },
  {
    name: "compact",
    summary: "Make the database smaller, by the pages that are free in it",
    register: async (program, context) =>
      (await import("../offline/commands/copies.js")).registerCompact(program, context),
  },
  {
    name: "backup",
    summary: "Copy a home, beside its running node",
    register: async (program, context) =>
      (await import("../offline/commands/copies.js")).registerBackup(program, context),
  },
  {
    name: "replay",
    summary: "Run all blocks of a home again, and compare every app hash",
    register: async (program, context) =>
      (await import("../offline/commands/replay.js")).registerReplay(program, context),
  },
  {
    name: "rescue",
    summary: "Gather what a report of a failed upgrade needs into one file",
    register: async (program, context) =>
      (await import("../offline/commands/rescue.js")).registerRescue(program, context),
  },
  {
    name: "snapshots",
    aliases: ["snapshot"],
    summary: "Snapshots of the state, for nodes that join a network",
    register: async (program, context) =>
      (await import("../offline/commands/snapshots.js")).registerSnapshots(program, context),
  },
  {
    name: "comet",
    aliases: ["cometbft", "tendermint"],
    summary: "What CometBFT knows of this node: id, key, address",
    register: async (program, context) =>
      (await import("../offline/commands/comet.js")).registerComet(program, context),
  },
  {
    name: "localnet",
    summary: "Several validators on this machine, with CometBFT",
    register: async (program, context) => (await import("../commands/localnet.js")).registerLocalnet(program, context),
  },
  {
    name: "pre-upgrade",
    summary: "Check whether this binary can take over a home, for sidecars",
    register: async (program, context) =>
      (await import("../offline/commands/pre-upgrade.js")).registerPreUpgrade(program, context),
  },
  {
    name: "keys",
    summary: "Manage the keys of accounts",
    register: async (program, context) => (await import("../commands/keys.js")).registerKeys(program, context),
  },
  {
    name: "config",
    summary: "Read and change the settings in a home",
    register: async (program, context) => (await import("../commands/config.js")).registerConfig(program, context),
  },
  {
    name: "handler",
    summary: "Write, check and try upgrade handlers",
    register: async (program, context) =>
      (await import("../commands/handler/register.js")).registerHandler(program, context),
  },
  {
    name: "completion",
    summary: "Print a script that completes commands in a shell",
    register: async (program, { chain }) => {
      const { registerCompletion } = await import("../../base/terminal/completion-command.js");
      registerCompletion(program, { name: chain.name, what: "commands, flags and the names of keys" });
    },
  },
];

/** Not listed: what the completion scripts ask. */
const COMPLETE = "__complete";

/** Builds the tree as far as these arguments need it. */
export async function makeProgram(
  own: ProgramContext,
  args: readonly string[],
  version: string,
  more: readonly ProgramCommand[] = [],
): Promise<Cobra> {
  const { chain, io, setExitStatus, openLog } = own;
  const program = rootCommand(own, version);
  const output = makeOutput(program, io, chain.name);
  const context: Context = Object.assign(output, { chain, io, setExitStatus, openLog });
  const [first, second] = operands(args, program);
  const wanted = first === "help" ? second : first;
  // What can be set is what the flags of all commands are called.
  const needsAll = first === "completion" || first === COMPLETE || (first === "config" && second === "set");
  for (const top of [...TOP_COMMANDS, ...(more as readonly TopCommand[])]) {
    // What would be set there is what the flags of `start` are called.
    const isAsked = needsAll || (readsSettingsOfStart(wanted, second) && top.name === "start");
    if (isAsked || [top.name, ...(top.aliases ?? [])].includes(wanted ?? "")) await top.register(program, context);
    else
      program
        .command(top.name)
        .aliases([...(top.aliases ?? [])])
        .summary(top.summary);
  }
  registerHelp(program);
  if (first === COMPLETE) await registerWords(program, context);
  return program;
}

const readsSettingsOfStart = (first: string | undefined, second: string | undefined) =>
  first === "pre-upgrade" || (first === "upgrade" && (second === "preflight" || second === "rehearse"));

async function registerWords(program: Cobra, { io }: Context): Promise<void> {
  const { registerComplete } = await import("../../base/terminal/completion-command.js");
  const { candidates } = await import("../commands/completion.js");
  registerComplete(program, COMPLETE, (at, words) => candidates(at, words, io.env));
}

function rootCommand({ chain, io }: ProgramContext, version: string): Cobra {
  const program = new Cobra(chain.name)
    .description(chain.description)
    .configureOutput({ writeOut: (text) => io.stdout.write(text), writeErr: (text) => io.stderr.write(text) })
    .version(version, "-v, --version", "print the version")
    .addOption(
      new Option("--home <string>", "folder of configuration and data").default(
        join(userHome(), `.${chain.name}`),
        `~/.${chain.name}`,
      ),
    )
    .option("--chain-id <string>", "chain id (default: that of client.toml, else the node's)")
    .addOption(
      new Option(
        "-o, --output <string>",
        "format of results (default: text, of tx json); --json is the same as -o json",
      ).choices(["text", "json"]),
    )
    .addOption(new Option("--log_format <string>", "format of logs").choices(["plain", "json"]).default("plain"))
    .addOption(
      new Option("--log_level <string>", "least level of logs")
        .choices(LOG_LEVELS)
        .argParser(parseLogLevel)
        .default("info"),
    )
    .option("--log_no_color", "logs without colours, on a terminal too")
    .option("--trace", "print the stack of errors")
    .configureHelp({ showGlobalOptions: true })
    .exitOverride();
  return program.group();
}

/** A container may run as a user that the system does not know, with nothing in HOME; other homes can be named all the same. */
function userHome(): string {
  try {
    return homedir();
  } catch {
    return "/";
  }
}

/** The words that are neither flags nor values of the flags that every command has. */
function operands(args: readonly string[], program: Cobra): string[] {
  const takesValue = new Set(program.options.flatMap(({ long, short, required }) => (required ? [long, short] : [])));
  const words: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] as string;
    if (takesValue.has(arg.replaceAll("-log-", "-log_"))) at++;
    else if (!arg.startsWith("-")) words.push(arg);
  }
  return words;
}
