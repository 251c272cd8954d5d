/** `chaind tx`: transactions, made and signed here, sent to a node. */

import type { Command } from "commander";
import type { Cobra } from "../../base/terminal/cobra.js";
import { parseDuration, parseInt64 } from "../../base/terminal/options.js";
import { usage } from "../../base/terminal/usage.js";
import { registerDerivedTxs } from "../client/derived/tx.js";
import { registerAttestations } from "../client/tx/attest-commands.js";
import { addTxFlags, type TxFlags } from "../client/tx/flags.js";
import type { ProposalFlags } from "../client/tx/proposals.js";
import type { SoftwareUpgradeFlags } from "../client/tx/run.js";
import type { Context } from "../flags/context.js";

const run = () => import("../client/tx/run.js");

/** Flags of the command and of those above it. */
const allFlags = <F extends TxFlags>(command: Cobra) => command.optsWithGlobals<F>();

export function registerTx(program: Cobra, context: Context): void {
  const tx = program
    .command("tx")
    .summary("Sign and send transactions")
    .description("Transactions subcommands")
    .group();
  registerUpgrade(tx, context);
  registerGov(tx, context);
  registerBank(tx, context);
  registerStaking(tx, context);
  registerFiles(tx, context);
  registerDerivedTxs(tx, context);
}

function addProposalFlags<T extends Command>(command: T): T {
  return addTxFlags(command)
    .option("--title <string>", "title of the proposal")
    .option("--summary <string>", "summary of the proposal")
    .option("--deposit <string>", "what to deposit with it: 10000000ustake", "")
    .option("--metadata <string>", "metadata of the proposal", "")
    .option("--expedited", "a shorter vote with a higher threshold")
    .option("--authority <string>", "the upgrade module's authority (default: the gov module's account)") as T;
}

function registerUpgrade(tx: Cobra, context: Context): void {
  const upgrade = tx
    .command("upgrade")
    .summary("Propose upgrades, attest them")
    .description("Upgrade transaction subcommands")
    .group();
  addProposalFlags(upgrade.command("software-upgrade"))
    .argument("<upgrade-name>", "name of the upgrade; used once on a chain")
    .summary("Submit a software upgrade proposal")
    .description(
      "Submits a governance proposal to upgrade at a height. The info is checked here before it is sent: see\n" +
        "docs/plan-info.md. It warns when the height leaves no time to cancel by another vote.",
    )
    .option("--upgrade-height <int>", "the height at which the upgrade must happen", parseInt64)
    .option("--upgrade-info <string>", "info for the plan, such as where the new version can be downloaded", "")
    .option(
      "--handler <file>",
      "pin this upgrade handler in the info; what it may do is shown, and is the default summary",
    )
    .option("--handler-url <string>", "where the file of --handler can be downloaded, for the info")
    .option("--no-validate", "do not check the info")
    .option("--no-checksum-required", "URLs in the info may lack a checksum")
    .option("--allow-weak-checksum", "take md5 and sha1 too")
    .option("--download", "fetch what the info offers and verify it")
    .option("--safety-delta <duration>", "time to find out that the upgrade is a bad idea", parseDuration, 0n)
    .option("--require-cancellable", "refuse a height that leaves no time to cancel")
    .option(
      "--daemon-name <string>",
      "accepted for scripts written for the Cosmos SDK; the check is the same for all names",
    )
    .example(
      `tx upgrade software-upgrade v2 --upgrade-height 1000 --title T --summary S --deposit 10000000ustake \\\n      --upgrade-info '{"binaries":{"linux/amd64":"https://example.com/v2?checksum=sha256:<hex>"}}' --from alice`,
    )
    .example(
      "tx upgrade software-upgrade v3 --upgrade-height 2000 --title T --deposit 10000000ustake --handler v3.wasm --from alice",
    )
    .action(async (name: string, _: unknown, command: Cobra) => {
      await (await run()).runSoftwareUpgrade(name, allFlags<SoftwareUpgradeFlags>(command), context);
    });
  for (const [name, summary] of [
    ["cancel-software-upgrade", "Cancel the current software upgrade proposal"],
    ["cancel-upgrade-proposal", "Another name of cancel-software-upgrade, for scripts"],
  ] as const) {
    addProposalFlags(upgrade.command(name))
      .summary(summary)
      .description("Submits a governance proposal to cancel the upgrade that is scheduled when it passes.")
      .action(async (_: unknown, command: Cobra) => {
        await (await run()).runCancelUpgrade(allFlags<TxFlags & ProposalFlags>(command), context);
      });
  }
  registerAttestations(upgrade, context);
}

