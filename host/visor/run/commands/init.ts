/** `chainvisor init`. */
import { join } from "node:path";
import { messageOf, UpgradeError } from "../../../base/errors/errors.js";
import { writeWhole } from "../../../base/files/whole-file.js";
import { isAgreed } from "../../../base/terminal/ask.js";
import type { Cobra } from "../../../base/terminal/cobra.js";
import { shellWord } from "../../../base/text/shell-word.js";
import { encodeText } from "../../../base/text/text.js";
import { chainvisorFor } from "../../../node/home/supervised-start.js";
import { placesOf } from "../../decide/decision/paths.js";
import { settingsToml } from "../../decide/settings/write-file.js";
import type { Settings } from "../../decide/settings.js";
import { type Initialized, initialize, requireInitProgram } from "../../stage/layout/init.js";
import type { VisorTools } from "../tools.js";
import { settingsWithoutFolders } from "../without-folders.js";

const CONFIG_MODE = 0o644;

interface Flags {
  readonly yes?: boolean;
  readonly force?: boolean;
}

export function registerInit(program: Cobra, tools: VisorTools): void {
  program
    .command("init")
    .argument("[executable]", "the program that runs first, copied to <home>/cosmovisor/genesis/bin/<name>")
    .summary("Make the folders of a home, with the program that runs first")
    .description(
      "Makes <home>/cosmovisor/genesis/bin, copies the program there, links `current` to genesis, and writes config.toml with the\n" +
        "settings as they are now. What exists stays: a home of Cosmovisor is taken as it is. If another program is in the place of\n" +
        "this one, the command prints a warning with both checksums; --force replaces it.",
    )
    .option("-y, --yes", "write config.toml again where there is one")
    .option("--force", "replace the program of genesis that is there")
    .example("--home /var/lib/chain --name chaind init /usr/local/bin/chaind")
    .action(async (executable: string | undefined, { yes = false, force = false }: Flags) => {
      const file = requireInitProgram(tools.files, executable);
      const { settings } = settingsWithoutFolders(tools);
      const made = await initialize(file, { files: tools.files, settings, isForced: force, log: tools.output.say });
      const config = join(settings.root, "config.toml");
      const isWritten = await writeConfig(tools, config, settings, yes);
      await tools.output.print(
        { ...made, kept: made.kept ?? null, config, config_written: isWritten },
        made.kept ? keptWords(made, file, settings) : readyWords(tools, settings),
      );
    });
}

/** Cosmovisor's `init` succeeds as well where a program is in place. */
function keptWords({ genesis, kept }: Initialized, file: string, settings: Settings): string {
  const command = `${chainvisorFor(settings)} init ${shellWord(file)} --force`;
  return (
    `Warning: ${genesis} was there before and stays: it runs first, not ${file}. Its SHA-256 is ${kept?.sha256}, ` +
    `that of ${file} is ${kept?.given_sha256}. To replace it: ${command}`
  );
}

const readyWords = (tools: VisorTools, settings: Settings): string =>
  `${settings.root} is ready: ${nodeStep(tools, settings)}\`chainvisor doctor\` looks it over, \`chainvisor run start\` runs the node`;

/** Where the folder is no node's home yet. */
function nodeStep({ files }: VisorTools, settings: Settings): string {
  const { genesis, database } = placesOf(settings);
  if (files.facts(genesis) || files.facts(database)) return "";
  const { name, home } = settings;
  return `make the node's home with \`${shellWord(name)} init NAME --home ${shellWord(home)}\`, then `;
}

async function writeConfig(tools: VisorTools, path: string, settings: Settings, isSure: boolean): Promise<boolean> {
  const { files, output } = tools;
  const question = `file ${path} already exists, do you want to overwrite it?`;
  if (files.linkFacts(path) && !isSure && !(await isAgreed(tools.io, question))) {
    output.say("file already exists, not overriding");
    return false;
  }
  try {
    writeWhole(files, path, encodeText(settingsToml(settings)), CONFIG_MODE);
  } catch (cause) {
    throw new UpgradeError("UPG_STORE_IO", `cannot write ${path}: ${messageOf(cause)}`, { cause });
  }
  output.say(`config file written: ${path}`);
  return true;
}
