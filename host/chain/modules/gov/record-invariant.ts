/**
 * What module gov holds to be always true of its own store: every entry is one of its records, open proposals are in their queues
 * and nothing else is, and the module's account holds the deposits. The end of a block relies on all of it.
 */
import { sha256 } from "@noble/hashes/sha2.js";
import {
  type Deposit,
  DepositSchema,
  type Params,
  ParamsSchema,
  type Proposal,
  ProposalSchema,
  ProposalStatus,
  type Vote,
  VoteSchema,
} from "../../../base/gen/cosmos/gov/v1/gov_pb.js";
import { bigEndian64, concatBytes, equalBytes } from "../../../base/text/bytes.js";
import type { KVReader } from "../../../base/types/types.js";
import type { Invariant, ReadableStores } from "../../app/module.js";
import { checkedAddress, moduleAddress } from "../../values/address.js";
import { amountOf, coinsFromMessages, normalCoins } from "../../values/coins.js";
import {
  counterProblem,
  decodeRecord,
  type RecordKind,
  recordProblem,
  requireTime,
} from "../../values/record-check.js";
import { AUTH_STORE, readAccount } from "../auth/accounts.js";
import { accountBank, BANK_STORE, balanceRange, storeBank } from "../bank/bank.js";
import { paramsProblem } from "./params.js";
import { isQueuedOnce, isVotedOn, QUEUE_PREFIXES, queuedProposal } from "./queues.js";
import { GOV_MODULE, GOV_PREFIXES, GOV_STORE, readNextProposalId, readProposal } from "./records.js";

const ID_BYTES = 8;

/** Checked in the block of an upgrade. One walk over the store, of which it keeps one sum for each denomination. */
export const soundGovernance: Invariant = {
  name: "records",
  check(stores) {
    const store = stores.store(GOV_STORE);
    const owed = new Map<string, bigint>();
    const problem = recordProblem(store, [...proposalKinds(store), ...voteKinds(store, owed)]);
    if (problem !== undefined) return problem;
    if (!store.has(Uint8Array.of(GOV_PREFIXES.params))) return 'store "gov" holds no parameters';
    return accountProblem(stores, owed);
  },
};

function proposalKinds(store: KVReader): RecordKind[] {
  const queue = (name: string, prefix: number): RecordKind => ({
    ...{ prefix, name: `entry in the queue of ${name}` },
    check: (key) =>
      queuedProposal(store, concatBytes(Uint8Array.of(prefix), key))
        ? undefined
        : "no proposal is in that queue until that time",
  });
  return [
    {
      prefix: GOV_PREFIXES.proposal,
      name: "proposal",
      check: (key, value) => proposalProblem(store, key, decodeRecord(ProposalSchema, value)),
    },
    queue("votes", QUEUE_PREFIXES.voting),
    queue("deposits", QUEUE_PREFIXES.deposit),
    {
      prefix: GOV_PREFIXES.nextId,
      name: "next proposal id",
      check: (key, value) =>
        counterProblem(key, value) ?? (readNextProposalId(store) > 0n ? undefined : "ids begin with 1"),
    },
    {
      prefix: QUEUE_PREFIXES.votedOn,
      name: "mark of a vote",
      check: (key) =>
        key.length === ID_BYTES && readProposal(store, idOf(key))?.status === ProposalStatus.VOTING_PERIOD
          ? undefined
          : "no such proposal is voted on",
    },
  ];
}

/** The bytes of an id that a key begins with; the key has them. */
const idOf = (key: Uint8Array): bigint => new DataView(key.buffer, key.byteOffset).getBigUint64(0);

function proposalProblem(store: KVReader, key: Uint8Array, proposal: Proposal): string | undefined {
  const { id, status, totalDeposit, submitTime, depositEndTime, votingStartTime, votingEndTime } = proposal;
  if (!equalBytes(key, bigEndian64(id))) return "it is the proposal of another id";
  const next = readNextProposalId(store);
  if (id >= next) return `the id of the next proposal is ${next}`;
  for (const each of [submitTime, depositEndTime, votingStartTime, votingEndTime]) {
    if (each) requireTime("a time of it", each);
  }
  if (status === ProposalStatus.DEPOSIT_PERIOD) requireTime("deposit_end_time", depositEndTime);
  if (status === ProposalStatus.VOTING_PERIOD) requireTime("voting_end_time", votingEndTime);
  normalCoins(coinsFromMessages(totalDeposit));
  return isQueuedOnce(store, proposal) ? undefined : "the queues do not have it as its status says";
}

