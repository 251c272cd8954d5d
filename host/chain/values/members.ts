/** Checks of values that builders write, in programs that may have no types: a misspelt member would be ignored. */
import { UpgradeError } from "../../base/errors/errors.js";
import { nearest } from "../../base/text/text.js";

/**
 * Refuses members that nothing reads.
 *
 * @param owner names the value in the message, such as `module "notes"`
 * @param kind what it is, with its article, such as `a module`
 * @throws UpgradeError UPG_INVALID_ARGUMENT with the name that was probably meant
 */
export function requireMembers(given: object, names: readonly string[], owner: string, kind: string): void {
  for (const member of Object.keys(given)) {
    if (names.includes(member)) continue;
    const near = names.find((each) => each.toLowerCase() === member.toLowerCase()) ?? nearest(member, names);
    const hint = near === undefined ? `${kind} has ${names.join(", ")}` : `did you mean "${near}"?`;
    throw new UpgradeError(
      "UPG_INVALID_ARGUMENT",
      `${owner} has a member "${member}", which nothing would call or read: ${hint}`,
    );
  }
}

/** Refuses what is given and cannot be called at once. @throws UpgradeError UPG_INVALID_ARGUMENT */
export function requireFunction(given: unknown, what: string): void {
  if (given === undefined) return;
  const refuse = (why: string) => new UpgradeError("UPG_INVALID_ARGUMENT", `${what} ${why}`);
  if (typeof given !== "function") throw refuse(`is no function, it is ${typeof given}`);
  if (/^Async/.test(given.constructor.name)) throw refuse("is async. A block is synchronous: remove async and await");
}

/** Refuses a member that is set and is not a list of texts. @throws UpgradeError UPG_INVALID_ARGUMENT */
export function requireTexts(given: unknown, what: string): void {
  if (given === undefined || (Array.isArray(given) && given.every((each) => typeof each === "string"))) return;
  throw new UpgradeError("UPG_INVALID_ARGUMENT", `${what} is no list of names: ["notes"]`);
}

/** Ends the message of an error where a number was passed for a bigint: it shows the bigint to write. Empty for other values. */
export function bigintHint(given: unknown): string {
  return typeof given === "number" ? `; this is a number: write ${Number.isInteger(given) ? given : 1}n` : "";
}
