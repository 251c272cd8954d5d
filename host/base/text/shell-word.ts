import { PROGRAM } from "./program-text.js";

/** A word of a POSIX shell that means exactly this text. {@link PROGRAM} is completed to a name, which needs no quotes. */
export function shellWord(text: string): string {
  return text === PROGRAM || /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** A command of {@link PROGRAM} to type that acts on this home, in backquotes. The shell that it is typed in may have another default. */
export function homeCommand(words: string, home: string): string {
  return `\`${PROGRAM} ${words} --home ${shellWord(home)}\``;
}
