/** Names in a genesis document that nobody knows: dropped in silence, a misspelt one would leave a default in force. */
import { expect, test } from "vitest";
import { genesisCounts, missingFromGenesis, parseGenesis } from "../../host/chain/app/genesis/genesis.js";
import { moduleGenesis } from "../../host/chain/app/genesis/module-genesis.js";
import type { Module } from "../../host/chain/app/module.js";
import { exampleChain } from "../example-chain.js";
import { failureOf } from "./chain.js";
import { genesisDocument } from "./genesis-text.js";

type Json = Record<string, unknown>;

/** The object at a path of the document, made where it is missing. */
function at(document: Json, path: string): Json {
  let each = document;
  for (const name of path.split(".")) {
    const of = /^\d+$/.test(name) ? Number(name) : name;
    each[of] ??= {};
    each = each[of] as Json;
  }
  return each;
}

test.each([
  ["app_state.auth", "acounts", 'did you mean "accounts"?'],
  ["app_state.bank", "balance", 'did you mean "balances"?'],
  ["app_state.staking", "validator", 'did you mean "validators"?'],
  ["app_state.staking.params", "unbonding_tim", 'did you mean "unbonding_time"?'],
  ["app_state.staking.delegations.0", "share", 'did you mean "shares"?'],
  ["app_state.staking.validators.0", "token", 'did you mean "tokens"?'],
  ["app_state.staking.validators.0", "unbonding_hight", 'did you mean "unbonding_height"?'],
  ["app_state.staking.validators.0.consensus_pubkey", "keys", 'did you mean "key"?'],
  ["app_state.staking.validators.0.description", "monicker", 'did you mean "moniker"?'],
  ["app_state.staking.validators.0.commission", "rates", "Valid: commission_rates, update_time"],
  ["app_state.staking.validators.0.commission.commission_rates", "maxrate", 'did you mean "max_rate"?'],
  ["app_state.staking.pools", "denoms", 'did you mean "denom"?'],
  ["app_state.staking.unbonding_delegations.0", "entry", "Valid: delegator_address, validator_address, entries"],
  ["app_state.staking.unbonding_delegations.0.entries.0", "ballance", 'did you mean "balance"?'],
  ["app_state.raw", "store", 'did you mean "stores"?'],
  ["app_state.raw.module_versions.0", "consensus_version", "Valid: name, version"],
  ["app_state.raw.pairs.0", "values", 'did you mean "value"?'],
  ["app_state.gov", "parms", 'did you mean "params"?'],
  ["app_state.gov.params", "voting_perod", "voting_period"],
  ["app_state.bank.balances.0", "coin", 'did you mean "coins"?'],
  ["app_state.bank.balances.0.coins.0", "denomination", "Valid: denom, amount"],
  ["app_state.auth.accounts.0", "sequense", 'did you mean "sequence"?'],
  ["consensus.params", "blocks", 'did you mean "block"?'],
  ["consensus.params.block", "max_gass", 'did you mean "max_gas"?'],
])("genesis.%s with %s → refused, with its path and the names that are valid", (path, name, said) => {
  const document = genesisDocument();
  if (path.includes("accounts"))
    at(document, "app_state.auth")["accounts"] = [{ "@type": "/cosmos.auth.v1beta1.BaseAccount" }];
  if (path.includes("raw"))
    Object.assign(at(document, "app_state.raw"), { module_versions: [{ name: "bank", version: "1" }], pairs: [{}] });
  if (/pools|unbonding_/.test(path)) {
    const kept = { pools: { denom: "ustake" }, unbonding_delegations: [{ entries: [{}] }] };
    Object.assign(at(document, "app_state.staking"), kept);
  }
  at(document, path)[name] = "1";
  const failure = failureOf(() => parseGenesis(exampleChain, JSON.stringify(document)));
  expect(failure.code).toBe("UPG_INVALID_GENESIS");
  expect(failure.message).toContain(said);
});

test("what the Cosmos SDK writes besides → taken", () => {
  const document = genesisDocument();
  Object.assign(at(document, "app_state.bank"), { supply: [], denom_metadata: [], send_enabled: [], params: {} });
  Object.assign(at(document, "app_state.staking"), { last_total_power: "0", redelegations: [], exported: false });
  Object.assign(at(document, "app_state.staking.validators.0"), {
    ...{ unbonding_height: "0", unbonding_time: "1970-01-01T00:00:00Z", min_self_delegation: "1" },
    ...{ unbonding_on_hold_ref_count: "0", unbonding_ids: [] },
    description: { moniker: "m", identity: "", website: "", security_contact: "", details: "" },
    commission: {
      commission_rates: { rate: "0.1", max_rate: "0.2", max_change_rate: "0.01" },
      update_time: "2026-01-01T00:00:00Z",
    },
  });
  Object.assign(at(document, "app_state.gov"), { constitution: "", voting_params: null });
  expect(() => parseGenesis(exampleChain, JSON.stringify(document))).not.toThrow();
});

test("a field of the document itself → refused with the valid ones; those of the Cosmos SDK and CometBFT are accepted", () => {
  const read = (more: Json) => parseGenesis(exampleChain, JSON.stringify({ ...genesisDocument(), ...more }));
  const unknown = failureOf(() => read({ chain_di: "scenario-1" }));
  expect(unknown).toMatchObject({ code: "UPG_INVALID_GENESIS" });
  expect(unknown.message).toContain('genesis.chain_di: there is no such field (did you mean "chain_id"?). Valid: ');
  const known = { app_name: "chaind", app_version: "1", app_hash: null, consensus_params: {}, validators: [] };
  expect(read(known).chainId).toBe(read({}).chainId);
  const dropped = failureOf(() => read({ validators: [{ power: "10" }] }));
  expect(dropped).toMatchObject({ code: "UPG_INVALID_GENESIS" });
  expect(dropped.message).toContain(
    "genesis.validators: is not read: the validators of a chain are in app_state.staking",
  );
});

test("genesis.missing and genesis.counts of a module that throw → UPG_BUG_MODULE with the function and the module", () => {
  const fails = () => {
    throw new TypeError("boom");
  };
  const spec = { read: () => undefined, init: () => undefined, export: () => ["{}"] };
  const modules = (more: object) => [
    { name: "own", consensusVersion: 1n, genesis: moduleGenesis({ ...spec, ...more }) } as Module,
  ];
  const sections = new Map();
  const missing = failureOf(() => missingFromGenesis({ modules: modules({ missing: fails }) }, { sections }));
  expect(missing).toMatchObject({ code: "UPG_BUG_MODULE", message: "genesis.missing of module own failed: boom" });
  const counts = failureOf(() => genesisCounts({ modules: modules({ counts: fails }) }, { sections }));
  expect(counts).toMatchObject({ code: "UPG_BUG_MODULE", message: "genesis.counts of module own failed: boom" });
});
