/**
 * The name of the program in texts that hold a command to type. A library does not know which program prints its errors: they hold
 * {@link PROGRAM}, and what prints them completes them: a command line, a log, halt.json, a server, CometBFT's socket.
 */

/** The place of the name of the program that prints a text. Nobody types its noncharacter, so text of users is never completed. */
export const PROGRAM = "{\ufdd0}";

/** The program of this package. Errors name it to those who catch them in code of their own: there is always such a command. */
export const OWN_PROGRAM = "chaind";

/** The text with commands of this program. */
export function completeText(text: string, program: string): string {
  return text.replaceAll(PROGRAM, program);
}

/** A log in which commands are of this program. */
export function completedLog<L>(log: (level: L, message: string) => void, program: string): typeof log {
  return (level, message) => log(level, completeText(message, program));
}

/** The same for all texts of a JSON value. */
export function completeAll<T>(value: T, program: string): T {
  if (typeof value === "string") return completeText(value, program) as T;
  if (Array.isArray(value)) return value.map((each) => completeAll(each, program)) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, completeAll(each, program)])) as T;
}

/** Of settings in the environment: `NOTESD_` for `notesd`. */
export function envPrefix(program: string): string {
  return `${program.replaceAll("-", "_").toUpperCase()}_`;
}
