/** Validators of a test's chain by their consensus keys: in its genesis document, and as records of its state. */

import type { GenesisValidator } from "../../host/chain/modules/staking/genesis-records.js";
import { addressesOf } from "../../host/chain/values/address.js";

const addresses = addressesOf();

export interface Member {
  /** Ed25519, 32 bytes; its operator's address is made of it. */
  readonly key: Uint8Array;
  readonly tokens: bigint;
  readonly jailed?: boolean;
  readonly status?: string;
}

export function memberRecord({ key, tokens, jailed = false, status = "BOND_STATUS_BONDED" }: Member): GenesisValidator {
  const shares = `${tokens}.000000000000000000`;
  return { operator: key.slice(0, 20), consensusKey: key, moniker: "", tokens, shares, jailed, status };
}

/** The document with these validators and no delegation. */
export function memberGenesis(
  document: Record<string, unknown>,
  members: readonly Member[],
  params: Record<string, unknown> = {},
): Record<string, unknown> {
  const validators = members.map(memberRecord).map(({ operator, consensusKey, tokens, shares, jailed, status }) => ({
    operator_address: addresses.operators.encode(operator),
    consensus_pubkey: {
      "@type": "/cosmos.crypto.ed25519.PubKey",
      key: Buffer.from(consensusKey).toString("base64"),
    },
    ...{ jailed, status, tokens: String(tokens), delegator_shares: shares, description: { moniker: "" } },
  }));
  const state = document["app_state"] as Record<string, unknown>;
  const staking = { params: { bond_denom: "ustake", ...params }, validators, delegations: [] };
  return { ...document, app_state: { ...state, staking } };
}
