/** `chaind verify-chain` on the command line. */

import type { Cobra } from "../../../base/terminal/cobra.js";
import { parseHeight } from "../../../base/terminal/options.js";
import type { Context } from "../../flags/context.js";
import { addNodeFlags } from "../flags.js";
import { addTrustFlags } from "./trust.js";
import type { VerifyChainFlags } from "./verify-chain.js";

export function registerVerifyChain(program: Cobra, context: Context): void {
  addTrustFlags(addNodeFlags(program.command("verify-chain")))
    .summary("Verify what a chain says of its upgrades, from a block that you trust")
    .description(
      "Asks any node of the chain for evidence, of this program or of the Cosmos SDK, and believes none of it: from the block\n" +
        "that you trust, signatures of validators lead to the header that proves the state, and ICS-23 proofs to what is in it:\n" +
        "the plan or that there is none, the upgrades that were applied, the versions of all modules, the receipt of a Wasm\n" +
        "handler. Each claim is printed with what it rests on. --out keeps the evidence in a file, which --file verifies again,\n" +
        "without any node. --re-execute runs the handler again on a witness (docs/witness.md), neither of which has to be trusted:\n" +
        "the app hash that comes out must be the chain's; the state that is proven is then that after the upgrade's block.\n\n" +
        "Exit status 0: every claim that evidence can prove is PROVEN or ABSENT; an UNPROVEN line is what the server says beyond\n" +
        "that. 40: something was forged, is too old for --trusting-period or does not fit; then\n" +
        "nothing is claimed. 1: the node did not answer, or has no proofs of that height. 2: wrong flags, a height that no header\n" +
        "proves yet, or an --out that cannot be written. 3: --re-execute, and no such upgrade was applied. 20, 21: the handler did\n" +
        "not succeed, or was refused, in --re-execute. 30: a file cannot be read or written.",
    )
    .option("--height <int>", "the state to prove (0: the last that a header proves)", parseHeight, 0n)
    .option("--plan <string>", "the upgrade to prove (default: the one that was applied last)")
    .option(
      "--file <string>",
      "verify the evidence in this file, JSON of --out or a page that was saved; no node is asked",
    )
    .option("--out <string>", "keep the evidence in this file")
    .option("--re-execute", "run the upgrade's handler again, until the chain's own app hash comes out")
    .option("--witness <string>", "for --re-execute: the file with the state that the handler looks at")
    .option("--handler <string>", "for --re-execute: the handler's .wasm")
    .example(
      "verify-chain --trust-height 1 --trust-hash HASH --node tcp://127.0.0.1:26657 --out evidence.json",
      "verify-chain --trust-height 1 --trust-hash HASH --file evidence.json -o json",
      "verify-chain --trust-height 1 --trust-hash HASH --re-execute --witness v2.bin --handler v2.wasm",
    )
    .action(async (_flags: unknown, command: Cobra) => {
      const { verifyChain } = await import("./verify-chain.js");
      await verifyChain(command.optsWithGlobals<VerifyChainFlags>(), context);
    });
}
