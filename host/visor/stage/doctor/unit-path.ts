/** Programs that are found by PATH: a service has another one than the shell in which an operator tries them. */
import { isAbsolute, join } from "node:path";
import type { Files } from "../../../base/files/files.js";
import { decodeLossy } from "../../../base/text/text.js";
import { isRunByNode } from "../../../node/programs/executable.js";
import { kindOfProgram } from "../../../node/programs/program-kind.js";
import { handedOver } from "../probe.js";

/** Of systemd, for the services of the system. */
const SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
const HEAD_BYTES = 256;
/** A script may run another one. */
const SCRIPTS_MAX = 4;

/**
 * @param path that the unit sets; undefined: none
 * @returns why the program cannot start under the unit; undefined: nothing speaks against it
 */
export const pathProblem = (files: Files, program: string, path: string = SYSTEM_PATH): string | undefined =>
  problemOf(files, program, path, SCRIPTS_MAX);

function problemOf(files: Files, file: string, path: string, scriptsLeft: number): string | undefined {
  if (scriptsLeft === 0 || files.facts(file)?.kind !== "file" || isRunByNode(file)) return undefined;
  if (kindOfProgram(files, file).format !== "script") return undefined;
  const handed = handedOver(file, files);
  const searched = handed?.path ?? path;
  const program = handed?.program ?? programOfEnv(files, file);
  if (program === undefined) return undefined;
  const found = foldersFor(program, searched)
    .map((folder) => join(folder, program))
    .find((each) => files.facts(each)?.kind === "file");
  if (found !== undefined) return problemOf(files, found, searched, scriptsLeft - 1);
  if (isAbsolute(program)) return `${file} runs ${program}, which is missing`;
  // Relative to the folder of the start.
  if (program.includes("/")) return undefined;
  return `${file} runs ${program}, which is in no folder of the service's PATH (${searched}): write its absolute path into the script, or set Environment=PATH=… in the unit`;
}

const foldersFor = (program: string, path: string): readonly string[] =>
  program.includes("/") ? ["/"].filter(() => isAbsolute(program)) : path.split(":").filter(isAbsolute);

/** Of a first line such as `#!/usr/bin/env node`. */
function programOfEnv(files: Files, file: string): string | undefined {
  const head = decodeLossy(files.readPart(file, 0, HEAD_BYTES));
  return /^#![ \t]*\/usr\/bin\/env[ \t]+(?:-S[ \t]+)?([^\s=-][^\s=]*)\s/.exec(head)?.[1];
}
