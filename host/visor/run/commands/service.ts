/** `chainvisor service`. */
import { userInfo } from "node:os";
import { resolve } from "node:path";
import type { Cobra } from "../../../base/terminal/cobra.js";
import type { ReadSettings } from "../../decide/settings/read.js";
import { unitFile } from "../../stage/doctor/unit-file.js";
import { withLogFormat } from "../loop/log.js";
import type { VisorTools } from "../tools.js";
import { settingsWithoutFolders } from "../without-folders.js";

interface Flags {
  readonly user?: string;
  readonly exec?: string;
}

export function registerService(program: Cobra, tools: VisorTools): void {
  program
    .command("service")
    .argument("[args...]", "what comes after `run`; flags of the node after -- (default: start)")
    .summary("Print a unit file for systemd")
    .description(
      "Prints a unit file that runs the sidecar with the settings of now: home, name, and what the environment sets; what\n" +
        "config.toml sets stays there. Write it to /etc/systemd/system/<name>.service, and `chainvisor doctor` looks it over.",
    )
    .option("--user <name>", "the user that it runs as (default: that of this command)")
    .option("--exec <file>", "the command chainvisor (default: the file of this program, with its Node.js)")
    .example("service", "service --user chain --exec /usr/local/bin/chainvisor start -- --log_format json")
    .action(async (args: string[], { user, exec }: Flags) => {
      const read = settingsWithoutFolders(tools);
      const command = exec === undefined ? [process.execPath, resolve(process.argv[1] ?? "")] : [resolve(exec)];
      const start = args.length > 0 ? args : ["start"];
      const unit = unitFile({
        settings: withOneFormat(read, start, tools.env),
        command,
        args: start,
        user: user ?? userInfo().username,
      });
      if (tools.output.isJson) await tools.output.print({ unit });
      else tools.io.stdout.write(unit);
    });
}

/** The unit names the format that the node's flags or environment name, so that the journal has one. */
function withOneFormat(read: ReadSettings, args: readonly string[], env: NodeJS.ProcessEnv): ReadSettings {
  const settings = withLogFormat(read, args, env);
  if (settings === read.settings) return read;
  return { ...read, settings, sources: new Map([...read.sources, ["logFormat", "flag"]]) };
}
