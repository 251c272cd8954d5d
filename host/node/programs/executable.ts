/**
 * Can this machine start a file? Judged by its first bytes, and by what the system needs to start it. Asked before every start of a
 * program: what the kernel refuses with ENOEXEC, libuv hands to /bin/sh, which would run the first lines of a web page as commands.
 */
import { isAbsolute } from "node:path";
import type { Files } from "../../base/files/files.js";
import { decodeLossy } from "../../base/text/text.js";
import { goPlatform } from "../../upgrade/plan-info/platform.js";
import { kindOfProgram, type ProgramKind } from "./program-kind.js";

/** What is read of a file. */
export type FileReads = Pick<Files, "facts" | "linkFacts" | "readPart">;

const HEAD_BYTES = 256;
const EXECUTE = 0o111;
/** As the kernel: an interpreter may be a script, and its interpreter too. */
const SCRIPTS_MAX = 4;

/** Node's names of a machine. */
export interface MachineName {
  readonly platform: string;
  readonly arch: string;
}

/** Why not, as a message; undefined: nothing speaks against it. Never throws. */
export function programProblem(files: FileReads, file: string, machine: MachineName = process): string | undefined {
  try {
    const problem = fileProblem(files, file) ?? contentProblem(files, file, machine);
    if (problem !== undefined || isRunByNode(file)) return problem;
    const { mode = 0 } = files.facts(file) ?? {};
    return (mode & EXECUTE) === EXECUTE ? undefined : `${file} may not be executed by all`;
  } catch (error) {
    return `${file} cannot be read: ${(error as Error).message}`;
  }
}

/** Whether a regular file is there. @throws what the system says */
export function fileProblem(files: FileReads, file: string): string | undefined {
  const facts = files.facts(file);
  if (!facts) return files.linkFacts(file) ? `${file} is a link that leads nowhere` : `${file} is missing`;
  return facts.kind === "file" ? undefined : `${file} is no regular file`;
}

/** JavaScript, for the Node.js that runs this program. */
export const isRunByNode = (file: string) => /\.[cm]?js$/.test(file);

/** Of a file that is there, wherever it is; permissions are not looked at. @throws what the system says */
export function contentProblem(files: FileReads, file: string, machine: MachineName = process): string | undefined {
  const { bytes = 0 } = files.facts(file) ?? {};
  if (bytes === 0) return `${file} is empty`;
  if (isRunByNode(file)) return pageProblem(file, files.readPart(file, 0, HEAD_BYTES));
  const kind = kindOfProgram(files, file);
  if (kind.format === "script") return scriptProblem(files, file, kind, machine, SCRIPTS_MAX);
  if (kind.format === "unknown") return wrongKind(file, files.readPart(file, 0, HEAD_BYTES));
  return binaryProblem(files, file, { kind, bytes }, machine);
}

/** Systems of which the kinds of programs are known. */
const KNOWN_SYSTEMS: ReadonlySet<string> = new Set(["linux", "darwin", "win32"]);

function binaryProblem(
  files: FileReads,
  file: string,
  { kind, bytes }: { readonly kind: ProgramKind; readonly bytes: number },
  machine: MachineName,
): string | undefined {
  const { platform, interpreter, bytesMin } = kind;
  const own = goPlatform(machine.platform, machine.arch);
  if (bytes < bytesMin) return `${file} is cut off: it has ${bytes} bytes, and its parts need ${bytesMin}`;
  if (!KNOWN_SYSTEMS.has(machine.platform)) return undefined;
  if (platform === undefined) return `${file} is no program of this system (${own})`;
  if (platform !== own && !own.startsWith(`${platform}/`))
    return `${file} is built for ${platform}, and this machine is ${own}: take the build for ${own}`;
  if (interpreter === undefined || files.facts(interpreter)) return undefined;
  const hint = interpreter.includes("musl")
    ? "it is built for musl, as of Alpine; take the build for glibc, or the static one"
    : "it was built with another C library; take a build for this one, or the static one";
  return `${file} needs ${interpreter}, which this machine does not have: ${hint}`;
}

/** What a download returned, or what was not unpacked. */
function wrongKind(file: string, head: Uint8Array): string {
  if (head[0] === 0x1f && head[1] === 0x8b) return `${file} is a gzip archive, not a program: unpack it`;
  if (head[0] === 0x50 && head[1] === 0x4b) return `${file} is a zip archive, not a program: unpack it`;
  const page = pageProblem(file, head);
  if (page !== undefined) return page;
  return `${file} is no program: it begins neither as this system's do nor, as a script does, with #! and what runs it`;
}

const pageProblem = (file: string, head: Uint8Array): string | undefined =>
  /^\s*<(!doctype|html)/i.test(decodeLossy(head))
    ? `${file} is a web page, not a program: what the download returned`
    : undefined;

function scriptProblem(
  files: FileReads,
  file: string,
  { interpreter = "" }: ProgramKind,
  machine: MachineName,
  scriptsLeft: number,
): string | undefined {
  if (interpreter.endsWith("\r")) return `${file} has lines that end as on Windows: its first line names no program`;
  if (!isAbsolute(interpreter)) return `${file} is a script whose first line names no absolute path of what runs it`;
  const facts = files.facts(interpreter);
  if (!facts) return `${file} is run by ${interpreter}, which this machine does not have`;
  const why = (problem: string) => `${file} is run by ${interpreter}, which cannot be started: ${problem}`;
  if (facts.kind !== "file" || (facts.mode & EXECUTE) === 0) return why("it is no executable file");
  const kind = kindOfProgram(files, interpreter);
  if (kind.format === "unknown") return why("it is no program");
  const problem =
    kind.format !== "script"
      ? binaryProblem(files, interpreter, { kind, bytes: facts.bytes }, machine)
      : scriptsLeft > 0
        ? scriptProblem(files, interpreter, kind, machine, scriptsLeft - 1)
        : "too many scripts run one another";
  return problem === undefined ? undefined : why(problem);
}
