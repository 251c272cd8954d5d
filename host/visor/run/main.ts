/** `chainvisor`: the sidecar. What a command needs is loaded when it runs. */
import { nameProgram } from "../../base/text/program-name.js";
import { runVisorCommand } from "./command-line.js";

export async function runChainvisor(): Promise<void> {
  nameProgram("chainvisor");
  process.exitCode = await runVisorCommand(process.argv.slice(2), process.env);
}
