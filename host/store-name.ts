/**
 * Which names a store may have when it comes from outside: a handler's manifest, the raw part of a genesis document. Names
 * look like nothing else in any writing, and none of them is a way out of a folder or an absolute path. No store's name is
 * ever made into a path here (spill files and receipts have names of their own), but exports go to programs that may.
 */
import { STORE_NAME_BYTES_MAX } from "./limits.js";

const CHARACTERS = /^[a-z0-9_./-]+$/;
const PARTS_REFUSED: ReadonlySet<string> = new Set(["", ".", ".."]);

/** What is wrong with a store's name, as a message; undefined when nothing is. */
export function storeNameProblem(name: string): string | undefined {
  if (!CHARACTERS.test(name)) return "a store's name consists of a to z, 0 to 9, _ . / and -";
  const { length } = name;
  if (length > STORE_NAME_BYTES_MAX) return `a store's name has at most ${STORE_NAME_BYTES_MAX} bytes, got ${length}`;
  if (name.split("/").some((part) => PARTS_REFUSED.has(part))) {
    return 'no part of a store\'s name between slashes is empty, "." or ".."';
  }
  return undefined;
}
