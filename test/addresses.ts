/** Addresses as the example chain writes them. */
import type { Addresses } from "../host/chain/values/address.js";
import { exampleChain } from "./example-chain.js";

export const {
  encode: encodeAddress,
  decode: decodeAddress,
  decodeAny: decodeAnyAddress,
  failure: addressFailure,
  operators,
} = exampleChain.addresses;

/** The text with the example chain's addresses as another chain writes them. */
export function readdressed(text: string, { encode, operators: theirs }: Addresses): string {
  return text
    .replaceAll(/\bcosmosvaloper1[0-9a-z]+\b/g, (found) => theirs.encode(operators.decode(found)))
    .replaceAll(/\bcosmos1[0-9a-z]+\b/g, (found) => encode(decodeAddress(found)));
}
