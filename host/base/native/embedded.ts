/** A program that is one executable file (`npm run build:executable`) has its code in that file. */
import { getAsset, isSea } from "node:sea";

/** CommonJS, for the threads of the program; undefined: the program is a script. */
export function embeddedProgram(): string | undefined {
  return isSea() ? getAsset("program.cjs", "utf8") : undefined;
}

/** Is the program one executable file? */
export const isEmbedded = (): boolean => isSea();
