/** `chaind relay`: CometBFT over the application as a process of its own, which an upgrade replaces by the next program. */

import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import { InvalidArgumentError } from "commander";
import type { Cobra } from "../../base/terminal/cobra.js";
import { shellWord } from "../../base/text/shell-word.js";
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

const LOG_FLAGS = ["log_format", "log_level", "log_no_color"] as const;

/** @throws Halt; UpgradeError */
async function relay(context: Context, more: readonly string[], flags: RelayFlags, command: Cobra): Promise<number> {
  const { runRelay } = await import("../../visor/run/hot/run-relay.js");
  const { Home } = await import("../../node/home/home.js");
  const { isEmbedded } = await import("../../base/native/embedded.js");
  const { endWithParent } = await import("../../base/terminal/end-with-parent.js");
  const { OF_COMET } = await import("../../visor/hot/start-arguments.js");
  const { openNodeLog } = await import("./start.js");
  const globals = command.optsWithGlobals() as LogFlags & { home: string };
  const home = resolve(globals.home);
  const log = openNodeLog(context, globals, "relay");
  endWithParent(process);
  const given = givenOf(command);
  const words = [
    ...OF_COMET.flatMap((name) => {
      const { value, by } = given(name) ?? {};
      return by === "cli" ? [`--${name}=${value}`] : [];
    }),
    ...more,
  ];
  const ofLog = LOG_FLAGS.filter((name) => command.getOptionValueSourceWithGlobals(name) === "cli");
  const again = ofLog.flatMap((name) => (globals[name] === true ? [`--${name}`] : [`--${name}`, `${globals[name]}`]));
  const logFlags = ["--log_format", globals.log_format, "--log_level", globals.log_level];
  if (globals.log_no_color) logFlags.push("--log_no_color");
  const { name } = context.chain;
  return runRelay({
    ...{
      home: new Home(home),
      env: context.io.env,
      name,
      program: flags.program,
      upgrades: flags.upgrade ?? new Map(),
    },
    own: isEmbedded() ? process.execPath : realpathSync(process.argv[1] as string),
    args: ["start", "--home", home, ...logFlags, ...words, "--engine", "cometbft", "--with-comet=true"],
    command: [name, "relay", "--home", home, ...again, "--", ...words].map(shellWord).join(" "),
    log,
  });
}
