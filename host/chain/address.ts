/** Addresses: 20 bytes, written in bech32 with the chain's prefix; a module's account is named, not keyed. */
import { bech32 } from "@scure/base";
import { utf8 } from "../bytes.js";
import { UpgradeError } from "../errors.js";
import type { Sha256 } from "../types.js";

export const ADDRESS_PREFIX = "cosmos";
export const OPERATOR_PREFIX = "cosmosvaloper";
export const ADDRESS_BYTES = 20;

export function encodeAddress(bytes: Uint8Array, prefix: string = ADDRESS_PREFIX): string {
  return bech32.encode(prefix, bech32.toWords(bytes));
}

/** @throws UpgradeError UPG_INVALID_ARGUMENT */
export function decodeAddress(text: string, prefix: string = ADDRESS_PREFIX): Uint8Array {
  let decoded: { prefix: string; words: number[] };
  let bytes: Uint8Array;
  try {
    decoded = bech32.decode(text as `${string}1${string}`);
    bytes = bech32.fromWords(decoded.words);
  } catch (cause) {
    throw new UpgradeError("UPG_INVALID_ARGUMENT", `"${text.slice(0, 100)}" is not a bech32 address`, { cause });
  }
  if (decoded.prefix !== prefix || bytes.length !== ADDRESS_BYTES) {
    throw new UpgradeError(
      "UPG_INVALID_ARGUMENT",
      `"${text}" is no address of this chain: expected prefix ${prefix} and ${ADDRESS_BYTES} bytes, got ${decoded.prefix} and ${bytes.length}`,
    );
  }
  return bytes;
}

/** Account of a module: the first 20 bytes of sha256(name). */
export function moduleAddress(sha256: Sha256, module: string): Uint8Array {
  return sha256(utf8(module)).slice(0, ADDRESS_BYTES);
}
