/**
 * The main job's own small chain: a few thousand accounts with coins of several kinds, the same ones each time. The
 * first few operate the validators, and their keys are known, so that they can propose and vote.
 */

import { sha256 } from "../../base/native/sha256.js";
import { toBase64, utf8 } from "../../base/text/bytes.js";
import { byteAt } from "../../base/text/checked-index.js";
import type { Addresses } from "../../chain/values/address.js";
import { type AccountKey, accountKey } from "../wallet/derive.js";

const ACCOUNTS = 3_000;
const VALIDATORS = 4;
const GENESIS_TIME = "2026-01-01T00:00:00Z";
const DENOMS = ["ustake", "uatom", "ugold"];
/** What each operator of a validator holds of the first denomination: enough for deposits. */
const OPERATOR_COINS = "1000000000";

/** A vote of twelve blocks. */
const GOV_PARAMS = {
  min_deposit: [{ denom: "ustake", amount: "10000000" }],
  max_deposit_period: "60s",
  voting_period: "60s",
  expedited_voting_period: "30s",
};

/** The deposit that begins a vote at once. */
export const DEPOSIT = "10000000ustake";

export interface NamedKey {
  readonly name: string;
  readonly key: AccountKey;
}

/** Keys of the accounts that operate the validators; anybody can make them, so they are good for a demonstration only. */
export function operatorKeys(): NamedKey[] {
  return Array.from({ length: VALIDATORS }, (_, index) => ({
    name: `validator-${index}`,
    key: accountKey(sha256(utf8(`chain-upgrade key of operator ${index}`))),
  }));
}

export function smallGenesis(addresses: Addresses): Record<string, unknown> {
  const operators = operatorKeys().map(({ key }) => key.addressBytes);
  const accounts = Array.from({ length: ACCOUNTS }, (_, index) => account(addresses, index, operators[index]));
  return {
    genesis_time: GENESIS_TIME,
    chain_id: "demo-1",
    initial_height: "1",
    app_hash: null,
    app_state: {
      auth: { accounts: accounts.map(({ address }, index) => baseAccount(address, index)) },
      bank: { balances: accounts },
      staking: staking(addresses, operators),
      gov: { starting_proposal_id: "1", params: GOV_PARAMS },
    },
    consensus: { params: { block: { max_bytes: "22020096", max_gas: "-1" }, version: {} } },
  };
}

/** Twenty bytes that look like an address, from a name. */
function addressBytes(name: string): Uint8Array {
  return sha256(utf8(`chain-upgrade ${name}`)).slice(0, 20);
}

function account({ encode }: Addresses, index: number, operator: Uint8Array | undefined) {
  const seed = sha256(utf8(`coins ${index}`));
  const view = new DataView(seed.buffer, seed.byteOffset);
  // Everybody has the first denomination, some have the others too.
  const coins = DENOMS.filter((_, kind) => kind === 0 || byteAt(seed, kind) < 96).map((denom, kind) => ({
    denom,
    amount: String((view.getBigUint64(8 * kind) % 1_000_000_000n) + 1n),
  }));
  if (operator === undefined) return { address: encode(addressBytes(`account ${index}`)), coins };
  return { address: encode(operator), coins: [{ denom: "ustake", amount: OPERATOR_COINS }, ...coins.slice(1)] };
}

function baseAccount(address: string, index: number) {
  const type = "/cosmos.auth.v1beta1.BaseAccount";
  return { "@type": type, address, pub_key: null, account_number: String(index), sequence: "0" };
}

function staking(addresses: Addresses, operators: readonly Uint8Array[]) {
  const validators = operators.map((operator, index) => {
    const consensusKey = toBase64(sha256(utf8(`validator ${index}`)));
    return {
      operator_address: addresses.operators.encode(operator),
      consensus_pubkey: { "@type": "/cosmos.crypto.ed25519.PubKey", key: consensusKey },
      jailed: false,
      status: "BOND_STATUS_BONDED",
      tokens: "100000000",
      delegator_shares: "100000000.000000000000000000",
      description: { moniker: `validator ${index}` },
    };
  });
  return { params: { bond_denom: "ustake" }, validators, delegations: [] };
}
