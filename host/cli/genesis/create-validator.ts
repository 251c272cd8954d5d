/**
 * A `MsgCreateValidator`, as the Cosmos SDK signs it, in a genesis document: `collect-gentxs` puts validators into
 * `staking.validators` itself, where the Cosmos SDK leaves the messages in `genutil.gen_txs` for the first block.
 */

import { createRegistry, type Registry } from "@bufbuild/protobuf";
import type { Chain } from "../../chain/app/chain.js";
import { filesOf } from "../../chain/app/define-chain.js";
import { type NewValidatorMessage, STAKING_TX_FILE } from "../../chain/modules/staking/compose.js";
import type { Coin } from "../../chain/values/coins.js";
import { formatDecimal } from "../../chain/values/decimal.js";
import { requireTerms } from "../client/tx/create-validator.js";

/** What is asked of a message that another program may have signed. @throws UpgradeError UPG_INVALID_ARGUMENT */
export function requireMessageTerms({ commission, minSelfDelegation }: NewValidatorMessage, coin: Coin): void {
  const rate = (text: string | undefined) => BigInt(text || "0");
  const rates = {
    rate: rate(commission?.rate),
    maxRate: rate(commission?.maxRate),
    maxChangeRate: rate(commission?.maxChangeRate),
  };
  requireTerms({ ...rates, minSelfDelegation }, coin);
}

/** What the genesis document has of a validator besides its key and tokens. */
export function documentFields({ description, commission, minSelfDelegation }: NewValidatorMessage) {
  const { moniker = "", identity = "", website = "", securityContact = "", details = "" } = description ?? {};
  const rate = (atomics: string | undefined) => formatDecimal(BigInt(atomics || "0"));
  const commission_rates = {
    rate: rate(commission?.rate),
    max_rate: rate(commission?.maxRate),
    max_change_rate: rate(commission?.maxChangeRate),
  };
  return {
    description: { moniker, identity, website, security_contact: securityContact, details },
    more: {
      ...{ unbonding_height: "0", unbonding_time: "1970-01-01T00:00:00Z" },
      commission: { commission_rates, update_time: "1970-01-01T00:00:00Z" },
      min_self_delegation: minSelfDelegation,
    },
  };
}

/** What may be packed in a transaction of genesis. */
export function genesisRegistry(chain: Chain): Registry {
  return createRegistry(...filesOf(chain, []), STAKING_TX_FILE);
}
