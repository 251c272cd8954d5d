/** Addresses in messages, refused in the Cosmos SDK's words. */
import { addressFailure, decodeAnyAddress } from "../../values/address.js";
import { SDK, TxError } from "../../values/tx-error.js";

/** `what`: the words before the reason. @throws TxError sdk 7 */
export function readAddress(text: string, what: string): Uint8Array {
  const failure = addressFailure(text);
  if (failure !== undefined) throw new TxError(SDK.INVALID_ADDRESS, `${what}: ${failure}`);
  return decodeAnyAddress(text);
}
