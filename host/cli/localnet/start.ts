/** `chaind localnet start`: this program once for each node, and their lines in one terminal. */

import { isEmbedded } from "../../base/native/embedded.js";
import { jsonLine } from "../../base/terminal/output.js";
import { lineOf } from "./lines.js";
import { chosenNodes, readNetwork } from "./network.js";
import { runNetwork } from "./run.js";

interface StartOptions {
  /** Names; undefined: all. */
  readonly nodes: readonly string[] | undefined;
  readonly isAllOrNone: boolean;
  /** Of `start`. */
  readonly flags: readonly string[];
  /** Events as JSON, one a line. */
  readonly isJson: boolean;
}

/** Returns the exit status. @throws UpgradeError UPG_INVALID_CONFIG, UPG_INVALID_ARGUMENT */
export async function startLocalnet(folder: string, options: StartOptions): Promise<number> {
  const nodes = chosenNodes(readNetwork(folder), options.nodes);
  const nameLength = Math.max(...nodes.map(({ name }) => name.length));
  return runNetwork({
    ...{ folder, nodes, command: ownCommand(), flags: options.flags, isAllOrNone: options.isAllOrNone },
    onEvent: (event) => {
      process.stdout.write(`${options.isJson ? jsonLine(event) : lineOf(event, nameLength)}\n`);
    },
  });
}

/** How this program was started: by Node.js from a file, or as an executable of its own. */
function ownCommand(): string[] {
  return isEmbedded() ? [process.execPath] : [process.execPath, ...process.execArgv, process.argv[1] ?? ""];
}
