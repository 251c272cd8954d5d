/** A validator of a genesis document, with what its operator delegates to it. */

import { usage } from "../../base/terminal/usage.js";
import { toBase64 } from "../../base/text/bytes.js";
import type { Chain } from "../../chain/app/chain.js";
import { listAt } from "./document.js";

/** Tokens of one unit of power (the Cosmos SDK's `DefaultPowerReduction`). */
export const POWER_TOKENS = 1_000_000n;

export interface NewValidator {
  /** Bytes of the account that operates it. */
  readonly account: Uint8Array;
  /** Ed25519, 32 bytes. */
  readonly consensusKey: Uint8Array;
  readonly tokens: bigint;
  readonly description: Readonly<Record<string, unknown>> & { readonly moniker: string };
  /** What more the document has of it; the Cosmos SDK's names. */
  readonly more?: Readonly<Record<string, unknown>>;
}

/** Returns the operator's address. @throws UpgradeError UPG_INVALID_ARGUMENT when the account operates one already */
export function putValidator(chain: Chain, json: Record<string, unknown>, validator: NewValidator): string {
  const { encode, operators } = chain.addresses;
  const { account, tokens, description, more = {} } = validator;
  const operator = operators.encode(account);
  const validators = listAt(json, "app_state", "staking", "validators") as { operator_address?: string }[];
  if (validators.some(({ operator_address }) => operator_address === operator)) {
    throw usage(`${encode(account)} operates a validator already`);
  }
  const shares = `${tokens}.000000000000000000`;
  const key = toBase64(validator.consensusKey);
  validators.push({
    operator_address: operator,
    ...{ consensus_pubkey: { "@type": "/cosmos.crypto.ed25519.PubKey", key }, jailed: false },
    ...{ status: "BOND_STATUS_BONDED", tokens: String(tokens), delegator_shares: shares, description, ...more },
  });
  const delegation = { delegator_address: encode(account), validator_address: operator, shares };
  listAt(json, "app_state", "staking", "delegations").push(delegation);
  return operator;
}