function registerGov(tx: Cobra, context: Context): void {
  const gov = tx
    .command("gov")
    .summary("Propose, deposit and vote")
    .description("Governance transactions subcommands")
    .group();
  addTxFlags(gov.command("submit-proposal"))
    .argument("<file>", "the proposal, JSON: messages, metadata, deposit, title, summary, expedited")
    .summary("Submit a proposal from a file")
    .description(
      `Submits a governance proposal. The file is JSON in the form of the Cosmos SDK:

  {
    "messages": [{ "@type": "/cosmos.upgrade.v1beta1.MsgCancelUpgrade", "authority": "<address of the gov module>" }],
    "metadata": "", "deposit": "10000000ustake", "title": "…", "summary": "…", "expedited": false
  }

An unknown field or name is an error. What will be sent, with the pin of each
plan, is printed to stderr before it is signed.`,
    )
    .example("tx gov submit-proposal proposal.json --from alice")
    .action(async (file: string, _: unknown, command: Cobra) =>
      (await run()).runSubmit(file, allFlags(command), context),
    );
  addTxFlags(gov.command("deposit"))
    .argument("<proposal-id>")
    .argument("<coins>", "what to deposit: 10000000ustake")
    .summary("Deposit coins for a proposal")
    .example("tx gov deposit 1 10000000ustake --from alice")
    .action(async (id: string, coins: string, _: unknown, command: Cobra) =>
      (await run()).runDeposit(id, coins, allFlags(command), context),
    );
  addTxFlags(gov.command("vote"))
    .argument("<proposal-id>")
    .argument("<option>", "yes, no, no_with_veto or abstain")
    .summary("Vote on a proposal")
    .example("tx gov vote 1 yes --from alice")
    .option("--metadata <string>", "metadata of the vote", "")
    .action(async (id: string, option: string, _: unknown, command: Cobra) =>
      (await run()).runVote(id, option, allFlags(command), context),
    );
  addTxFlags(gov.command("weighted-vote"))
    .argument("<proposal-id>")
    .argument("<options>", "options with weights that sum up to 1: yes=0.6,no=0.4")
    .summary("Vote on a proposal with several options")
    .example("tx gov weighted-vote 1 yes=0.6,no=0.4 --from alice")
    .option("--metadata <string>", "metadata of the vote", "")
    .action(async (id: string, options: string, _: unknown, command: Cobra) =>
      (await run()).runWeightedVote(id, options, allFlags(command), context),
    );
  addTxFlags(gov.command("cancel-proposal"))
    .argument("<proposal-id>")
    .summary("Take back a proposal of one's own before its vote ends")
    .action(async (id: string, _: unknown, command: Cobra) => (await run()).runCancel(id, allFlags(command), context));
}

function registerBank(tx: Cobra, context: Context): void {
  const bank = tx.command("bank").summary("Send coins").description("Bank transaction subcommands").group();
  addTxFlags(bank.command("send"))
    .argument("<from>", "name or address of the key that pays, in place of --from")
    .argument("<to>", "address, or name of a key")
    .argument("<coins>", "what to send: 100ustake")
    .summary("Send coins to another account")
    .example("tx bank send alice cosmos1… 100ustake")
    .action(async (from: string, to: string, coins: string, _: unknown, command: Cobra) =>
      (await run()).runBankSend(to, coins, { ...allFlags(command), from }, context),
    );
}

