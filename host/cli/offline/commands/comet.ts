/** `chaind comet`: this node as CometBFT knows it, with the Cosmos SDK's words. */

import type { Cobra } from "../../../base/terminal/cobra.js";
import type { Context } from "../../flags/context.js";

const homeOf = (command: Cobra) => String(command.optsWithGlobals()["home"]);

export function registerComet(program: Cobra, context: Context): void {
  const comet = program.command("comet");
  comet.aliases(["cometbft", "tendermint"]).summary("What CometBFT knows of this node: id, key, address").group();
  comet
    .command("show-node-id")
    .summary("Show this node's id")
    .action(async (_: unknown, command: Cobra) => {
      const { Home } = await import("../../../node/home/home.js");
      const { readNodeId } = await import("../../flags/key-files.js");
      const node_id = readNodeId(new Home(homeOf(command)).nodeKeyFile);
      await context.print({ node_id }, node_id);
    });
  comet
    .command("gen-node-key")
    .summary("Make a node key where it is missing, and show the id")
    .action(async (_: unknown, command: Cobra) => {
      const { Home } = await import("../../../node/home/home.js");
      const { makeNodeKey } = await import("../../flags/key-files.js");
      const node_id = makeNodeKey(new Home(homeOf(command)).nodeKeyFile);
      await context.print({ node_id }, node_id);
    });
  comet
    .command("show-validator")
    .summary("Show this node's consensus key, as `gentx --pubkey` takes it")
    .action(async (_: unknown, command: Cobra) => {
      const key = await consensusKeyOf(command);
      const { keyJson } = await import("../../../chain/values/key-json.js");
      const json = keyJson({ type: "ed25519", bytes: key.publicKey.bytes });
      await context.print(json, JSON.stringify(json));
    });
  comet
    .command("show-address")
    .summary("Show this node's consensus address")
    .action(async (_: unknown, command: Cobra) => {
      const { address: bytes } = await consensusKeyOf(command);
      const address = context.chain.addresses.consensus.encode(bytes);
      await context.print({ address }, address);
    });
  comet
    .command("rollback")
    .option("--hard", "remove the block too, so that another one may be decided; not where this validator signed it")
    .option("--comet.bin <file>", "the cometbft program (default: COMETBFT_BIN, else cometbft of PATH)")
    .summary("Take back the last block of the application and of CometBFT")
    .description(
      "Takes back the state after the last block, of the application first and then of CometBFT. Without --hard the block\n" +
        "stays and is run again at the next start: after a binary or a handler that was wrong on this node alone. Stop the\n" +
        "node first. Going back ends where a block is committed: a key does not sign a height twice, and this command keeps it so.\n" +
        "The application alone goes back further, to run blocks of CometBFT's again: `rollback --to HEIGHT`.",
    )
    .action(async (flags: { hard?: boolean; "comet.bin"?: string }, command: Cobra) => {
      const { rollbackComet } = await import("../rollback-comet.js");
      await context.print(rollbackComet(homeOf(command), { isHard: flags.hard === true, program: flags["comet.bin"] }));
    });
  registerReset(comet, context);
}

function registerReset(comet: Cobra, context: Context): void {
  comet
    .command("unsafe-reset-all")
    .option("--keep-addr-book", "keep the addresses of peers, config/addrbook.json")
    .summary("Remove the state, the blocks and the snapshots of this home")
    .description(
      "Removes what is in the data folder and, where it is another one, CometBFT's databases, while the node is stopped. Keys and\n" +
        "settings stay, and so does the record of what the key has signed: up to that height it signs nothing.",
    )
    .action(async ({ keepAddrBook = false }: { keepAddrBook?: boolean }, command: Cobra) => {
      const { resetAll } = await import("../reset.js");
      const done = resetAll(homeOf(command), { keepAddrBook });
      await context.print(done);
      if (done.signed_height !== "0")
        context.say(`the key of this home signs nothing up to height ${done.signed_height}`);
    });
}

async function consensusKeyOf(command: Cobra) {
  const { Home } = await import("../../../node/home/home.js");
  const { readConsensusKey } = await import("../../../node/home/consensus-key.js");
  return readConsensusKey(new Home(homeOf(command)).validatorKeyFile);
}
