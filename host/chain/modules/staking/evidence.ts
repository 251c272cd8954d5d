/**
 * Evidence of a double signature: its validator is jailed for good and leaves the set. Nothing is slashed: the Cosmos SDK's module
 * slashing is not one of these.
 */

import { BondStatus } from "../../../base/gen/chain/staking/v1/staking_pb.js";
import { equalBytes } from "../../../base/text/bytes.js";
import type { Misbehavior } from "../../app/block-info.js";
import type { ModuleContext } from "../../app/context.js";
import { addressOf } from "../../comet-types/keys.js";
import { rankedValidators } from "./power.js";
import { STAKING_STORE, setValidator, validators } from "./records.js";

/** Evidence comes at most once; CometBFT has checked it, and how old it is. */
export function beginStakingBlock(context: ModuleContext): void {
  for (const evidence of context.block.misbehavior) punish(context, evidence);
}

function punish(context: ModuleContext, { validator: { address, power } }: Misbehavior): void {
  const store = context.store(STAKING_STORE);
  const isTheirs = (consensusKey: Uint8Array) =>
    equalBytes(addressOf(context.sha256, { type: "ed25519", bytes: consensusKey }), address);
  const validator = [...validators(store)].find(({ consensusKey }) => isTheirs(consensusKey));
  if (!validator || validator.tombstoned || validator.status === BondStatus.UNBONDED) return;
  const others = rankedValidators(store, ({ operator }) => !equalBytes(operator, validator.operator));
  // Who is the last to have power goes on: without it there is no block any more.
  if (others.length === 0) return;
  const name = context.addresses.consensus.encode(address);
  const reason = ["reason", "double_sign"] as const;
  context.emit("slash", ["address", name], ["power", String(power)], reason, ["burned_coins", "0"]);
  if (!validator.jailed) context.emit("slash", ["jailed", name]);
  validator.jailed = true;
  validator.tombstoned = true;
  setValidator(store, validator);
}
