/**
 * A chain with stake: three validators whose operators have keys, with power 10, 30 and 20, and dave, who has coins alone. Blocks are
 * five seconds apart; what unbonds comes back after 20 seconds.
 */
import { create, toBinary } from "@bufbuild/protobuf";
import { PubKeySchema } from "../../host/base/gen/cosmos/crypto/ed25519/keys_pb.js";
import {
  type MsgCreateValidator,
  MsgCreateValidatorSchema,
  MsgDelegateSchema,
  MsgUndelegateSchema,
} from "../../host/base/gen/cosmos/staking/v1beta1/tx_pb.js";
import type { BlockRequest } from "../../host/chain/app/app.js";
import { accountBank, storeBank } from "../../host/chain/modules/bank/bank.js";
import { backedStake } from "../../host/chain/modules/staking/pools.js";
import { soundValidators } from "../../host/chain/modules/staking/power.js";
import { readValidator, STAKING_STORE } from "../../host/chain/modules/staking/records.js";
import { unbondingDelegations } from "../../host/chain/modules/staking/unbonding.js";
import { operators } from "../addresses.js";
import { Chain, type ChainOptions, type MadeBlock, type Process } from "./chain.js";
import { genesisDocument } from "./genesis-text.js";
import { type Packed, pack, Signer } from "./wallet.js";

export const UNIT = 1_000_000n;
export const BALANCE = 100n * UNIT;

export const ALICE = new Signer("alice");
export const BOB = new Signer("bob");
export const CAROL = new Signer("carol");
/** Has coins and no stake. */
export const DAVE = new Signer("dave");
export const PEOPLE = [ALICE, BOB, CAROL, DAVE];
const POWERS = [10n, 30n, 20n];

export const consensusKey = (index: number): Uint8Array => new Uint8Array(32).fill(index + 1);
export const operatorOf = ({ addressBytes }: Signer): string => operators.encode(addressBytes);

export function stakeGenesis(params: Record<string, unknown> = {}): Record<string, unknown> {
  const document = genesisDocument();
  const staking = PEOPLE.slice(0, 3).map((signer, index) => ({ signer, index, tokens: (POWERS[index] ?? 0n) * UNIT }));
  return {
    ...document,
    app_state: {
      auth: { accounts: PEOPLE.map(({ address }, index) => account(address, index)) },
      bank: {
        balances: PEOPLE.map(({ address }) => ({ address, coins: [{ denom: "ustake", amount: String(BALANCE) }] })),
      },
      staking: {
        params: { bond_denom: "ustake", unbonding_time: "20s", ...params },
        validators: staking.map(({ signer, index, tokens }) => ({
          operator_address: operatorOf(signer),
          consensus_pubkey: {
            "@type": "/cosmos.crypto.ed25519.PubKey",
            key: Buffer.from(consensusKey(index)).toString("base64"),
          },
          ...{ jailed: false, status: "BOND_STATUS_BONDED", tokens: String(tokens) },
          ...{ delegator_shares: `${tokens}.000000000000000000`, description: { moniker: signer.name } },
        })),
        delegations: staking.map(({ signer, tokens }) => ({
          delegator_address: signer.address,
          validator_address: operatorOf(signer),
          shares: `${tokens}.000000000000000000`,
        })),
      },
      gov: { starting_proposal_id: "1", params: {} },
    },
  };
}

const account = (address: string, index: number) => ({
  "@type": "/cosmos.auth.v1beta1.BaseAccount",
  ...{ address, pub_key: null, account_number: String(index), sequence: "0" },
});

const coin = (amount: bigint | string, denom = "ustake") => ({ denom, amount: String(amount) });

/** Commission is in 10^-18. */
export function createMessage(signer: Signer, key: number, change: Partial<MsgCreateValidator> = {}): Packed {
  const pubkey = { typeUrl: "/cosmos.crypto.ed25519.PubKey", value: keyBytes(consensusKey(key)) };
  return pack(MsgCreateValidatorSchema, {
    description: { moniker: signer.name },
    commission: { rate: String(10n ** 17n), maxRate: String(2n * 10n ** 17n), maxChangeRate: String(10n ** 16n) },
    minSelfDelegation: "1",
    validatorAddress: operatorOf(signer),
    pubkey,
    value: coin(25n * UNIT),
    ...change,
  } as Parameters<typeof pack<typeof MsgCreateValidatorSchema>>[1]);
}

