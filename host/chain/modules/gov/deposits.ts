/** Deposits: taken, given back, burned, charged on cancelling. The gov account holds them in between. */
import { create } from "@bufbuild/protobuf";
import { DepositSchema, type Params, type Proposal, ProposalStatus } from "../../../base/gen/cosmos/gov/v1/gov_pb.js";
import { equalBytes } from "../../../base/text/bytes.js";
import type { ModuleContext } from "../../app/context.js";
import { checkedAddress, moduleAddress } from "../../values/address.js";
import {
  addCoins,
  amountOf,
  type Coin,
  type Coins,
  coinsFromMessages,
  coinsToMessages,
  normalCoins,
} from "../../values/coins.js";
import { fromInteger, multiply, parseDecimal, round, truncate } from "../../values/decimal.js";
import type { MessageCoins } from "../../values/message-coins.js";
import { GOV, SDK, TxError, undefinedError } from "../../values/tx-error.js";
import { burnFromModule, transferFromModule, transferToModule } from "../bank/transfer.js";
import { startVoting } from "./periods.js";
import {
  depositsOf,
  GOV_MODULE,
  GOV_STORE,
  readDeposit,
  readParams,
  readProposal,
  removeDeposit,
  writeDeposit,
  writeProposal,
} from "./records.js";

/** Of the Cosmos SDK's modules the one whose account is its community pool; this chain has the account alone. */
const COMMUNITY_POOL = "distribution";

/** The Cosmos SDK's words for a proposal that is absent. */
export function noSuchProposal(id: bigint): TxError {
  return undefinedError(
    `collections: not found: key '${id}' of type github.com/cosmos/gogoproto/cosmos.gov.v1.Proposal`,
  );
}

function minimumDeposit({ expedited }: Pick<Proposal, "expedited">, params: Params): Coin[] {
  return coinsFromMessages(expedited ? params.expeditedMinDeposit : params.minDeposit);
}

/** What comes with the submission: valid coins, and enough of them where the parameters ask. @throws TxError */
export function checkInitialDeposit(params: Params, { coins, text, isValid }: MessageCoins, expedited: boolean): void {
  if (!isValid) throw new TxError(SDK.INVALID_COINS, text);
  const ratio = parseDecimal(params.minInitialDepositRatio);
  if (ratio !== 0n) {
    const needed = minimumDeposit({ expedited }, params).map(({ denom, amount }) => ({
      denom,
      amount: round(multiply(fromInteger(amount), ratio)),
    }));
    if (!holdsAll(coins, needed)) {
      const list = needed.map(({ denom, amount }) => `${amount}${denom}`).join(",");
      throw new TxError(GOV.DEPOSIT_TOO_SMALL, `was (${text}), need (${list})`);
    }
  }
  checkDenoms(params, coins, text);
}

/** @throws TxError gov 23 */
function checkDenoms({ minDeposit }: Params, coins: Coins, text: string): void {
  const accepted = minDeposit.map(({ denom }) => denom);
  if (coins.every(({ denom }) => accepted.includes(denom))) return;
  const what = `deposited ${text}, but gov accepts only the following denom(s): [${accepted.join(" ")}]`;
  throw new TxError(GOV.INVALID_DENOM, what);
}

function holdsAll(coins: Coins, needed: Coins): boolean {
  return needed.every(({ denom, amount }) => amountOf(coins, denom) >= amount);
}

/** Returns whether the proposal's vote begins with it. @throws TxError */
export function addDeposit(context: ModuleContext, id: bigint, depositor: Uint8Array, deposit: MessageCoins): boolean {
  const store = context.store(GOV_STORE);
  const proposal = readProposal(store, id);
  if (!proposal) throw noSuchProposal(id);
  const { status } = proposal;
  if (status !== ProposalStatus.DEPOSIT_PERIOD && status !== ProposalStatus.VOTING_PERIOD) {
    throw new TxError(GOV.INACTIVE_PROPOSAL, String(id));
  }
  const params = readParams(store);
  checkDenoms(params, deposit.coins, deposit.text);
  const minimum = minimumDeposit(proposal, params);
  checkShare(params, minimum, deposit);
  transferToModule(context, depositor, GOV_MODULE, deposit.coins);
  const total = addCoins(coinsFromMessages(proposal.totalDeposit), deposit.coins);
  proposal.totalDeposit = coinsToMessages(total);
  writeProposal(store, proposal);
  const startsVoting = status === ProposalStatus.DEPOSIT_PERIOD && holdsAll(total, minimum);
  if (startsVoting) startVoting(store, proposal, params, context.time);
  recordDeposit(context, id, context.addresses.encode(depositor), deposit);
  return startsVoting;
}

