/** Can this machine run a file? Judged by its first bytes, and by what it needs to be started. */
import { isAbsolute } from "node:path";
import { goPlatform } from "../../plan-info/platform.js";
import type { Files } from "../../programs/files.js";
import { decodeLossy } from "../../text.js";
import { kindOfProgram } from "../elf.js";

const HEAD_BYTES = 256;
/** Of an ELF file's header. */
const ELF_BYTES_MIN = 64;
const EXECUTE = 0o111;

/** Node's names of a machine. */
export interface MachineName {
  readonly platform: string;
  readonly arch: string;
}

/** Why not, in words; undefined: nothing speaks against it. @throws what the system says */
export function programProblem(files: Files, file: string, machine: MachineName): string | undefined {
  const facts = files.facts(file);
  if (!facts) return files.linkFacts(file) ? `${file} is a link that leads nowhere` : `${file} is missing`;
  if (facts.kind !== "file") return `${file} is not a regular file`;
  const problem = contentProblem(files, file, machine);
  if (problem !== undefined) return problem;
  return isRunByNode(file) || (facts.mode & EXECUTE) === EXECUTE ? undefined : `${file} may not be executed by all`;
}

const isRunByNode = (file: string) => /\.[cm]?js$/.test(file);

/** Of a file that is there, wherever it lies; who may execute it is not asked. @throws what the system says */
export function contentProblem(files: Files, file: string, machine: MachineName): string | undefined {
  const bytes = files.facts(file)?.bytes ?? 0;
  if (bytes === 0) return `${file} is empty`;
  const { format, platform, interpreter } = kindOfProgram(files, file);
  if (format === "script") return scriptProblem(files, file);
  if (format === "unknown") return wrongKind(file, files.readPart(file, 0, HEAD_BYTES));
  if (format === "elf" && bytes < ELF_BYTES_MIN) return `${file} is cut off: it has ${bytes} bytes`;
  const own = goPlatform(machine.platform, machine.arch);
  const isOther = platform !== undefined && platform !== own && !own.startsWith(`${platform}/`);
  if (isOther) return `${file} is built for ${platform}, and this machine is ${own}`;
  if (interpreter === undefined || files.facts(interpreter)) return undefined;
  return `${file} needs ${interpreter}, which this machine does not have: it was built with another C library`;
}

/** What a download returned, or what was not unpacked. */
function wrongKind(file: string, head: Uint8Array): string | undefined {
  if (isRunByNode(file)) return undefined;
  if (head[0] === 0x1f && head[1] === 0x8b) return `${file} is a gzip archive, not a program: unpack it`;
  if (head[0] === 0x50 && head[1] === 0x4b) return `${file} is a zip archive, not a program: unpack it`;
  const isPage = /^\s*<(!doctype|html)/i.test(decodeLossy(head));
  if (isPage) return `${file} is a web page, not a program: what the download returned`;
  return `${file} is no program: it begins neither as this system's do nor, as a script does, with #! and what runs it`;
}

function scriptProblem(files: Files, file: string): string | undefined {
  const [line = ""] = decodeLossy(files.readPart(file, 0, HEAD_BYTES)).split("\n", 1);
  if (line.endsWith("\r")) return `${file} has lines that end as on Windows: its first line names no program`;
  const [interpreter = ""] = line.slice(2).trim().split(/\s+/, 1);
  if (!isAbsolute(interpreter)) return undefined;
  return files.facts(interpreter) ? undefined : `${file} is run by ${interpreter}, which this machine does not have`;
}
