/** `chaind relay`: CometBFT over the application as a process of its own, which an upgrade replaces by the next program. */

import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import { InvalidArgumentError } from "commander";
import type { Cobra } from "../../base/terminal/cobra.js";
import type { Given } from "../../node/comet/engine/flags.js";
import type { Context } from "../flags/context.js";
import { addSdkFlags, givenOf } from "../flags/sdk-flags.js";
import type { LogFlags } from "./start.js";

interface RelayFlags {
  readonly program?: string;
  readonly upgrade?: ReadonlyMap<string, string>;
}

export function registerRelay(program: Cobra, context: Context): void {
  const command = program.command("relay");
  // Those of CometBFT are passed on, from app.toml and the environment too.
  addSdkFlags(command);
  command
    .argument(
      "[start-flags...]",
      "flags of `start`, after --: those of CometBFT are passed on to it, the others to the application",
    )
    .summary("Run the node with CometBFT, and go on with the next program at an upgrade")
    .description(
      "Starts CometBFT and, as a process of its own, the application. When that ends at an upgrade's height, the next program\n" +
        "is started and given the block: CometBFT, its peers and its mempool go on. An application that crashes is started again,\n" +
        "where it is known what CometBFT and it have committed; otherwise all end, and the next start begins with CometBFT's handshake.\n\n" +
        "Programs are where Cosmovisor has them: <home>/cosmovisor/current/bin, and upgrades/<plan>/bin for the next one, which\n" +
        "may be put there before or after the height. DAEMON_NAME is the name of their files, else this program's. Without such a\n" +
        "folder this program itself runs first. SIGTERM finishes the block under way, then ends all; a second one ends them at once.",
    )
    .option("--program <file>", "the program that runs first (default: that of cosmovisor/current)")
    .option(
      "--upgrade <plan=file>",
      "the program of a plan, where it is not in its folder; may be given several times",
      parseUpgrade,
    )
    .option("--moniker <string>", "name of this node, for its peers")
    .option("--rpc.laddr <address>", "where CometBFT serves its RPC (default: rpc.laddr of config.toml)")
    .option("--comet.bin <file>", "the cometbft program (default: COMETBFT_BIN, else cometbft of PATH)")
    .example("relay --home /var/lib/chain", "relay --upgrade v2=/opt/v2/program -- --min-retain-blocks 500")
    .action(async (more: readonly string[], flags: RelayFlags, command: Cobra) => {
      context.setExitStatus(await relay(context, more, flags, command));
    });
}

function parseUpgrade(text: string, before: ReadonlyMap<string, string> = new Map()): ReadonlyMap<string, string> {
  const [, plan, file] = /^(.+?)=(.+)$/.exec(text) ?? [];
  if (plan === undefined || file === undefined) throw new InvalidArgumentError("expected a plan's name, = and a file.");
  return new Map([...before, [plan, file]]);
}

/** @throws Halt; UpgradeError */
async function relay(context: Context, more: readonly string[], flags: RelayFlags, command: Cobra): Promise<number> {
  const { realMachine } = await import("../../visor/run/real-machine.js");
  const { runRelay } = await import("../../visor/run/hot/run-relay.js");
  const { findComet } = await import("../../node/comet/engine/binary.js");
  const { Home } = await import("../../node/home/home.js");
  const { isEmbedded } = await import("../../base/native/embedded.js");
  const { endWithParent } = await import("../../base/terminal/end-with-parent.js");
  const { cometFiles } = await import("../../node/comet/comet-files.js");
  const { cometArgs, rpcAddress } = await import("../../node/comet/engine/flags.js");
  const { OF_COMET, rpcWords, takeFlags } = await import("../../visor/hot/start-arguments.js");
  const { setReported } = await import("../../base/terminal/fail.js");
  const { isRecorded } = await import("../../visor/hot/halt-record.js");
  const { openNodeLog } = await import("./start.js");
  const globals = command.optsWithGlobals() as LogFlags & { home: string };
  const home = new Home(resolve(globals.home));
  const log = openNodeLog(context, globals, "relay");
  endWithParent(process);
  const ofStart = takeFlags(more, OF_COMET);
  const ofRelay = givenOf(command);
  const given: Given = (name) => {
    const value = ofStart.given.get(name);
    return value === undefined ? ofRelay(name) : { value, by: "cli" };
  };
  const run = runRelay({
    ...{
      home,
      machine: realMachine,
      env: context.io.env,
      name: context.chain.name,
      program: flags.program,
      upgrades: flags.upgrade ?? new Map(),
    },
    own: isEmbedded() ? process.execPath : realpathSync(process.argv[1] as string),
    flags: [
      "--log_format",
      globals.log_format,
      "--log_level",
      globals.log_level,
      ...(globals.log_no_color ? ["--log_no_color"] : []),
      ...ofStart.rest,
      ...rpcWords(rpcAddress(given)),
    ],
    comet: {
      program: findComet(given("comet.bin")?.value, context.io.env).path,
      args: cometArgs(given),
      files: cometFiles(home),
    },
    log,
  });
  return run.catch((error: unknown) => {
    // Its record is an error line of the log.
    if (isRecorded(error)) setReported(error);
    throw error;
  });
}
