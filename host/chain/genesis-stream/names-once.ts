/**
 * A name that an object has twice: JSON leaves open which of the two counts, so such a document is refused. Documents have
 * millions of objects, so their members are counted, and looked at one by one only where the count shows that one is lost.
 */

import { UpgradeError } from "../../base/errors/errors.js";
import { memorySource } from "../../base/files/byte-source.js";
import { utf8 } from "../../base/text/bytes.js";
import { JsonScanner } from "./json-scanner.js";

const OBJECT = 0x7b;
const ARRAY = 0x5b;

/** What was scanned and parsed. */
interface Scanned {
  readonly text: string;
  /** What JSON.parse made of the text. */
  readonly value: unknown;
  /** Members of all objects that the scanner counted in it. */
  readonly members: number;
  readonly path: string;
  /** Index of the first element, where the text is some elements of a longer array. */
  readonly first?: number;
}

/** @throws UpgradeError UPG_INVALID_GENESIS with the path of a member that is given twice */
export function requireNamesOnce({ text, value, members, path, first = 0 }: Scanned): void {
  if (membersOf(value) === members) return;
  findTwice(new JsonScanner(memorySource(utf8(text)), path), path, first);
}

/** The same for a short text. @throws UpgradeError UPG_INVALID_GENESIS also for what is not JSON */
export function requireNamesOnceIn(text: string, path: string): void {
  findTwice(new JsonScanner(memorySource(utf8(text)), path), path);
}

function membersOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const values = Array.isArray(value) ? (value as unknown[]) : Object.values(value);
  let members = Array.isArray(value) ? 0 : values.length;
  for (const each of values) members += membersOf(each);
  return members;
}

function findTwice(scanner: JsonScanner, path: string, first = 0): void {
  const next = scanner.peekValue();
  if (next === OBJECT) {
    const seen = new Set<string>();
    scanner.object((key) => {
      requireNew(seen, key, path);
      findTwice(scanner, `${path}.${key}`);
    });
  } else if (next === ARRAY) {
    let index = first;
    scanner.array(() => findTwice(scanner, `${path}[${index++}]`));
  } else scanner.skip();
}

/** Adds a name to those of the same object. @throws UpgradeError UPG_INVALID_GENESIS */
export function requireNew(seen: Set<string>, key: string, path: string): void {
  if (seen.has(key)) throw new UpgradeError("UPG_INVALID_GENESIS", `${path}.${key}: is given twice`);
  seen.add(key);
}
