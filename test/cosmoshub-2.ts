/**
 * The genesis document of cosmoshub-2 in today's format: accounts that hold coins become accounts and balances, amino keys
 * become JSON keys, text proposals become proposals of gov v1. Drops the modules that the example chain does not have
 * (distribution, mint, slashing).
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";

import { bech32 } from "@scure/base";
import { sha256 } from "../host/base/native/sha256.js";
import { toBase64 } from "../host/base/text/bytes.js";
import { GOV_MODULE } from "../host/chain/modules/gov/records.js";
import { addressesOf, moduleAddress } from "../host/chain/values/address.js";
import { addCoins, type Coin } from "../host/chain/values/coins.js";
import { readCoins } from "../host/chain/values/json-coins.js";
import { JsonReader } from "../host/chain/values/json-reader.js";

/** The chains of this format. */
const HUB_PREFIX = "cosmos";

/** Amino's name for an ed25519 public key, and the length of the key. */
const AMINO_ED25519 = [0x16, 0x24, 0xde, 0x64, 0x20];

const STATUS = ["BOND_STATUS_UNBONDED", "BOND_STATUS_UNBONDING", "BOND_STATUS_BONDED"];

const PROPOSAL_STATUS: Readonly<Record<string, string>> = {
  DepositPeriod: "PROPOSAL_STATUS_DEPOSIT_PERIOD",
  VotingPeriod: "PROPOSAL_STATUS_VOTING_PERIOD",
  Passed: "PROPOSAL_STATUS_PASSED",
  Rejected: "PROPOSAL_STATUS_REJECTED",
};

const VOTE_OPTION: Readonly<Record<string, string>> = {
  Yes: "VOTE_OPTION_YES",
  Abstain: "VOTE_OPTION_ABSTAIN",
  No: "VOTE_OPTION_NO",
  NoWithVeto: "VOTE_OPTION_NO_WITH_VETO",
};

/** The document of 2019: a file that not every machine has. */
export const COSMOSHUB_2 = join(
  process.env["CHAIN_DATA"] ?? join(import.meta.dirname, "../../shared/data"),
  "genesis.cosmoshub-2.json.gz",
);

export function cosmoshub2Genesis(): string {
  return JSON.stringify(converted(JSON.parse(gunzipSync(readFileSync(COSMOSHUB_2)).toString())));
}

function converted(json: unknown): Record<string, unknown> {
  const root = new JsonReader(json, "genesis");
  const state = root.get("app_state");
  const accounts = state.get("accounts").items();
  return {
    genesis_time: root.get("genesis_time").text(),
    chain_id: root.get("chain_id").text(),
    initial_height: "1",
    app_hash: null,
    app_state: {
      auth: { accounts: accounts.map(convertAccount) },
      bank: { balances: [...accounts.map(convertBalance), ...heldDeposits(state.get("gov"))] },
      staking: convertStaking(state.get("staking")),
      gov: convertGov(state.get("gov")),
    },
    consensus: { params: convertParams(root.get("consensus_params")) },
  };
}

const jsonCoins = (coins: readonly Coin[]) => coins.map(({ denom, amount }) => ({ denom, amount: amount.toString() }));

function convertAccount(account: JsonReader): Record<string, unknown> {
  const base = {
    address: account.get("address").text(),
    pub_key: null,
    account_number: account.get("account_number").integer().toString(),
    sequence: account.get("sequence_number").integer().toString(),
  };
  const original = readCoins(account.get("original_vesting"));
  if (original.length === 0) return { "@type": "/cosmos.auth.v1beta1.BaseAccount", ...base };
  const vesting = {
    base_account: base,
    original_vesting: jsonCoins(original),
    delegated_free: jsonCoins(readCoins(account.get("delegated_free"))),
    delegated_vesting: jsonCoins(readCoins(account.get("delegated_vesting"))),
    end_time: account.get("end_time").integer().toString(),
  };
  const start = account.get("start_time").integer(0n);
  if (start === 0n) return { "@type": "/cosmos.vesting.v1beta1.DelayedVestingAccount", base_vesting_account: vesting };
  return {
    "@type": "/cosmos.vesting.v1beta1.ContinuousVestingAccount",
    base_vesting_account: vesting,
    start_time: start.toString(),
  };
}

function convertBalance(account: JsonReader): Record<string, unknown> {
  return { address: account.get("address").text(), coins: jsonCoins(readCoins(account.get("coins"))) };
}

/** Deposits had left the accounts; today the gov module's account holds them. */
function heldDeposits(gov: JsonReader): Record<string, unknown>[] {
  let held: Coin[] = [];
  for (const item of gov.get("deposits").items()) held = addCoins(held, readCoins(item.get("deposit").get("amount")));
  if (held.length === 0) return [];
  return [{ address: addressesOf(HUB_PREFIX).encode(moduleAddress(sha256, GOV_MODULE)), coins: jsonCoins(held) }];
}

