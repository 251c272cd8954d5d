/** `chaind status`. */

import type { Cobra } from "../../base/terminal/cobra.js";
import { jsonLine } from "../../base/terminal/output.js";
import { addNodeFlags, type NodeFlags } from "../client/flags.js";
import type { Context } from "../flags/context.js";

export function registerStatus(program: Cobra, context: Context): void {
  addNodeFlags(program.command("status"))
    .summary("Query a node's state")
    .description("Prints who a node is, the last block it has and the key that it signs with, as JSON.")
    .example("status", "status --node tcp://127.0.0.1:26657")
    .action(async (flags: NodeFlags) => {
      const { rpcClient } = await import("../client/flags.js");
      const answer = (await rpcClient(flags).call("status")) as object;
      // JSON without `-o json` too: scripts pipe it, as they do with the Cosmos SDK's programs.
      await context.print(answer, jsonLine(answer));
    });
}
