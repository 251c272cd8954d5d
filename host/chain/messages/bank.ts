/** MsgSend. */
import { MsgSendResponseSchema, MsgSendSchema } from "../../gen/cosmos/bank/v1beta1/tx_pb.js";
import { decodeAnyAddress, encodeAddress, moduleAddress } from "../address.js";
import { readMessageCoins } from "../message-coins.js";
import { FEE_COLLECTOR, transferCoins } from "../modules/transfer.js";
import { SDK, TxError } from "../tx-error.js";
import { messageKind } from "./kind.js";
import { readAddress } from "./read-address.js";

export const SEND = messageKind({
  schema: MsgSendSchema,
  response: MsgSendResponseSchema,
  signer: ({ fromAddress }) => fromAddress,
  run(context, { fromAddress, toAddress, amount }) {
    const from = decodeAnyAddress(fromAddress);
    const to = readAddress(toAddress, "invalid to address");
    const { coins, text, isValid } = readMessageCoins(amount);
    if (!isValid || coins.length === 0) throw new TxError(SDK.INVALID_COINS, text);
    if (encodeAddress(to) === encodeAddress(moduleAddress(context.sha256, FEE_COLLECTOR))) {
      throw new TxError(SDK.UNAUTHORIZED, `${toAddress} is not allowed to receive funds`);
    }
    transferCoins(context, from, to, coins);
    return undefined;
  },
});
