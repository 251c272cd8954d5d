/**
 * The end of a block in module staking, from its first message on: who is bonded follows power, and what has unbonded comes
 * back. Before that message validators are as genesis and handlers leave them.
 */

import { compareTimes } from "../../../base/time/time.js";
import { isWritten } from "../../../upgrade/module/guards.js";
import type { ModuleContext } from "../../app/context.js";
import { moveBetweenPools, undelegateCoins } from "./pools.js";
import { keepsPools, STAKING_STORE } from "./records.js";
import { endUnbonding, settleStatuses } from "./status.js";
import { endOf, type Pair, readUnbonding, takeEndedDelegations, writeUnbonding } from "./unbonding.js";

/** @throws UpgradeError UPG_STORE_* */
export function endStakingBlock(context: ModuleContext): void {
  const store = context.store(STAKING_STORE);
  if (!keepsPools(store)) return;
  if (isWritten(context.stores, STAKING_STORE)) followPower(context);
  endUnbonding(context, store);
  for (const pair of takeEndedDelegations(store, context.time)) payBack(context, pair);
}

/** The probe: what the end of a block does when validators have changed. The next set is read after it. */
export function probeStaking(context: ModuleContext): undefined {
  if (keepsPools(context.store(STAKING_STORE))) followPower(context);
}

/** Bonds and unbonds validators by their power, and moves their tokens between the pools. */
function followPower(context: ModuleContext): void {
  const gained = settleStatuses(context, context.store(STAKING_STORE));
  if (gained > 0n) moveBetweenPools(context, "notBonded", gained);
  else moveBetweenPools(context, "bonded", -gained);
}

/** The entries whose time has come. */
function payBack(context: ModuleContext, pair: Pair): void {
  const store = context.store(STAKING_STORE);
  const record = readUnbonding(store, pair);
  if (!record) return;
  const { bondDenom: denom } = context.constants;
  const ended = record.entries.filter((entry) => compareTimes(endOf(entry), context.time) <= 0);
  record.entries = record.entries.filter((entry) => !ended.includes(entry));
  writeUnbonding(store, record);
  let amount = 0n;
  for (const { balance } of ended) {
    if (balance === "0") continue;
    amount += BigInt(balance);
    undelegateCoins(context, pair.delegator, { denom, amount: BigInt(balance) });
  }
  const { encode, operators } = context.addresses;
  context.emit(
    "complete_unbonding",
    ["amount", amount === 0n ? "" : `${amount}${denom}`],
    ["validator", operators.encode(pair.operator)],
    ["delegator", encode(pair.delegator)],
  );
}