/** A single deposit is at least a share of the minimum, in one denomination. @throws TxError gov 16 */
function checkShare(params: Params, minimum: Coins, { coins, text }: MessageCoins): void {
  const ratio = parseDecimal(params.minDepositRatio);
  if (ratio === 0n) return;
  const shares = minimum.map(({ denom, amount }) => ({
    denom,
    amount: truncate(multiply(fromInteger(amount), ratio)),
  }));
  if (shares.some(({ denom, amount }) => coins.some((coin) => coin.denom === denom && coin.amount >= amount))) return;
  const list = shares.map(({ denom, amount }) => `${amount}${denom}`).join(",");
  throw new TxError(GOV.DEPOSIT_TOO_SMALL, `received ${text} but need at least one of the following: ${list}`);
}

function recordDeposit(context: ModuleContext, id: bigint, depositor: string, { coins, text }: MessageCoins): void {
  const store = context.store(GOV_STORE);
  const known = readDeposit(store, id, depositor);
  const sum = addCoins(known ? coinsFromMessages(known.amount) : [], coins);
  const amount = coinsToMessages(sum);
  context.emit("proposal_deposit", ["depositor", depositor], ["amount", text], ["proposal_id", String(id)]);
  writeDeposit(store, create(DepositSchema, { proposalId: id, depositor, amount }));
}

/** Gives every depositor their coins back. */
export function refundDeposits(context: ModuleContext, id: bigint): void {
  const store = context.store(GOV_STORE);
  for (const deposit of [...depositsOf(store, id)]) {
    const coins = coinsFromMessages(deposit.amount);
    transferFromModule(context, GOV_MODULE, checkedAddress(deposit.depositor), coins);
    removeDeposit(store, deposit);
  }
}

export function burnDeposits(context: ModuleContext, id: bigint): void {
  const store = context.store(GOV_STORE);
  let coins: Coin[] = [];
  for (const deposit of [...depositsOf(store, id)]) {
    coins = addCoins(coins, coinsFromMessages(deposit.amount));
    removeDeposit(store, deposit);
  }
  burnFromModule(context, GOV_MODULE, coins);
}

/** On cancelling: a share of each deposit is burned or goes where the parameters say, the rest goes back. */
export function chargeDeposits(context: ModuleContext, id: bigint, params: Params): void {
  const store = context.store(GOV_STORE);
  const ratio = parseDecimal(params.proposalCancelRatio);
  const charges: Coin[] = [];
  for (const deposit of [...depositsOf(store, id)]) {
    const rest: Coin[] = [];
    for (const { denom, amount } of coinsFromMessages(deposit.amount)) {
      const charge = truncate(multiply(fromInteger(amount), ratio));
      charges.push({ denom, amount: charge });
      rest.push({ denom, amount: amount - charge });
    }
    const back = normalCoins(rest);
    if (back.length > 0) transferFromModule(context, GOV_MODULE, checkedAddress(deposit.depositor), back);
    removeDeposit(store, deposit);
  }
  const coins = normalCoins(charges);
  if (coins.length > 0) payCharge(context, params.proposalCancelDest, coins);
}

function payCharge(context: ModuleContext, destination: string, coins: Coins): void {
  if (destination === "") {
    burnFromModule(context, GOV_MODULE, coins);
    return;
  }
  const address = checkedAddress(destination);
  const isPool = equalBytes(address, moduleAddress(context.sha256, COMMUNITY_POOL));
  if (isPool) transferToModule(context, moduleAddress(context.sha256, GOV_MODULE), COMMUNITY_POOL, coins);
  else transferFromModule(context, GOV_MODULE, address, coins);
}
