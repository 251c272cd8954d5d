/** The messages of module staking that there are: a validator is created, coins are delegated and undelegated. */

import {
  MsgCreateValidatorResponseSchema,
  MsgCreateValidatorSchema,
  type MsgDelegate,
  MsgDelegateResponseSchema,
  MsgDelegateSchema,
  MsgUndelegateResponseSchema,
  MsgUndelegateSchema,
} from "../../../base/gen/cosmos/staking/v1beta1/tx_pb.js";
import { formatTime } from "../../../base/time/time.js";
import type { MessageKind, ModuleContext } from "../../app/context.js";
import { messageKind } from "../../app/tx/message-kind.js";
import { readAddress } from "../../app/tx/read-address.js";
import { formatDecimal } from "../../values/decimal.js";
import { readMessageCoins } from "../../values/message-coins.js";
import { SDK, TxError } from "../../values/tx-error.js";
import { createValidator, decodeCreateValidator, requireBondDenom } from "./create-validator.js";
import { delegate, requireValidator, sharesToUnbond, undelegate } from "./delegate.js";
import { STAKING_STORE } from "./records.js";
import type { Pair } from "./unbonding.js";

const CREATE = messageKind({
  isBounded: true,
  schema: MsgCreateValidatorSchema,
  response: MsgCreateValidatorResponseSchema,
  decoded: decodeCreateValidator,
  run: createValidator,
});

const DELEGATE = messageKind({
  isBounded: true,
  schema: MsgDelegateSchema,
  response: MsgDelegateResponseSchema,
  run(context, message) {
    const { pair, amount, denom } = readStake(context, message, "invalid delegation amount");
    requireValidator(context.store(STAKING_STORE), pair.operator);
    requireBondDenom(context, denom);
    const shares = delegate(context, pair, amount);
    context.emit(
      "delegate",
      ["validator", message.validatorAddress],
      ["delegator", message.delegatorAddress],
      ["amount", `${amount}${denom}`],
      ["new_shares", formatDecimal(shares)],
    );
    return undefined;
  },
});

const UNDELEGATE = messageKind({
  isBounded: true,
  schema: MsgUndelegateSchema,
  response: MsgUndelegateResponseSchema,
  run(context, message) {
    const { pair, amount: wanted, denom } = readStake(context, message, "invalid shares amount");
    const shares = sharesToUnbond(context.store(STAKING_STORE), pair, wanted);
    requireBondDenom(context, denom);
    const { end, amount } = undelegate(context, pair, shares);
    context.emit(
      "unbond",
      ["validator", message.validatorAddress],
      ["amount", `${amount}${denom}`],
      ["delegator", message.delegatorAddress],
      ["completion_time", formatTime({ seconds: end.seconds, nanos: 0 })],
    );
    return { completionTime: end, amount: { denom, amount: String(amount) } };
  },
});

export const STAKING_MESSAGES: readonly MessageKind[] = [CREATE, DELEGATE, UNDELEGATE];

interface Stake {
  readonly pair: Pair;
  readonly denom: string;
  readonly amount: bigint;
}

/** @throws TxError sdk 7; sdk 18 with `wrong` */
function readStake(
  { addresses }: ModuleContext,
  {
    validatorAddress,
    delegatorAddress,
    amount: coin,
  }: Pick<MsgDelegate, "validatorAddress" | "delegatorAddress" | "amount">,
  wrong: string,
): Stake {
  const operator = readAddress(addresses.operators, validatorAddress, "invalid validator address");
  const delegator = readAddress(addresses, delegatorAddress, "invalid delegator address");
  const [read] = coin ? readMessageCoins([coin]).coins : [];
  if (!coin || !read || !readMessageCoins([coin]).isValid) throw new TxError(SDK.INVALID_REQUEST, wrong);
  return { pair: { delegator, operator }, ...read };
}
