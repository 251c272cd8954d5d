/**
 * A chain with people: three validators whose operators have keys, a fourth account without stake, short periods. Blocks
 * are five seconds apart; a vote lasts 20 seconds, so it ends with the fourth block after its own.
 */

import { type Proposal, VoteOption } from "../../host/base/gen/cosmos/gov/v1/gov_pb.js";
import type { Height } from "../../host/base/types/types.js";
import type { TxResult } from "../../host/chain/app/app.js";
import { AUTH_STORE, readAccount } from "../../host/chain/modules/auth/accounts.js";
import { accountBank, storeBank } from "../../host/chain/modules/bank/bank.js";
import { GOV_STORE, readProposal } from "../../host/chain/modules/gov/records.js";
import { operators as operatorAddresses } from "../addresses.js";
import { Chain, type ChainOptions, type MadeBlock, type Process } from "./chain.js";
import { genesisDocument } from "./genesis-text.js";
import { type Packed, propose, Signer, vote } from "./wallet.js";

export const ALICE = new Signer("alice");
export const BOB = new Signer("bob");
export const CAROL = new Signer("carol");
/** Has coins and no stake. */
export const DAVE = new Signer("dave");
const PEOPLE = [ALICE, BOB, CAROL, DAVE];

const GOV_PARAMS = {
  min_deposit: [{ denom: "ustake", amount: "100" }],
  expedited_min_deposit: [{ denom: "ustake", amount: "500" }],
  max_deposit_period: "20s",
  voting_period: "20s",
  expedited_voting_period: "10s",
};

export function govGenesis(params: Record<string, unknown> = {}, block: Record<string, unknown> = {}): string {
  const document = genesisDocument();
  const operators = PEOPLE.slice(0, 3);
  return JSON.stringify({
    ...document,
    app_state: {
      auth: { accounts: PEOPLE.map(({ address }, index) => account(address, index)) },
      bank: { balances: PEOPLE.map(({ address }) => ({ address, coins: [{ denom: "ustake", amount: "1000000" }] })) },
      staking: {
        params: { bond_denom: "ustake" },
        validators: operators.map((signer, index) => validator(signer, index)),
        delegations: operators.map(({ address, addressBytes }) => ({
          delegator_address: address,
          validator_address: operatorAddresses.encode(addressBytes),
          shares: "100.000000000000000000",
        })),
      },
      gov: { starting_proposal_id: "1", params: { ...GOV_PARAMS, ...params } },
    },
    consensus: { params: { block: { max_bytes: "22020096", max_gas: "-1", ...block }, version: {} } },
  });
}

const account = (address: string, index: number) => ({
  "@type": "/cosmos.auth.v1beta1.BaseAccount",
  address,
  pub_key: null,
  account_number: String(index),
  sequence: "0",
});

const validator = ({ addressBytes, name }: Signer, index: number) => ({
  operator_address: operatorAddresses.encode(addressBytes),
  consensus_pubkey: { "@type": "/cosmos.crypto.ed25519.PubKey", key: Buffer.alloc(32, index + 1).toString("base64") },
  jailed: false,
  status: "BOND_STATUS_BONDED",
  tokens: "100",
  delegator_shares: "100.000000000000000000",
  description: { moniker: name },
});

/** A process and the people's sequences. */
export class Town {
  readonly chain: Chain;
  process: Process;
  readonly #sequences = new Map<string, bigint>();

  constructor(genesis = govGenesis(), options: ChainOptions & { start?: Parameters<Chain["start"]>[0] } = {}) {
    this.chain = new Chain({ ...options, genesis });
    this.process = this.chain.start(options.start);
    this.process.block();
  }

  /** Signs with the next sequence, whether the transaction will be good or not. */
  sign(signer: Signer, messages: readonly Packed[], options: Partial<Parameters<Signer["sign"]>[1]> = {}): Uint8Array {
    const accountNumber = BigInt(PEOPLE.indexOf(signer));
    const sequence = this.#sequences.get(signer.name) ?? 0n;
    if (options.sequence === undefined) this.#sequences.set(signer.name, sequence + 1n);
    return signer.sign(messages, { chainId: "scenario-1", accountNumber, sequence, ...options });
  }

  /** A block with one transaction each. */
  block(...txs: readonly (readonly [Signer, ...Packed[]])[]): MadeBlock {
    return this.process.block({ txs: txs.map(([signer, ...messages]) => this.sign(signer, messages)) });
  }

  /** A block with one transaction that must succeed. */
  good(signer: Signer, ...messages: Packed[]): MadeBlock {
    const made = this.block([signer, ...messages]);
    const [result] = made.txResults;
    if (result?.code !== 0) throw new Error(`the transaction failed: ${result?.log}`);
    return made;
  }

  /** A block with one transaction that must fail; what it says. */
  bad(signer: Signer, ...messages: Packed[]): TxResult {
    const [result] = this.block([signer, ...messages]).txResults;
    if (!result || result.code === 0) throw new Error("the transaction did not fail");
    return result;
  }

  /** Submits a proposal with enough deposit for its vote to begin. */
  propose(messages: readonly Packed[], options: Parameters<typeof propose>[2] = {}): bigint {
    const amount = options.expedited ? 500 : 100;
    const made = this.good(DAVE, propose(DAVE, messages, { amount, ...options }));
    return BigInt(attribute(made, "submit_proposal", "proposal_id") ?? 0);
  }

  /** All three validators vote alike. */
  voteAll(id: bigint, option: VoteOption = VoteOption.YES): MadeBlock {
    return this.block([ALICE, vote(ALICE, id, option)], [BOB, vote(BOB, id, option)], [CAROL, vote(CAROL, id, option)]);
  }

  blocks(count: number): MadeBlock[] {
    return this.process.blocks(count);
  }

  get height(): Height {
    return this.process.height;
  }

  proposal(id: bigint): Proposal | undefined {
    return readProposal(this.process.state.store(GOV_STORE), id);
  }

  balance(address: Uint8Array): bigint {
    const { state } = this.process;
    const bank = state.names.includes("bank") ? storeBank : accountBank;
    return bank.balances(state, address).find(({ denom }) => denom === "ustake")?.amount ?? 0n;
  }

  account(signer: Signer) {
    return readAccount(this.process.state.store(AUTH_STORE), signer.addressBytes);
  }
}

/** The first value of an attribute in a block: its transactions' events, then its own. */
export function attribute(made: MadeBlock, type: string, key: string): string | undefined {
  const events = [...made.txResults.flatMap((result) => result.events), ...made.events];
  return events
    .filter((event) => event.type === type)
    .flatMap(({ attributes }) => attributes)
    .find((each) => each.key === key)?.value;
}
