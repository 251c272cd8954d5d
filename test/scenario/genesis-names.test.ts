/** Names in a genesis document that nobody knows: dropped in silence, a misspelt one would leave a default in force. */
import { expect, test } from "vitest";
import { parseGenesis } from "../../host/chain/genesis/genesis.js";
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
  at(document, path)[name] = "1";
  const failure = failureOf(() => parseGenesis(exampleChain, JSON.stringify(document)));
  expect(failure.code).toBe("UPG_INVALID_GENESIS");
  expect(failure.message).toContain(said);
});

test("what the Cosmos SDK writes besides → taken", () => {
  const document = genesisDocument();
  Object.assign(at(document, "app_state.bank"), { supply: [], denom_metadata: [], send_enabled: [], params: {} });
  Object.assign(at(document, "app_state.staking"), { last_total_power: "0", redelegations: [], exported: false });
  Object.assign(at(document, "app_state.gov"), { constitution: "", voting_params: null });
  expect(() => parseGenesis(exampleChain, JSON.stringify(document))).not.toThrow();
});
