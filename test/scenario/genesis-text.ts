/** Small genesis documents: a few accounts with coins, a validator, a delegation, a proposal with a deposit and a vote. */

import { sha256 } from "../../host/base/native/sha256.js";
import { utf8 } from "../../host/base/text/bytes.js";
import { moduleAddress } from "../../host/chain/values/address.js";
import { encodeAddress, operators } from "../addresses.js";

const ACCOUNTS = 12;

/** Twenty bytes that look like an address, from a name. */
export function testAddress(name: string): Uint8Array {
  return sha256(utf8(`scenario ${name}`)).slice(0, 20);
}

const account = (index: number) => encodeAddress(testAddress(`account ${index}`));
const GOV = encodeAddress(moduleAddress(sha256, "gov"));
const OPERATOR = operators.encode(testAddress("operator"));

export function genesisDocument(): Record<string, unknown> {
  const indices = Array.from({ length: ACCOUNTS }, (_, index) => index);
  return {
    genesis_time: "2026-01-01T00:00:00Z",
    chain_id: "scenario-1",
    initial_height: "1",
    app_state: {
      auth: { accounts: indices.map(baseAccount) },
      bank: { balances: [...indices.map(balance), { address: GOV, coins: [{ denom: "ustake", amount: "5" }] }] },
      staking: staking(),
      gov: gov(),
    },
    consensus: { params: { block: { max_bytes: "22020096", max_gas: "-1" }, version: {} } },
  };
}

export function genesisText(): string {
  return JSON.stringify(genesisDocument());
}

/** The document with one field set (undefined: taken out); the path as the errors write it, after `genesis.` */
export function genesisWith(path: string, value: unknown): string {
  const document = genesisDocument();
  const steps = path.split(/[.[\]]+/).filter((step) => step !== "");
  const last = steps.pop() as string;
  let at: Record<string, unknown> = document;
  for (const step of steps) at = at[step] as Record<string, unknown>;
  if (value === undefined) delete at[last];
  else at[last] = value;
  return JSON.stringify(document);
}

function baseAccount(index: number) {
  const type = "/cosmos.auth.v1beta1.BaseAccount";
  return { "@type": type, address: account(index), pub_key: null, account_number: String(index), sequence: "0" };
}

function balance(index: number) {
  const gold = index % 3 === 0 ? [{ denom: "ugold", amount: String(7 * index + 1) }] : [];
  return { address: account(index), coins: [...gold, { denom: "ustake", amount: String(1_000_000 + index) }] };
}

function staking() {
  const validator = {
    operator_address: OPERATOR,
    consensus_pubkey: { "@type": "/cosmos.crypto.ed25519.PubKey", key: Buffer.alloc(32, 7).toString("base64") },
    jailed: false,
    status: "BOND_STATUS_BONDED",
    tokens: "100",
    delegator_shares: "100.000000000000000000",
    description: { moniker: "one" },
  };
  const delegation = { delegator_address: account(0), validator_address: OPERATOR, shares: "100.000000000000000000" };
  return { params: { bond_denom: "ustake" }, validators: [validator], delegations: [delegation] };
}

function gov() {
  const proposal = {
    id: "1",
    status: "PROPOSAL_STATUS_VOTING_PERIOD",
    title: "t",
    summary: "s",
    proposer: account(0),
    voting_start_time: "2026-01-01T00:00:00Z",
    voting_end_time: "2099-01-01T00:00:00Z",
  };
  const deposit = { proposal_id: "1", depositor: account(0), amount: [{ denom: "ustake", amount: "5" }] };
  const vote = { proposal_id: "1", voter: account(0), options: [{ option: "VOTE_OPTION_YES", weight: "1.0" }] };
  return { starting_proposal_id: "2", params: {}, proposals: [proposal], deposits: [deposit], votes: [vote] };
}