export const keyBytes = (key: Uint8Array) => toBinary(PubKeySchema, create(PubKeySchema, { key }));

export const delegateMessage = (from: Signer, to: Signer, amount: bigint | string, denom?: string): Packed =>
  pack(MsgDelegateSchema, {
    delegatorAddress: from.address,
    validatorAddress: operatorOf(to),
    amount: coin(amount, denom),
  });

export const undelegateMessage = (from: Signer, to: Signer, amount: bigint | string, denom?: string): Packed =>
  pack(MsgUndelegateSchema, {
    delegatorAddress: from.address,
    validatorAddress: operatorOf(to),
    amount: coin(amount, denom),
  });

export class StakeTown {
  readonly chain: Chain;
  readonly process: Process;
  readonly #sequences = new Map<string, bigint>();

  constructor(genesis = stakeGenesis(), options: ChainOptions & { start?: Parameters<Chain["start"]>[0] } = {}) {
    this.chain = new Chain({ ...options, genesis: JSON.stringify(genesis) });
    this.process = this.chain.start(options.start);
    this.process.block();
  }

  sign(signer: Signer, ...messages: readonly Packed[]): Uint8Array {
    const sequence = this.#sequences.get(signer.name) ?? 0n;
    this.#sequences.set(signer.name, sequence + 1n);
    return signer.sign(messages, { chainId: "scenario-1", accountNumber: BigInt(PEOPLE.indexOf(signer)), sequence });
  }

  /** A block, whose invariants must hold. */
  block(request: Partial<BlockRequest> = {}): MadeBlock {
    const made = this.process.block(request);
    for (const { check } of [soundValidators, backedStake]) {
      const broken = check(this.process.state);
      if (broken !== undefined) throw new Error(broken);
    }
    return made;
  }

  /** A block with one transaction that must succeed. */
  good(signer: Signer, ...messages: readonly Packed[]): MadeBlock {
    const made = this.block({ txs: [this.sign(signer, ...messages)] });
    const [result] = made.txResults;
    if (result?.code !== 0) throw new Error(`the transaction failed: ${result?.log}`);
    return made;
  }

  /** A block with one transaction that must fail: `codespace code log`. */
  bad(signer: Signer, ...messages: readonly Packed[]): string {
    const [result] = this.block({ txs: [this.sign(signer, ...messages)] }).txResults;
    if (!result || result.code === 0) throw new Error("the transaction did not fail");
    return `${result.codespace} ${result.code} ${result.log.replace("failed to execute message; message index: 0: ", "")}`;
  }

  validator(signer: Signer) {
    return readValidator(this.process.state.store(STAKING_STORE), signer.addressBytes);
  }

  unbonding() {
    return [...unbondingDelegations(this.process.state.store(STAKING_STORE))];
  }

  balance(address: Uint8Array): bigint {
    const { state } = this.process;
    const bank = state.names.includes("bank") ? storeBank : accountBank;
    return bank.balances(state, address).find(({ denom }) => denom === "ustake")?.amount ?? 0n;
  }

  get supply(): bigint {
    const { state } = this.process;
    const bank = state.names.includes("bank") ? storeBank : accountBank;
    return bank.supply(state).find(({ denom }) => denom === "ustake")?.amount ?? 0n;
  }

  get powers(): (readonly [key: number, power: number])[] {
    return (this.process.app.validators ?? []).map(({ publicKey, power }) => [publicKey.bytes[0] ?? 0, Number(power)]);
  }
}

export const updates = ({ validatorUpdates }: Pick<MadeBlock, "validatorUpdates">) =>
  validatorUpdates.map(({ publicKey, power }) => [publicKey.bytes[0], Number(power)]);
