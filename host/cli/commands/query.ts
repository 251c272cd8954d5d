/** `chaind query`: questions to a node. */

import { Option } from "commander";
import type { Cobra } from "../../base/terminal/cobra.js";
import { parseCount } from "../../base/terminal/options.js";
import { registerDerivedQueries } from "../client/derived/query.js";
import { addQueryFlags, type QueryFlags } from "../client/flags.js";
import { addPageFlags as list } from "../client/page-flags.js";
import type { Question } from "../client/query/question.js";
import { addTrustFlags } from "../client/verify/trust.js";
import type { Context } from "../flags/context.js";

/** A command that asks one question. */
export function question<F extends QueryFlags>(
  parent: Cobra,
  shape: string,
  summary: string,
  context: Context,
  load: () => Promise<Question<F>>,
): Cobra {
  const [name = "", ...words] = shape.split(" ");
  const command = addQueryFlags(parent.command(name)).summary(summary);
  for (const word of words) command.argument(word);
  return command.action(async (...given: unknown[]) => {
    const flags = given.at(-2) as F;
    const asked = given.slice(0, words.length).filter((word): word is string => typeof word === "string");
    const { json, text } = await (await load())(asked, flags, context.chain);
    await context.print(json, text);
  });
}

export function registerQuery(program: Cobra, context: Context): void {
  const query = program.command("query").alias("q").summary("Ask a node").description("Querying commands").group();
  registerUpgrade(query, context);
  registerAccounts(query, context);
  registerGov(query, context);
  registerTxsAndBlocks(query, context);
  registerDerivedQueries(query, context);
}

const upgrade = () => import("../client/query/upgrade.js");

function registerUpgrade(query: Cobra, context: Context): void {
  const group = query.command("upgrade").summary("Plans, versions and receipts of upgrades");
  group.description("Querying commands for the upgrade module").group();
  question(group, "plan", "Query the upgrade plan (if one exists)", context, async () => (await upgrade()).plan)
    .description(
      "Gets the currently scheduled upgrade plan, if one exists. Text output also shows when its height will be reached, from the\n" +
        "times of the last blocks; JSON does with --estimate.",
    )
    .example("query upgrade plan", "query upgrade plan --estimate -o json")
    .option("--estimate", "with JSON too, show when the height will be reached");
  question(
    group,
    "applied <upgrade-name>",
    "Query the block header for height at which a completed upgrade was applied",
    context,
    async () => (await upgrade()).applied,
  ).description(
    "If the upgrade was executed on the chain, prints the record of the block where it was applied. It shows which\n" +
      "binary was valid over a range of blocks.",
  );
  question(
    group,
    "module_versions [module_name]",
    "Query the list of module versions",
    context,
    async () => (await upgrade()).moduleVersions,
  )
    .alias("module-versions")
    .description("Prints the consensus version of every module, or of one.");
  addTrustFlags(
    question(
      group,
      "receipt <upgrade-name>",
      "Query what the handler of a completed upgrade did, with its proof",
      context,
      async () => (await upgrade()).receipt,
    ),
  )
    .description(
      "Prints the receipt that the block of an upgrade committed, with its ICS-23 proof, once proof and signatures are verified.\n" +
        "With --trust-height and --trust-hash they are, from a block that you trust; without, the result says that it rests on\n" +
        "the server that was asked. So does that there is none: exit 3. What does not verify is not printed: exit 40.",
    )
    .example("query upgrade receipt v2", "query upgrade receipt v2 --trust-height 1 --trust-hash HASH");
  question(
    group,
    "readiness [upgrade-name]",
    "Query how much power has attested a plan, with which file and result",
    context,
    async () => (await import("../client/query/readiness.js")).readiness,
  )
    .description(
      "Prints who would run the same file with the same app hash, by power, who differs, and who has said nothing; without a\n" +
        "name, of the plan that is scheduled. It rests on the node that is asked.",
    )
    .example("query upgrade readiness", "query upgrade readiness v2 -o json");
  question(
    group,
    "progress",
    "Query how far the upgrade has come that the node is making",
    context,
    async () => (await upgrade()).progress,
  ).description(
    "Prints the phase of the upgrade's block, the store, the pairs done of how many, the rate and the time left in this\n" +
      "phase. It is the node's own view; nothing of it is state.",
  );
  question(
    group,
    "authority",
    "Query the account that may schedule and cancel upgrades",
    context,
    async () => (await upgrade()).authority,
  );
}

