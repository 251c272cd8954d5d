/** A program put into its folder: whole under its name, or not at all. */
import { dirname } from "node:path";
import { messageOf, UpgradeError } from "../../../base/errors/errors.js";
import type { Files } from "../../../base/files/files.js";
import { usage } from "../../../base/terminal/usage.js";
import { shellWord } from "../../../base/text/shell-word.js";
import { decodeLossy } from "../../../base/text/text.js";
import { contentProblem } from "../../../node/programs/executable.js";

const PROGRAM_MODE = 0o755;

/**
 * Copies a file under another name, makes it executable and durable, and renames it.
 * @throws UpgradeError UPG_STORE_IO; what lay there before still does
 */
export async function placeProgram(files: Files, from: string, to: string, folderMode: number): Promise<void> {
  const part = `${to}.part`;
  try {
    files.makeFolder(dirname(to), folderMode);
    files.remove(part);
    await files.copy(from, part);
    files.chmod(part, PROGRAM_MODE);
    files.syncFile(part);
    files.rename(part, to);
    files.syncFolder(dirname(to));
  } catch (cause) {
    throw new UpgradeError("UPG_STORE_IO", `cannot put ${from} at ${to}: ${messageOf(cause)}`, { cause });
  }
}

/** Of a file that an operator named: one that this machine can run. @param words Cosmovisor's for each way in which it cannot be one */
export function requireExecutable(
  files: Files,
  file: string,
  words: { readonly missing: string; readonly unreadable: string; readonly folder: string },
): void {
  let kind: string | undefined;
  try {
    kind = files.facts(file)?.kind;
  } catch (error) {
    throw usage(`${words.unreadable}: ${messageOf(error)}`);
  }
  if (kind === undefined) throw usage(`${words.missing}: stat ${file}: no such file or directory`);
  if (kind !== "file") throw usage(words.folder);
  const problem = contentProblem(files, file, process);
  if (problem !== undefined) throw usage(problem);
  if (!importsOthers(files, file)) return;
  throw usage(
    `${file} imports files beside it, which a copy would not have: give the single executable, or a script of two lines, ` +
      `#!/bin/sh and exec ${shellWord(file)} "$@"`,
  );
}

const HEAD_BYTES = 65_536;

/** JavaScript of several files, as npm installs a program. */
function importsOthers(files: Files, file: string): boolean {
  const head = decodeLossy(files.readPart(file, 0, HEAD_BYTES));
  const isScript = /^#!.*\bnode\b/.test(head) || /\.[cm]?js$/.test(file);
  return isScript && /(\bfrom|\bimport)\s*\(?\s*["']\.{1,2}\//.test(head);
}
