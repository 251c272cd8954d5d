/** How tests write bytes: a text is its UTF-8, `0x…` is hex, a number is one byte, a list is all of them in a row. */

import { UpgradeError } from "../../base/errors/errors.js";
import { concatBytes, fromHex, utf8 } from "../../base/text/bytes.js";

type Part = Uint8Array | string | number;
export type BytesLike = Part | readonly Part[];

/**
 * Bytes from their parts: a text is its UTF-8, `0x…` is hex, a number is one byte.
 *
 * @throws UpgradeError UPG_INVALID_ARGUMENT for half a byte of hex, or a number that is no byte
 *
 * @example
 * console.log(bytes("0x02", "ab", 255)); // → Uint8Array(4) [ 2, 97, 98, 255 ]
 */
export function bytes(...parts: readonly BytesLike[]): Uint8Array {
  return concatBytes(...parts.flat().map(partBytes));
}

function partBytes(part: Part): Uint8Array {
  if (part instanceof Uint8Array) return part;
  if (typeof part === "number") {
    if (!Number.isInteger(part) || part < 0 || part > 255) throw invalid(`${part} is no byte`);
    return Uint8Array.of(part);
  }
  if (!part.startsWith("0x")) return utf8(part);
  if (!/^0x(?:[0-9a-fA-F]{2})*$/.test(part)) throw invalid(`"${part}" is no hex`);
  return fromHex(part.slice(2));
}

function invalid(what: string): UpgradeError {
  return new UpgradeError("UPG_INVALID_ARGUMENT", what);
}
