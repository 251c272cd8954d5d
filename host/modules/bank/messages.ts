/** MsgSend. */

import { messageKind } from "../../chain/tx/message-kind.js";
import { readAddress } from "../../chain/tx/read-address.js";
import { MsgSendResponseSchema, MsgSendSchema } from "../../gen/cosmos/bank/v1beta1/tx_pb.js";
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
