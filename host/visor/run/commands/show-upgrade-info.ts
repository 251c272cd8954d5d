/** `chainvisor show-upgrade-info`: the file that the node writes at a plan's height, as it is. */
import { join } from "node:path";
import { messageOf } from "../../../base/errors/errors.js";
import type { Cobra } from "../../../base/terminal/cobra.js";
import { usage } from "../../../base/terminal/usage.js";
import { decodeLossy } from "../../../base/text/text.js";
import { visibleLines } from "../../../base/text/visible.js";
import type { VisorTools } from "../tools.js";

const BYTES_MAX = 1_048_576;

export function registerShowUpgradeInfo(program: Cobra, tools: VisorTools): void {
  program
    .command("show-upgrade-info")
    .summary("Print the node's upgrade-info.json")
    .description(
      "Prints <home>/data/upgrade-info.json as it is: the plan whose height the node has reached, which it writes there when it\n" +
        "halts. What is still ahead: `chainvisor plan`. With -o json it is null where there is none.",
    )
    .action(() => {
      const file = join(tools.settings().home, "data", "upgrade-info.json");
      const bytes = tools.files.read(file, BYTES_MAX);
      const text = bytes ? decodeLossy(bytes) : undefined;
      if (tools.output.isJson) requireJson(file, text);
      const none = tools.output.isJson ? "null" : `No upgrade info found at ${file}`;
      tools.io.stdout.write(`${visibleLines(text ?? none).replace(/\n$/, "")}\n`);
    });
}

/** A node may be writing it. @throws UpgradeError UPG_INVALID_ARGUMENT */
function requireJson(file: string, text: string | undefined): void {
  if (text === undefined) return;
  try {
    JSON.parse(text);
  } catch (cause) {
    throw usage(`${file} is no JSON: ${messageOf(cause)}; without \`-o json\` it is printed as it is`);
  }
}
