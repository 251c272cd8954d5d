/** MsgSend. */

import { MsgSendResponseSchema, MsgSendSchema } from "../../../base/gen/cosmos/bank/v1beta1/tx_pb.js";
import { messageKind } from "../../app/tx/message-kind.js";
import { readAddress } from "../../app/tx/read-address.js";
import { readMessageCoins } from "../../values/message-coins.js";
import { SDK, TxError } from "../../values/tx-error.js";
import { requireMayReceive, transferCoins } from "./transfer.js";

export const SEND = messageKind({
  isBounded: true,
  schema: MsgSendSchema,
  response: MsgSendResponseSchema,
  run(context, { fromAddress, toAddress, amount }) {
    const from = context.addresses.decodeAny(fromAddress);
    const to = readAddress(context.addresses, toAddress, "invalid to address");
    const { coins, text, isValid } = readMessageCoins(amount);
    if (!isValid || coins.length === 0) throw new TxError(SDK.INVALID_COINS, text);
    requireMayReceive(context, to, toAddress);
    transferCoins(context, from, to, coins);
    return undefined;
  },
});
