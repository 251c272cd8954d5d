/** `chaind localnet`: several validators on this machine. */

import { Option } from "commander";
import type { Cobra } from "../../base/terminal/cobra.js";
import { rootOf } from "../../base/terminal/cobra.js";
import type { Io } from "../../base/terminal/io.js";
import { parseDuration, parsePort, parseUint64 } from "../../base/terminal/options.js";
import { envName } from "../../base/terminal/settings.js";
import { usage } from "../../base/terminal/usage.js";
import { envPrefix } from "../../base/text/program-text.js";
import type { Context } from "../flags/context.js";
import type { InitOptions } from "./init.js";

interface InitFlags {
  readonly appVersion?: bigint;
  readonly basePort?: number;
  readonly blockTime: bigint;
  readonly votingPeriod: bigint;
}

interface StartFlags {
  readonly appVersion?: bigint;
  readonly nodes?: readonly string[];
  readonly allOrNone?: boolean;
  readonly "comet.bin"?: string;
}

const FOLDER_DEFAULT = "localnet";
const CHAIN_ID_DEFAULT = "localnet-1";
const COUNT = /^([1-9]|1[0-6])$/;
const BLOCK_NANOS_DEFAULT = 500_000_000n;
const VOTING_NANOS_DEFAULT = 20_000_000_000n;

export function registerLocalnet(program: Cobra, context: Context): void {
  const localnet = addStartFlags(addInitFlags(program.command("localnet")))
    .argument("[nodes]", "how many validators, 1 to 16")
    .summary("Several validators on this machine, with CometBFT")
    .description(
      "`localnet 4` makes four homes (node0 …) with keys, one genesis document and ports, and runs them in this terminal.\n" +
        "`localnet init` and `localnet start` do one of the two. The folder is ./localnet, or --home. Each node is an ordinary\n" +
        `home: its operator's key is in its own keyring under its name, client.toml names its RPC.`,
    )
    .describeGlobals({
      "--home": `folder of the network (default "${FOLDER_DEFAULT}"; the environment's ${envName("--home", envPrefix(context.chain.name))}, of one node, is not read)`,
      "--chain-id": `chain id of a new network (default "${CHAIN_ID_DEFAULT}")`,
      // The nodes' own logs are set by flags after --.
      ...{ "--log_format": undefined, "--log_level": undefined, "--log_no_color": undefined },
    })
    .example("localnet 4", "localnet init 4 --home net --app-version 1", "localnet start --home net --app-version 2");
  localnet.action(async (count: string | undefined, flags: InitFlags & StartFlags, command: Cobra) => {
    if (count === undefined) {
      command.outputHelp();
      return;
    }
    const comet = await cometOf(flags, context.io.env);
    await init(count, flags, command, context);
    await start(flags, [], command, context, comet);
  });
  addInitFlags(localnet.command("init"))
    .argument("<nodes>", "how many validators, 1 to 16")
    .summary("Make homes, keys, one genesis document and settings")
    .description(
      "Makes homes node0 … in ./localnet or --home: keys (in each node's own keyring, backend test), one genesis document in\n" +
        "which every node's operator has a validator of power 100, ports, peers, short rounds and voting periods. localnet.json\n" +
        "lists the nodes; key_seed.json in each home has the operator's mnemonic.",
    )
    .action(async (count: string, _: unknown, command: Cobra) => init(count, flagsOf(command), command, context));
  addStartFlags(localnet.command("start"))
    .argument("[start-flags...]", "flags of `start` for every node, after --")
    .summary("Run the nodes in this terminal")
    .description(
      "Runs `start --engine cometbft` for each node, with a line for what each of them does; the whole log is in node.log in\n" +
        "its home. SIGINT, SIGTERM and SIGHUP stop all nodes in order; a second one ends them at once. A node that ends leaves the\n" +
        "others running. The exit status is that of the first node that did not end with 0: 10 after an upgrade's height.",
    )
    .example("localnet start --home net -- --log_level debug")
    .action(async (more: readonly string[], _: unknown, command: Cobra) => {
      const flags = flagsOf(command);
      await start(flags, more, command, context, await cometOf(flags, context.io.env));
    });
}

