/** The command that stages a handler's file, for messages and records. */
import { shellWord } from "../../base/text/shell-word.js";

/**
 * @param folder `<home>/handlers/staged`
 * @param file of the handler, which is moved; undefined: a name to replace, whose file is copied
 */
export function stageCommand(folder: string, file?: string): string {
  const staged = shellWord(folder);
  return `mkdir -p ${staged} && ${file === undefined ? "cp FILE.wasm" : `mv ${shellWord(file)}`} ${staged}/`;
}