const accounts = () => import("../client/query/accounts.js");

function registerAccounts(query: Cobra, context: Context): void {
  const auth = query.command("auth").summary("Accounts").description("Querying commands for the auth module").group();
  question(auth, "account <address>", "Query an account", context, async () => (await accounts()).account);
  question(
    auth,
    "module-account <module-name>",
    "Query the account of a module",
    context,
    async () => (await accounts()).moduleAccount,
  );
  question(
    auth,
    "module-accounts",
    "Query the accounts of all modules",
    context,
    async () => (await accounts()).moduleAccounts,
  );
  const bank = query.command("bank").summary("Coins").description("Querying commands for the bank module").group();
  list(
    question(
      bank,
      "balances <address>",
      "Query the coins of an account",
      context,
      async () => (await accounts()).balances,
    ),
  ).example("query bank balances ADDRESS", "query bank balances ADDRESS --height 40 -o json");
  question(
    bank,
    "balance <address> <denom>",
    "Query an account's coins of one denomination",
    context,
    async () => (await accounts()).balance,
  );
  list(question(bank, "total", "Query the supply of all coins", context, async () => (await accounts()).total)).alias(
    "total-supply",
  );
}

const gov = () => import("../client/query/gov.js");

function registerGov(query: Cobra, context: Context): void {
  const group = query.command("gov").summary("Proposals, votes and deposits");
  group.description("Querying commands for the gov module").group();
  question(group, "proposal <proposal-id>", "Query a proposal", context, async () => (await gov()).proposal);
  list(question(group, "proposals", "Query proposals", context, async () => (await gov()).proposals))
    .option(
      "--proposal-status <string>",
      "only those in this state: deposit-period, voting-period, passed, rejected, failed",
    )
    .addOption(new Option("--status <string>", "its name before 0.53").hideHelp())
    .option("--voter <string>", "only those that this address voted on")
    .option("--depositor <string>", "only those that this address paid for");
  list(
    question(group, "votes <proposal-id>", "Query the votes on a proposal", context, async () => (await gov()).votes),
  );
  question(group, "vote <proposal-id> <voter>", "Query a vote", context, async () => (await gov()).vote);
  list(
    question(
      group,
      "deposits <proposal-id>",
      "Query the deposits of a proposal",
      context,
      async () => (await gov()).deposits,
    ),
  );
  question(group, "tally <proposal-id>", "Query the votes counted by power", context, async () => (await gov()).tally);
  question(group, "params", "Query the parameters of governance", context, async () => (await gov()).params);
}

const blocks = () => import("../client/query/blocks.js");

function registerTxsAndBlocks(query: Cobra, context: Context): void {
  question(query, "tx <hash>", "Query a transaction by its hash", context, async () => (await blocks()).tx);
  question(
    query,
    "wait-tx <hash>",
    "Wait until a transaction is in a block",
    context,
    async () => (await blocks()).waitTx,
  );
  question(query, "txs", "Query transactions by their events", context, async () => (await blocks()).txs)
    .option("--query <string>", "conditions: message.action='/cosmos.bank.v1beta1.MsgSend' AND tx.height=5")
    .option("--page <uint>", "page of the answer", parseCount, 1)
    .option("--limit <uint>", "transactions on a page", parseCount, 100);
  question(
    query,
    "block [height]",
    "Query a block: the last, or one by its height or hash",
    context,
    async () => (await blocks()).block,
  ).option("--type <string>", "height or hash: what the argument is");
  question(
    query,
    "block-results [height]",
    "Query the results of a block's transactions and hooks",
    context,
    async () => (await blocks()).blockResults,
  );
}
