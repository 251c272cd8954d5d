/** `chaind genesis`: the document that a chain begins with, before its first start. */

import { addKeyringFlags } from "../../client/keyring-options.js";
import type { Cobra } from "../../shell/cobra.js";
import type { Output } from "../../shell/output.js";
import type { AddAccountFlags } from "../genesis/add-account.js";

export function registerGenesis(program: Cobra, output: Output): void {
  const genesis = program.command("genesis").summary("Prepare and check the genesis document").group();
  addKeyringFlags(genesis.command("add-account"))
    .alias("add-genesis-account")
    .argument("<key>", "a key of the keyring, or an address")
    .argument("<coins>", "what the account holds: 1000000ustake,5uatom")
    .summary("Give an account coins, and make it this node's validator")
    .description(
      "Adds an account to config/genesis.json. With --validator the account operates this node's validator and delegates\n" +
        "to it, so that its votes count; the power is what it delegates, in millions.",
    )
    .option("--validator [power]", "operate this node's validator, with this voting power (100 when none is given)")
    .option("--append", "add the coins to those of an account that exists already")
    .example(
      "keys add alice --keyring-backend test",
      "genesis add-account alice 1000000000ustake --validator --keyring-backend test",
    )
    .action(async (key: string, coins: string, flags: AddAccountFlags, command: Cobra) => {
      const { addAccount } = await import("../genesis/add-account.js");
      output.print(await addAccount(String(command.optsWithGlobals()["home"]), key, coins, flags));
    });
  genesis
    .command("validate")
    .alias("validate-genesis")
    .argument("[file]", "a genesis document; that of the home when left out")
    .summary("Check a genesis document")
    .action(async (file: string | undefined, _: unknown, command: Cobra) => {
      const { validateGenesis } = await import("../genesis/validate.js");
      output.print(validateGenesis(String(command.optsWithGlobals()["home"]), file));
    });
}