function voteKinds(store: KVReader, owed: Map<string, bigint>): RecordKind[] {
  return [
    {
      prefix: GOV_PREFIXES.deposit,
      name: "deposit",
      check: (key, value) => depositProblem(store, key, decodeRecord(DepositSchema, value), owed),
    },
    {
      prefix: GOV_PREFIXES.vote,
      name: "vote",
      check: (key, value) => voteProblem(store, key, decodeRecord(VoteSchema, value)),
    },
    {
      prefix: GOV_PREFIXES.params,
      name: "record of the parameters",
      check: (key, value) => (key.length === 0 ? wrongParams(decodeRecord(ParamsSchema, value)) : "its key is longer"),
    },
  ];
}

const isKeyOf = (key: Uint8Array, id: bigint, address: string): boolean =>
  equalBytes(key, concatBytes(bigEndian64(id), checkedAddress(address)));

/** @throws UpgradeError UPG_INVALID_ARGUMENT */
function depositProblem(
  store: KVReader,
  key: Uint8Array,
  { proposalId, depositor, amount }: Deposit,
  owed: Map<string, bigint>,
): string | undefined {
  if (!isKeyOf(key, proposalId, depositor)) return "it is of another proposal or account";
  if (proposalId >= readNextProposalId(store)) return `there is no proposal ${proposalId} yet`;
  const coins = normalCoins(coinsFromMessages(amount));
  if (!isOpen(store, proposalId)) return undefined;
  for (const coin of coins) owed.set(coin.denom, (owed.get(coin.denom) ?? 0n) + coin.amount);
  return undefined;
}

/** Deposits of documents may be of proposals that are closed; nobody gets these back. */
function isOpen(store: KVReader, id: bigint): boolean {
  return isVotedOn(store, id) || readProposal(store, id)?.status === ProposalStatus.DEPOSIT_PERIOD;
}

function voteProblem(store: KVReader, key: Uint8Array, { proposalId, voter, options }: Vote): string | undefined {
  if (!isKeyOf(key, proposalId, voter)) return "it is of another proposal or account";
  if (proposalId >= readNextProposalId(store)) return `there is no proposal ${proposalId} yet`;
  const long = options.find(({ weight }) => weight.length > WEIGHT_LENGTH_MAX);
  return long && `a weight has ${long.weight.length} characters`;
}

/** A vote of a document may have any weight; one that cannot be read counts nothing. */
const WEIGHT_LENGTH_MAX = 100;

/** @throws UpgradeError UPG_INVALID_ARGUMENT */
function wrongParams(params: Params): string | undefined {
  const wrong = paramsProblem(params);
  if (wrong) return `${wrong.name}: ${wrong.what}`;
  normalCoins(coinsFromMessages(params.minDeposit));
  normalCoins(coinsFromMessages(params.expeditedMinDeposit));
  if (params.proposalCancelDest !== "") checkedAddress(params.proposalCancelDest);
  return undefined;
}

/** The module's account gives deposits back at the end of a block: it has them, and they do not vest. */
function accountProblem(stores: ReadableStores, owed: ReadonlyMap<string, bigint>): string | undefined {
  if (!stores.names.includes(AUTH_STORE)) return undefined;
  const address = moduleAddress(sha256, GOV_MODULE);
  if (readAccount(stores.store(AUTH_STORE), address)?.vesting) return "the account of module gov is a vesting account";
  const bank = stores.names.includes(BANK_STORE) ? storeBank : accountBank;
  // Where nobody has a balance, deposits are not what is missing.
  if (bank === storeBank && stores.store(BANK_STORE).iterate(balanceRange()).next().done) return undefined;
  const held = bank.balances(stores, address);
  for (const [denom, amount] of owed) {
    const has = amountOf(held, denom);
    if (has < amount)
      return `the account of module gov holds ${has}${denom}, and open proposals have ${amount}${denom}`;
  }
  return undefined;
}
