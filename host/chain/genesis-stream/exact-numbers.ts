/** Rejects JSON numbers that `JSON.parse` would round: it reads numbers as floats. */

import { UpgradeError } from "../../base/errors/errors.js";
import { memorySource } from "../../base/files/byte-source.js";
import { utf8 } from "../../base/text/bytes.js";
import { decodeText } from "../../base/text/text.js";
import { JsonScanner } from "./json-scanner.js";

const OBJECT = 0x7b;
const ARRAY = 0x5b;
const MINUS = 0x2d;
const ZERO = 0x30;
/** So many digits a float has exactly; texts that hold this are looked at as well. */
const LONG_NUMBER = /[[:,]\s*-?[0-9][0-9.eE+-]{15}/;

/**
 * @param name the document, with which paths begin
 * @throws UpgradeError UPG_INVALID_GENESIS with the path of a number that `JSON.parse` would round
 */
export function requireExactNumbers(text: string, name = "genesis"): void {
  if (!LONG_NUMBER.test(text)) return;
  const bytes = utf8(text);
  visit(new JsonScanner(memorySource(bytes), name), bytes, name);
}

function visit(scanner: JsonScanner, bytes: Uint8Array, path: string): void {
  const next = scanner.peekValue();
  if (next === OBJECT) scanner.object((key) => visit(scanner, bytes, `${path}.${key}`));
  else if (next === ARRAY) {
    let index = 0;
    scanner.array(() => visit(scanner, bytes, `${path}[${index++}]`));
  } else {
    const start = scanner.at;
    scanner.skip();
    if (next !== MINUS && (next < ZERO || next > ZERO + 9)) return;
    const number = decodeText(bytes.subarray(start, scanner.at));
    if (isExact(number)) return;
    const what = `the number ${number} has more digits than can be read exactly: write it in quotes, "${number}"`;
    throw new UpgradeError("UPG_INVALID_GENESIS", `${path}: ${what}`);
  }
}

function isExact(number: string): boolean {
  return /^-?[0-9]+$/.test(number) ? BigInt(number) === BigInt(Number(number)) : number.replace(/\D/g, "").length <= 15;
}