/** `localnet` itself has the flags of both, and takes them also after the name of one of the two. */
const flagsOf = (command: Cobra) => command.optsWithGlobals() as InitFlags & StartFlags;

const APP_VERSION = "know nothing newer than this app version, as an old binary does";

function addInitFlags(command: Cobra): Cobra {
  return command
    .option("--app-version <n>", APP_VERSION, parseUint64)
    .option("--base-port <port>", "ports from here on, ten for each node (default: free ones)", parsePort)
    .addOption(
      new Option("--block-time <duration>", "between a block and the next")
        .argParser(parseDuration)
        .default(BLOCK_NANOS_DEFAULT, "500ms"),
    )
    .addOption(
      new Option("--voting-period <duration>", "of proposals")
        .argParser(parseDuration)
        .default(VOTING_NANOS_DEFAULT, "20s"),
    );
}

function addStartFlags(command: Cobra): Cobra {
  if (!command.options.some(({ long }) => long === "--app-version")) {
    command.option("--app-version <n>", APP_VERSION, parseUint64);
  }
  return command
    .option("--nodes <names>", "only these: 0,2 or node0,node2", parseNames)
    .option("--all-or-none", "when a node ends, stop the others too")
    .option("--comet.bin <file>", "the cometbft program (default: COMETBFT_BIN, else cometbft of PATH)");
}

const parseNames = (text: string) => text.split(",").map((name) => name.trim());

/** A folder of its own: what the environment names is the home of a node, which may be a real one. */
function folderOf(command: Cobra): string {
  const root = rootOf(command);
  return root.getOptionValueSource("home") === "cli" ? String(root.opts()["home"]) : FOLDER_DEFAULT;
}

async function init(count: string, flags: InitFlags, command: Cobra, context: Context): Promise<void> {
  if (!COUNT.test(count)) throw usage(`invalid argument "${count}" for "[nodes]": a network has 1 to 16 nodes`);
  const { appVersion, basePort, blockTime, votingPeriod } = flags;
  if (blockTime < MILLI) throw usage("--block-time is at least 1ms");
  if (votingPeriod < SECOND) throw usage("--voting-period is at least 1s");
  const { initLocalnet } = await import("../localnet/init.js");
  const { initHome } = await import("./init.js");
  const { networkTable } = await import("../localnet/network.js");
  const folder = folderOf(command);
  const { chainId = CHAIN_ID_DEFAULT } = command.optsWithGlobals() as { chainId?: string };
  const options = {
    makeHome: (home: InitOptions) => initHome(context.chain, home),
    chainId,
    appVersion,
    basePort,
    blockNanos: blockTime,
    votingNanos: votingPeriod,
  };
  const network = await initLocalnet(context, folder, Number(count), options);
  await context.print({ home: folder, ...network }, `${networkTable(network)}\n\nchain ${chainId} in ${folder}`);
}

const MILLI = 1_000_000n;
const SECOND = 1_000_000_000n;

/** A node that ends at once at an upgrade's height may leave a slower one a vote short of that block. */
const LINGER = "2s";

/** Before anything is made. @throws UpgradeError UPG_INVALID_CONFIG */
async function cometOf(flags: StartFlags, env: Io["env"]): Promise<string> {
  const { findComet } = await import("../../node/comet/engine/binary.js");
  return findComet(flags["comet.bin"], env).path;
}

async function start(
  { appVersion, nodes, allOrNone }: StartFlags,
  more: readonly string[],
  command: Cobra,
  context: Context,
  comet: string,
): Promise<void> {
  const { startLocalnet } = await import("../localnet/start.js");
  const flags = [
    ...["--comet.bin", comet, "--halt-linger", LINGER],
    ...(appVersion === undefined ? [] : ["--app-version", String(appVersion)]),
    ...more,
  ];
  const options = { nodes, isAllOrNone: allOrNone === true, flags, isJson: context.isJson };
  context.setExitStatus(await startLocalnet(folderOf(command), options));
}
