/** Addresses in messages, refused in the Cosmos SDK's words. */
import type { AddressCodec } from "../../values/address.js";
import { SDK, TxError } from "../../values/tx-error.js";

/** `what`: the words before the reason. @throws TxError sdk 7 */
export function readAddress(addresses: AddressCodec, text: string, what: string): Uint8Array {
  const failure = addresses.failure(text);
  if (failure !== undefined) throw new TxError(SDK.INVALID_ADDRESS, `${what}: ${failure}`);
  return addresses.decodeAny(text);
}
