/** A chain whose only validator is operated by the account that tests have the key of, with short votes. */
import { toBase64 } from "../../host/base/text/bytes.js";
import { decodeAddress, operators } from "../addresses.js";
import { fundedGenesis, SIGNER } from "../unit/serve/api/test-node.js";
import { OWN_KEY } from "./cometbft.js";

/** Tokens that give a validator power. */
export const POWERFUL = "10000000";

/** A genesis document, as far as tests change it. */
export interface OperatorGenesis {
  readonly chain_id: string;
  genesis_time: string;
  readonly app_state: {
    readonly auth: { readonly accounts: Record<string, unknown>[] };
    readonly bank: { readonly balances: Record<string, unknown>[] };
    readonly staking: { validators: Record<string, unknown>[]; delegations: Record<string, unknown>[] };
    gov: { params: Record<string, unknown> } & Record<string, unknown>;
  };
}

/** Votes last two seconds. */
export function operatorGenesis(voting = "2s", account = SIGNER): OperatorGenesis {
  const document = JSON.parse(fundedGenesis()) as OperatorGenesis;
  const operator = operators.encode(decodeAddress(account));
  const { staking } = document.app_state;
  staking.validators = [{ ...staking.validators[0], operator_address: operator }];
  staking.delegations = [{ ...staking.delegations[0], delegator_address: account, validator_address: operator }];
  const params = {
    voting_period: voting,
    max_deposit_period: voting,
    min_deposit: [{ denom: "ustake", amount: "10" }],
  };
  document.app_state.gov = { starting_proposal_id: "1", params, proposals: [], deposits: [], votes: [] };
  return document;
}

/** CometBFT makes no block without the key of a validator: the one of `makeHome` becomes the validator's. */
export function decidesBlocks({ app_state: { staking } }: OperatorGenesis): void {
  const shares = `${POWERFUL}.000000000000000000`;
  const key = { "@type": "/cosmos.crypto.ed25519.PubKey", key: toBase64(OWN_KEY) };
  const own = { tokens: POWERFUL, delegator_shares: shares, consensus_pubkey: key };
  staking.validators = staking.validators.map((validator) => ({ ...validator, ...own }));
  staking.delegations = staking.delegations.map((delegation) => ({ ...delegation, shares }));
}
