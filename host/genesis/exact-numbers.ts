/** Documents are changed as JSON, whose numbers are floats here: one that they cannot hold would come back as another. */
import { utf8 } from "../bytes.js";
import { memorySource } from "../document/byte-source.js";
import { JsonScanner } from "../document/json-scanner.js";
import { UpgradeError } from "../errors.js";
import { decodeText } from "../text.js";

const OBJECT = 0x7b;
const ARRAY = 0x5b;
const MINUS = 0x2d;
const ZERO = 0x30;
/** So many digits a float has exactly; texts that hold this are looked at as well. */
const LONG_NUMBER = /[[:,]\s*-?[0-9][0-9.eE+-]{15}/;

/** @throws UpgradeError UPG_INVALID_GENESIS with the path of a number that would be changed */
export function requireExactNumbers(text: string): void {
  if (!LONG_NUMBER.test(text)) return;
  const bytes = utf8(text);
  visit(new JsonScanner(memorySource(bytes), "genesis"), bytes, "genesis");
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
    const what = `the number ${number} has more digits than a change of the document keeps: write it as a text, "${number}"`;
    throw new UpgradeError("UPG_INVALID_GENESIS", `${path}: ${what}`);
  }
}

function isExact(number: string): boolean {
  return /^-?[0-9]+$/.test(number) ? BigInt(number) === BigInt(Number(number)) : number.replace(/\D/g, "").length <= 15;
}
