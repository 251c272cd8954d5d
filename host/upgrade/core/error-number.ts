/** Codes by the numbers that Wasm calls return. */
import { ERROR_KINDS, type ErrorCode } from "../../base/errors/errors.js";

const BY_NUMBER: ReadonlyMap<number, ErrorCode> = new Map(
  (Object.keys(ERROR_KINDS) as ErrorCode[]).map((code) => [ERROR_KINDS[code].number, code]),
);

/**
 * The code of a number that a Wasm call returned (`-number`).
 *
 * @example
 * console.log(errorCodeOf(115), errorCodeOf(255)); // → UPG_STORE_FULL undefined
 */
export function errorCodeOf(number: number): ErrorCode | undefined {
  return BY_NUMBER.get(number);
}