function convertStaking(staking: JsonReader): Record<string, unknown> {
  return {
    params: { bond_denom: staking.get("params").get("bond_denom").text() },
    validators: staking
      .get("validators")
      .items()
      .map((validator) => ({
        operator_address: validator.get("operator_address").text(),
        consensus_pubkey: {
          "@type": "/cosmos.crypto.ed25519.PubKey",
          key: validator.get("consensus_pubkey").parse(aminoKeyToBase64),
        },
        jailed: validator.get("jailed").boolean(),
        status: STATUS[Number(validator.get("status").integer())] ?? "BOND_STATUS_UNSPECIFIED",
        tokens: validator.get("tokens").text(),
        delegator_shares: validator.get("delegator_shares").text(),
        description: { moniker: validator.get("description").get("moniker").text("") },
      })),
    delegations: staking
      .get("delegations")
      .items()
      .map((delegation) => ({
        delegator_address: delegation.get("delegator_address").text(),
        validator_address: delegation.get("validator_address").text(),
        shares: delegation.get("shares").text(),
      })),
  };
}

function aminoKeyToBase64(text: string): string {
  const { words } = bech32.decode(text as `${string}1${string}`, 200);
  const bytes = bech32.fromWords(words);
  if (bytes.length !== AMINO_ED25519.length + 32 || !AMINO_ED25519.every((byte, i) => bytes[i] === byte)) {
    throw new TypeError("not an amino ed25519 key");
  }
  return toBase64(bytes.subarray(AMINO_ED25519.length));
}

/** Durations were nanoseconds. */
function seconds(field: JsonReader): string {
  return `${field.integer() / 1_000_000_000n}s`;
}

function convertGov(gov: JsonReader): Record<string, unknown> {
  const deposit = gov.get("deposit_params");
  const tally = gov.get("tally_params");
  return {
    starting_proposal_id: gov.get("starting_proposal_id").text(),
    params: {
      min_deposit: jsonCoins(readCoins(deposit.get("min_deposit"))),
      max_deposit_period: seconds(deposit.get("max_deposit_period")),
      voting_period: seconds(gov.get("voting_params").get("voting_period")),
      quorum: tally.get("quorum").text(),
      threshold: tally.get("threshold").text(),
      veto_threshold: tally.get("veto").text(),
    },
    proposals: gov.get("proposals").items().map(convertProposal),
    deposits: gov
      .get("deposits")
      .items()
      .map((item) => ({
        proposal_id: item.get("proposal_id").text(),
        depositor: item.get("deposit").get("depositor").text(),
        amount: jsonCoins(readCoins(item.get("deposit").get("amount"))),
      })),
    votes: gov
      .get("votes")
      .items()
      .map((item) => ({
        proposal_id: item.get("proposal_id").text(),
        voter: item.get("vote").get("voter").text(),
        options: [{ option: VOTE_OPTION[item.get("vote").get("option").text()] ?? "", weight: "1.000000000000000000" }],
      })),
  };
}

function convertProposal(proposal: JsonReader): Record<string, unknown> {
  const content = proposal.get("proposal_content").get("value");
  const result = proposal.get("final_tally_result");
  return {
    id: proposal.get("proposal_id").text(),
    messages: [],
    status: PROPOSAL_STATUS[proposal.get("proposal_status").text()] ?? "PROPOSAL_STATUS_UNSPECIFIED",
    final_tally_result: {
      yes_count: result.get("yes").text(),
      abstain_count: result.get("abstain").text(),
      no_count: result.get("no").text(),
      no_with_veto_count: result.get("no_with_veto").text(),
    },
    submit_time: proposal.get("submit_time").text(),
    deposit_end_time: proposal.get("deposit_end_time").text(),
    total_deposit: jsonCoins(readCoins(proposal.get("total_deposit"))),
    voting_start_time: timeOrNull(proposal.get("voting_start_time")),
    voting_end_time: timeOrNull(proposal.get("voting_end_time")),
    title: content.get("title").text(),
    summary: content.get("description").text(),
  };
}

/** A time that was never set was year 1. */
function timeOrNull(field: JsonReader): string | null {
  const text = field.text();
  return text.startsWith("0001-") ? null : text;
}

function convertParams(params: JsonReader): Record<string, unknown> {
  const block = params.get("block");
  return {
    block: { max_bytes: block.get("max_bytes").text(), max_gas: block.get("max_gas").text() },
    evidence: { max_age_num_blocks: params.get("evidence").get("max_age").text(), max_age_duration: "172800000000000" },
    validator: { pub_key_types: ["ed25519"] },
    version: { app: "0" },
  };
}
