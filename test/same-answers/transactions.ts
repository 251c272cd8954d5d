/** Transactions of a story, signed one after another; the same seed gives the same. */

import { VoteOption } from "../../host/base/gen/cosmos/gov/v1/gov_pb.js";
import { MsgCancelProposalSchema, MsgVoteWeightedSchema } from "../../host/base/gen/cosmos/gov/v1/tx_pb.js";
import { TextProposalSchema } from "../../host/base/gen/cosmos/gov/v1beta1/gov_pb.js";
import {
  MsgSubmitProposalSchema as LegacySubmitSchema,
  MsgVoteSchema as LegacyVoteSchema,
} from "../../host/base/gen/cosmos/gov/v1beta1/tx_pb.js";
import {
  deposit,
  type Packed,
  pack,
  propose,
  type Signer,
  type SignOptions,
  send,
  softwareUpgrade,
  vote,
} from "../scenario/wallet.js";
import type { Random } from "../sim/random.js";
import { ALICE, accountNumber, BOB, CHAIN_ID, OPERATOR, STRANGER } from "./chain.js";

const GAS = 1_000_000n;
const FEE = "3";
/** Enough for the check, not for the message. */
const LITTLE_GAS = 50_000n;
const MORE_THAN_ANYBODY_HAS = 10 ** 15;

export class Ledger {
  readonly #sequences = new Map<Signer, bigint>();

  /** The signer's next transaction, which takes its place in the order when it is not refused. */
  sign(signer: Signer, messages: readonly Packed[], options: Partial<SignOptions> = {}): Uint8Array {
    const sequence = this.#sequences.get(signer) ?? 0n;
    this.#sequences.set(signer, sequence + 1n);
    return this.refused(signer, messages, { sequence, ...options });
  }

  /** As the chain has it: what waited in the mempool of a program that ended is lost. */
  resume(signer: Signer, sequence: bigint): void {
    this.#sequences.set(signer, sequence);
  }

  /** One that no mempool takes: it uses up no number. */
  refused(signer: Signer, messages: readonly Packed[], options: Partial<SignOptions>): Uint8Array {
    const sequence = this.#sequences.get(signer) ?? 0n;
    const number = signer === STRANGER ? 9_999n : accountNumber(signer);
    const facts = { chainId: CHAIN_ID, accountNumber: number, sequence, gas: GAS, fee: FEE };
    return signer.sign(messages, { ...facts, ...options });
  }
}

/** Transfers that succeed, that fail in their block, and that run out of gas. */
export function transfers(ledger: Ledger, random: Random, count: number): Uint8Array[] {
  const people = [OPERATOR, ALICE, BOB];
  return Array.from({ length: count }, () => {
    const [from, to] = [random.pick(people), random.chance(0.2) ? STRANGER : random.pick(people)];
    const amount = random.chance(0.15) ? MORE_THAN_ANYBODY_HAS : 1 + random.below(1_000);
    const messages = Array.from({ length: random.chance(0.2) ? 3 : 1 }, () => send(from, to.address, amount));
    return ledger.sign(
      from,
      messages,
      random.chance(0.1) ? { gas: LITTLE_GAS } : { memo: `memo ${random.below(100)}` },
    );
  });
}

/** By what is wrong with them. */
export function refusals(ledger: Ledger): Map<string, Uint8Array> {
  const one = [send(ALICE, BOB.address, 1)];
  const whole = ledger.refused(ALICE, one, {});
  return new Map([
    ["another chain", ledger.refused(ALICE, one, { chainId: "other-1" })],
    ["a sequence of the past", ledger.refused(ALICE, one, { sequence: 0n })],
    ["a sequence to come", ledger.refused(ALICE, one, { sequence: 900n })],
    ["another account's number", ledger.refused(ALICE, one, { accountNumber: 7n })],
    ["no account", ledger.refused(STRANGER, [send(STRANGER, BOB.address, 1)], {})],
    ["another signer than the message's", ledger.refused(BOB, one, {})],
    ["a fee that nobody has", ledger.refused(ALICE, one, { fee: "1".repeat(25) })],
    ["little gas", ledger.refused(ALICE, one, { gas: 1n })],
    ["a height that is over", ledger.refused(ALICE, one, { timeoutHeight: 1n })],
    ["a long memo", ledger.refused(ALICE, one, { memo: "m".repeat(257) })],
    ["no message", ledger.refused(ALICE, [], {})],
    ["a message that nobody knows", ledger.refused(ALICE, [{ typeUrl: "/a.B", value: Uint8Array.of(1) }], {})],
    ["a message cut short", whole.subarray(0, whole.length - 3)],
    ["one byte", Uint8Array.of(255)],
  ]);
}

/** Everything that governance does but an upgrade; the first proposal of the chain has the number 1. */
export function governance(ledger: Ledger): Uint8Array[] {
  const far = propose(OPERATOR, [softwareUpgrade("far", 1_000_000n, '{"binaries":{}} <&>')], { amount: 4 });
  const text = propose(ALICE, [], { amount: 10, title: "text" });
  const legacy = pack(LegacySubmitSchema, {
    content: pack(TextProposalSchema, { title: "legacy", description: "words" }),
    initialDeposit: [{ denom: "ustake", amount: "12" }],
    proposer: BOB.address,
  });
  const weighted = pack(MsgVoteWeightedSchema, {
    proposalId: 2n,
    voter: OPERATOR.address,
    options: [
      { option: VoteOption.YES, weight: "0.7" },
      { option: VoteOption.NO, weight: "0.3" },
    ],
  });
  return [
    ledger.sign(OPERATOR, [far]),
    ledger.sign(ALICE, [text]),
    ledger.sign(BOB, [legacy]),
    ledger.sign(ALICE, [deposit(ALICE, 1n, 7)]),
    ledger.sign(OPERATOR, [vote(OPERATOR, 1n, VoteOption.NO)]),
    ledger.sign(OPERATOR, [weighted]),
    ledger.sign(BOB, [vote(BOB, 2n, VoteOption.ABSTAIN)]),
    ledger.sign(OPERATOR, [
      pack(LegacyVoteSchema, { proposalId: 3n, voter: OPERATOR.address, option: VoteOption.YES as number }),
    ]),
    // These fail in their block.
    ledger.sign(ALICE, [vote(ALICE, 99n, VoteOption.YES)]),
    ledger.sign(BOB, [propose(BOB, [softwareUpgrade("past", 1n)])]),
    ledger.sign(ALICE, [send(ALICE, BOB.address, 5), deposit(ALICE, 99n, 1)]),
    ledger.sign(ALICE, [propose(ALICE, [], { amount: 2, title: "cancelled" })]),
    ledger.sign(ALICE, [pack(MsgCancelProposalSchema, { proposalId: 4n, proposer: ALICE.address })]),
  ];
}

/** A proposal with this number that schedules the plan, and the vote for it. */
export const upgrade = (ledger: Ledger, id: bigint, plan: string, height: number): Uint8Array[] => [
  ledger.sign(OPERATOR, [propose(OPERATOR, [softwareUpgrade(plan, BigInt(height))], { amount: 10 })]),
  ledger.sign(OPERATOR, [vote(OPERATOR, id, VoteOption.YES)]),
];

export const oneTransfer = (ledger: Ledger): Uint8Array => ledger.sign(BOB, [send(BOB, ALICE.address, 1)]);