function registerStaking(tx: Cobra, context: Context): void {
  const commands = () => import("../client/tx/staking.js");
  const staking = tx
    .command("staking")
    .summary("Create a validator, delegate and undelegate")
    .description("Staking transaction subcommands")
    .group();
  addTxFlags(staking.command("create-validator"))
    .argument("<file>", "the validator, JSON")
    .summary("Create a validator with a delegation of its operator")
    .description(
      `The account of --from operates the validator. The file is JSON in the form of the Cosmos SDK:

  {
    "pubkey": <what \`comet show-validator\` prints>, "amount": "100000000ustake", "moniker": "one",
    "identity": "", "website": "", "security": "", "details": "", "min-self-delegation": "1",
    "commission-rate": "0.1", "commission-max-rate": "0.2", "commission-max-change-rate": "0.01"
  }`,
    )
    .example("tx staking create-validator validator.json --from alice --gas auto")
    .action(async (file: string, _: unknown, command: Cobra) =>
      (await commands()).runCreateValidator(file, allFlags(command), context),
    );
  addTxFlags(staking.command("delegate"))
    .argument("<validator>", "address of its operator")
    .argument("<amount>", "100000000ustake")
    .summary("Delegate coins to a validator")
    .example("tx staking delegate cosmosvaloper1… 1000000ustake --from alice --gas auto")
    .action(async (validator: string, amount: string, _: unknown, command: Cobra) =>
      (await commands()).runDelegate(validator, amount, allFlags(command), context),
    );
  addTxFlags(staking.command("unbond"))
    .alias("undelegate")
    .argument("<validator>", "address of its operator")
    .argument("<amount>", "100000000ustake")
    .summary("Take coins back from a validator: they come after the unbonding time")
    .example("tx staking unbond cosmosvaloper1… 1000000ustake --from alice --gas auto")
    .action(async (validator: string, amount: string, _: unknown, command: Cobra) =>
      (await commands()).runUndelegate(validator, amount, allFlags(command), context),
    );
}

function registerFiles(tx: Cobra, context: Context): void {
  addTxFlags(tx.command("sign"))
    .argument("<file>", "an unsigned transaction, JSON; - for stdin")
    .summary("Sign a transaction from --generate-only")
    .description(
      "Signs with the key of --from. With --multisig it prints that member's signature, as amino JSON, for `tx multisign`.",
    )
    .option("--multisig <string>", "name or address of the multisig key that the signer is a member of")
    .option("--signature-only", "print the signature, not the transaction")
    .option("--output-document <file>", "write to this file, which must not exist yet")
    .example("tx sign unsigned.json --from alice --multisig committee --output-document alice.json")
    .action(async (file: string, _: unknown, command: Cobra) => {
      await (await import("../client/tx/stored.js")).signFile(file, allFlags(command), context);
    });
  addTxFlags(tx.command("multisign"))
    .argument("<file>", "an unsigned transaction, JSON; - for stdin")
    .argument("<name>", "the multisig key: its name in the keyring")
    .argument("<signatures...>", "files from `tx sign --multisig`, one a member")
    .summary("Join the signatures of a multisig key's members")
    .description("Verifies each signature, and prints the signed transaction for `tx broadcast`.")
    .option("--output-document <file>", "write to this file, which must not exist yet")
    .example("tx multisign unsigned.json committee alice.json bob.json > signed.json")
    .action(async (file: string, name: string, signatures: string[], _: unknown, command: Cobra) => {
      await (await import("../client/tx/multisign.js")).multisign(
        { file, name, signatures },
        allFlags(command),
        context,
      );
    });
  addTxFlags(tx.command("broadcast"))
    .argument("<file>", "a signed transaction, JSON; - for stdin")
    .summary("Send a signed transaction")
    .action(async (file: string, _: unknown, command: Cobra) => {
      const flags = allFlags<TxFlags>(command);
      if (flags.offline) throw usage("cannot broadcast a transaction while offline");
      await (await import("../client/tx/stored.js")).broadcastFile(file, flags, context);
    });
}
