/** `chaind genesis`: the document that a chain begins with, before its first start. */

import type { Cobra } from "../../base/terminal/cobra.js";
import { parsePort } from "../../base/terminal/options.js";
import { addKeyringFlags } from "../client/keyring-options.js";
import type { ValidatorFlags } from "../client/tx/create-validator.js";
import type { Context } from "../flags/context.js";
import type { AddAccountFlags } from "../genesis/add-account.js";
import type { GentxFlags } from "../genesis/gentx.js";

export function registerGenesis(program: Cobra, context: Context): void {
  const genesis = program.command("genesis").summary("Prepare and check the genesis document").group();
  addKeyringFlags(genesis.command("add-account"))
    .alias("add-genesis-account")
    .argument("<key>", "a key of the keyring, or an address")
    .argument("<coins>", "what the account holds: 1000000ustake,5uatom")
    .summary("Give an account coins, and make it this node's validator")
    .description(
      "Adds an account to config/genesis.json. With --validator the account operates this node's validator and delegates\n" +
        "to it, so that its votes count; the power is what it delegates, in millions. No account holds\n" +
        "those tokens: `query bank total` leaves them out until the first staking message.",
    )
    .option("--validator [power]", "operate this node's validator, with this voting power (100 when none is given)")
    .option("--append", "add the coins to those of an account that exists already")
    .example(
      "keys add alice --keyring-backend test",
      "genesis add-account alice 1000000000ustake --validator --keyring-backend test",
    )
    .action(async (key: string, coins: string, flags: AddAccountFlags, command: Cobra) => {
      const { addAccount } = await import("../genesis/add-account.js");
      await context.print(await addAccount(context, homeOf(command), key, coins, flags));
    });
  registerGentx(genesis, context);
  genesis
    .command("validate")
    .alias("validate-genesis")
    .argument("[file]", "a genesis document; that of the home when left out")
    .summary("Check a genesis document")
    .action(async (file: string | undefined, _: unknown, command: Cobra) => {
      const { validateGenesis } = await import("../genesis/validate.js");
      await context.print(validateGenesis(context.chain, homeOf(command), file));
    });
}

const homeOf = (command: Cobra) => String(command.optsWithGlobals()["home"]);

/** Several validators: each operator signs for its own, one of them collects. */
function registerGentx(genesis: Cobra, context: Context): void {
  addValidatorFlags(genesis.command("add-validator"))
    .alias("add-genesis-validator")
    .argument("<key>", "the operator: a key of the keyring, or an address, with an account in the genesis document")
    .argument("<amount>", "what it delegates to its validator: 100000000ustake is power 100")
    .summary("Put a validator into the genesis document, without a signature")
    .description(
      "Does in one step what `gentx` and `collect-gentxs` do, for those who make the genesis document of others. The key is\n" +
        "this home's, or --pubkey as `comet show-validator` prints it.",
    )
    .example(`genesis add-validator bob 100000000ustake --pubkey '{"@type":"/cosmos.crypto.ed25519.PubKey","key":"…"}'`)
    .action(async (key: string, amount: string, flags: ValidatorFlags & AddAccountFlags, command: Cobra) => {
      const { addValidator } = await import("../genesis/gentx.js");
      await context.print(await addValidator(context, homeOf(command), key, amount, flags));
    });
  addValidatorFlags(genesis.command("gentx"))
    .argument("<key>", "the operator's key in the keyring, with an account in the genesis document")
    .argument("<amount>", "what it delegates to its validator: 100000000ustake is power 100")
    .summary("Sign for this node's validator, before the chain begins")
    .description(
      "Writes a signed MsgCreateValidator to config/gentx. Send the file to the operator who\n" +
        "makes the genesis document with `collect-gentxs`, which checks the signature and puts\n" +
        "the validator into the document. The transaction itself is never run. Once the chain\n" +
        "has begun, `tx staking create-validator` adds a validator. Commission and minimum self\n" +
        "delegation are written down; there are no rewards that they could divide.",
    )
    .option("--ip <string>", "where peers reach this node", "127.0.0.1")
    .option("--p2p-port <uint>", "port of peers", parsePort, P2P_PORT)
    .option("--node-id <string>", "this node's id (default: that of config/node_key.json)")
    .option("--output-document <file>", "where to write it (default: config/gentx/gentx-<node id>.json)")
    .example("genesis gentx alice 100000000ustake --ip 10.0.0.1 --keyring-backend test")
    .action(async (key: string, amount: string, flags: GentxFlags, command: Cobra) => {
      const { gentx } = await import("../genesis/gentx.js");
      const { chainId } = command.optsWithGlobals() as { chainId?: string };
      const { file } = await gentx(context, homeOf(command), key, amount, {
        ...flags,
        ...(chainId ? { chainId } : {}),
      });
      await context.print({ file }, `Genesis transaction written to ${JSON.stringify(file)}`);
    });
  genesis
    .command("collect-gentxs")
    .option("--gentx-dir <dir>", "folder of the files that gentx wrote (default: config/gentx)")
    .summary("Put the validators of all gentx files into the genesis document")
    .description(
      "Checks each file and its signature, puts the validators into config/genesis.json, and the nodes' addresses into\n" +
        "persistent_peers of config/config.toml. Give the genesis document to all nodes. Files that were collected before\n" +
        "change nothing.",
    )
    .action(async ({ gentxDir }: { gentxDir?: string }, command: Cobra) => {
      const { collectGentxs } = await import("../genesis/collect-gentxs.js");
      await context.print(collectGentxs(context.chain, homeOf(command), gentxDir));
    });
}

/** CometBFT's default. */
const P2P_PORT = 26_656;

function addValidatorFlags(command: Cobra): Cobra {
  return addKeyringFlags(command)
    .option("--pubkey <json>", "the consensus key (default: that of config/priv_validator_key.json)")
    .option("--moniker <string>", "the validator's name (default: this node's)")
    .option("--commission-rate <decimal>", "commission", "0.1")
    .option("--commission-max-rate <decimal>", "the most that the commission may be", "0.2")
    .option("--commission-max-change-rate <decimal>", "the most that it may change a day", "0.01")
    .option("--min-self-delegation <uint>", "the least that the operator delegates", "1")
    .option("--identity <string>", "identity signature, as of Keybase", "")
    .option("--website <string>", "the validator's website", "")
    .option("--security-contact <string>", "where to report security problems", "")
    .option("--details <string>", "details", "");
}
