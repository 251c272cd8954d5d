/** What the `tx` commands do: their arguments become messages, and those are sent. */

import { UpgradeError } from "../../../base/errors/errors.js";
import { VoteOption } from "../../../base/gen/cosmos/gov/v1/gov_pb.js";
import { required } from "../../../base/terminal/settings.js";
import { usage } from "../../../base/terminal/usage.js";
import { visibleLines } from "../../../base/text/visible.js";
import { transfer } from "../../../chain/modules/bank/compose.js";
import { cancellation, deposit, vote, weightedVote } from "../../../chain/modules/gov/compose.js";
import { cancelUpgrade, scheduledPlan, softwareUpgrade } from "../../../chain/modules/upgrade/compose.js";
import { parseCoins } from "../../../chain/values/coins.js";
import { formatDecimal, readDecimal } from "../../../chain/values/decimal.js";
import { checkText } from "../../author/file-check.js";
import type { Context } from "../../flags/context.js";
import { proposalId } from "../query/gov.js";
import { type CancellableFlags, checkCancellable } from "./cancellable.js";
import type { TxFlags } from "./flags.js";
import { checkPlan, type PlanCheckFlags, requireAhead } from "./plan-check.js";
import { checkedHandler, handlerSummary, infoWithHandler } from "./plan-handler.js";
import { misspeltInfo, proposalSummary } from "./proposal-summary.js";
import { authorityOf, checkProposal, type ProposalFlags, proposalFromJson, submitProposal } from "./proposals.js";
import { send } from "./send.js";
import { readJsonFile } from "./stored.js";

export interface SoftwareUpgradeFlags
  extends TxFlags,
    ProposalFlags,
    PlanCheckFlags,
    Omit<CancellableFlags, "upgradeHeight"> {
  readonly upgradeHeight?: bigint;
  readonly upgradeInfo: string;
  /** A file that the plan is to pin. */
  readonly handler?: string;
  readonly handlerUrl?: string;
}

export async function runSoftwareUpgrade(name: string, flags: SoftwareUpgradeFlags, context: Context): Promise<void> {
  const { chain } = context;
  const upgradeHeight = required(flags.upgradeHeight, "upgrade-height");
  if (upgradeHeight <= 0n) {
    throw new UpgradeError("UPG_INVALID_PLAN_HEIGHT", `--upgrade-height must be greater than 0, got ${upgradeHeight}`);
  }
  const { info, proposal } = withHandler(name, flags, context);
  checkProposal(proposal);
  const authority = authorityOf(chain, flags);
  const plan = { name, height: upgradeHeight, info };
  await checkPlan(plan, flags, (line) => context.say(line));
  await send(flags, context, async ({ address }, rpc) => {
    if (rpc) {
      await requireAhead(rpc, upgradeHeight);
      await checkCancellable(rpc, { ...flags, upgradeHeight }, (line) => context.say(line));
    }
    return [submitProposal([softwareUpgrade(authority, plan)], address, proposal)];
  });
}

/** With `--handler`: the info pins the file, what it may do is shown, and is the summary where none was given. */
function withHandler(name: string, flags: SoftwareUpgradeFlags, context: Context) {
  const { chain } = context;
  const { handler: file, handlerUrl: url, upgradeInfo } = flags;
  if (file === undefined) {
    if (url !== undefined) throw usage("--handler-url says where the file of --handler can be downloaded: give both");
    return { info: upgradeInfo, proposal: flags };
  }
  const handler = checkedHandler(chain, file, name);
  const info = infoWithHandler(upgradeInfo, { sha256: handler.sha256, url });
  context.say(visibleLines(checkText(handler)));
  const summary = flags.summary ?? handlerSummary(chain.name, handler);
  return { info, proposal: { ...flags, summary } };
}

export async function runCancelUpgrade(flags: TxFlags & ProposalFlags, context: Context): Promise<void> {
  const { chain } = context;
  checkProposal(flags);
  const authority = authorityOf(chain, flags);
  await send(flags, context, ({ address }) => [submitProposal([cancelUpgrade(authority)], address, flags)]);
}

export async function runSubmit(file: string, flags: TxFlags, context: Context): Promise<void> {
  const { chain } = context;
  const { flags: proposal, messages } = proposalFromJson(chain, readJsonFile(file));
  for (const message of messages) {
    const wrong = misspeltInfo(scheduledPlan(message)?.info ?? "");
    if (wrong !== undefined) throw new UpgradeError("UPG_INVALID_PLAN_INFO", wrong);
  }
  const { title = "", deposit: coins, expedited = false } = proposal;
  context.say(await proposalSummary(chain, { title, deposit: coins, expedited, messages }));
  await send(flags, context, ({ address }) => [submitProposal(messages, address, proposal)]);
}

function coinsOf(text: string) {
  const coins = parseCoins(text);
  if (coins.length === 0) throw usage(`invalid coins: "${text}"`);
  return coins.map(({ denom, amount }) => ({ denom, amount: String(amount) }));
}

export async function runDeposit(id: string, coins: string, flags: TxFlags, context: Context): Promise<void> {
  const message = { proposalId: proposalId(id), amount: coinsOf(coins) };
  await send(flags, context, ({ address }) => [deposit({ ...message, depositor: address })]);
}

export async function runCancel(id: string, flags: TxFlags, context: Context): Promise<void> {
  const message = { proposalId: proposalId(id) };
  await send(flags, context, ({ address }) => [cancellation({ ...message, proposer: address })]);
}

interface VoteFlags extends TxFlags {
  readonly metadata: string;
}

export async function runVote(id: string, option: string, flags: VoteFlags, context: Context): Promise<void> {
  const message = { proposalId: proposalId(id), option: voteOption(option), metadata: flags.metadata };
  await send(flags, context, ({ address }) => [vote({ ...message, voter: address })]);
}

export async function runWeightedVote(id: string, text: string, flags: VoteFlags, context: Context): Promise<void> {
  const options = text.split(",").map((part) => {
    const [name = "", weight = "1"] = part.split("=");
    const decimal = readDecimal(weight.trim());
    if (decimal === undefined || decimal <= 0n) throw usage(`invalid weight in "${part.trim()}"`);
    return { option: voteOption(name.trim()), weight: formatDecimal(decimal) };
  });
  const message = { proposalId: proposalId(id), options, metadata: flags.metadata };
  await send(flags, context, ({ address }) => [weightedVote({ ...message, voter: address })]);
}

const VOTES: ReadonlyMap<string, VoteOption> = new Map([
  ["yes", VoteOption.YES],
  ["abstain", VoteOption.ABSTAIN],
  ["no", VoteOption.NO],
  ["nowithveto", VoteOption.NO_WITH_VETO],
]);

function voteOption(text: string): VoteOption {
  const option = VOTES.get(
    text
      .toLowerCase()
      .replace(/^vote_option_/, "")
      .replaceAll(/[_-]/g, ""),
  );
  if (option === undefined) throw usage(`'${text}' is not a valid vote option: yes, no, no_with_veto or abstain`);
  return option;
}

export async function runBankSend(to: string, coins: string, flags: TxFlags, context: Context): Promise<void> {
  const amount = coinsOf(coins);
  await send(flags, context, ({ address }, _rpc, keyring) => [
    transfer({ fromAddress: address, toAddress: keyring.addressOf(to), amount }),
  ]);
}
