/** Can this machine run a file? Judged by its first bytes, and by what it needs to be started. */
import { isAbsolute } from "node:path";
import type { Files } from "../../programs/files.js";
import { decodeLossy } from "../../text.js";

const HEAD_BYTES = 4_096;
const EXECUTE = 0o111;

/** `e_machine` of an ELF file, by Node's name of an architecture. */
const ELF_MACHINES: Readonly<Record<number, string>> = {
  3: "ia32",
  40: "arm",
  62: "x64",
  183: "arm64",
  243: "riscv64",
};
const ELF_MAGIC = 0x7f454c46;
const MACHO_MAGICS = [0xfeedface, 0xfeedfacf, 0xcefaedfe, 0xcffaedfe, 0xcafebabe];
const PT_INTERP = 3;

export interface MachineName {
  readonly platform: string;
  readonly arch: string;
}

/** Why not, in words; undefined: nothing speaks against it. @throws what the system says */
export function programProblem(files: Files, file: string, machine: MachineName): string | undefined {
  const facts = files.facts(file);
  if (!facts) return files.linkFacts(file) ? `${file} is a link that leads nowhere` : `${file} is missing`;
  if (facts.kind !== "file") return `${file} is not a regular file`;
  if (facts.bytes === 0) return `${file} is empty`;
  const head = files.readPart(file, 0, HEAD_BYTES) ?? new Uint8Array();
  const format = formatProblem(files, file, head, machine);
  if (format !== undefined) return format;
  return (facts.mode & EXECUTE) === EXECUTE || /\.[cm]?js$/.test(file)
    ? undefined
    : `${file} may not be executed by all`;
}

function formatProblem(files: Files, file: string, head: Uint8Array, machine: MachineName): string | undefined {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  const magic = head.length >= 4 ? view.getUint32(0) : 0;
  if (magic === ELF_MAGIC) return elfProblem(files, file, view, machine);
  if (MACHO_MAGICS.includes(magic) && machine.platform !== "darwin") return `${file} is a program for macOS`;
  if (head[0] === 0x4d && head[1] === 0x5a && machine.platform !== "win32") return `${file} is a program for Windows`;
  if (head[0] === 0x23 && head[1] === 0x21) return scriptProblem(files, file, head);
  if (head[0] === 0x1f && head[1] === 0x8b) return `${file} is a gzip archive, not a program: unpack it`;
  if (head[0] === 0x50 && head[1] === 0x4b) return `${file} is a zip archive, not a program: unpack it`;
  if (/^\s*<(!doctype|html)/i.test(decodeLossy(head)))
    return `${file} is a web page, not a program: what the download returned`;
  return undefined;
}

/** Offsets of the 64-bit form and the 32-bit one. */
function elfProblem(files: Files, file: string, view: DataView, { platform, arch }: MachineName): string | undefined {
  if (view.byteLength < 64) return `${file} is cut off: it has ${view.byteLength} bytes`;
  if (platform !== "linux") return `${file} is an ELF program, and this machine runs ${platform}`;
  const isLittle = view.getUint8(5) === 1;
  const number = view.getUint16(18, isLittle);
  const machine = ELF_MACHINES[number] ?? `machine ${number}`;
  if (machine !== arch) return `${file} is built for ${machine}, and this machine is ${arch}`;
  const loader = view.getUint8(4) === 2 ? loaderOf(view, isLittle) : undefined;
  if (loader === undefined || files.facts(loader)) return undefined;
  return `${file} needs ${loader}, which this machine does not have: it was built with another C library`;
}

/** The program that the system starts it with; undefined: none, or not in the first bytes. */
function loaderOf(view: DataView, isLittle: boolean): string | undefined {
  const [at, size, count] = [
    view.getBigUint64(32, isLittle),
    view.getUint16(54, isLittle),
    view.getUint16(56, isLittle),
  ];
  for (let index = 0; index < count; index++) {
    const header = Number(at) + index * size;
    if (header + 40 > view.byteLength) return undefined;
    if (view.getUint32(header, isLittle) !== PT_INTERP) continue;
    const [from, length] = [view.getBigUint64(header + 8, isLittle), view.getBigUint64(header + 32, isLittle)];
    if (from + length > BigInt(view.byteLength)) return undefined;
    const bytes = new Uint8Array(view.buffer, view.byteOffset + Number(from), Number(length));
    return decodeLossy(bytes).replace(/\0.*$/, "");
  }
  return undefined;
}

function scriptProblem(files: Files, file: string, head: Uint8Array): string | undefined {
  const [line = ""] = decodeLossy(head).split("\n", 1);
  if (line.endsWith("\r")) return `${file} has lines that end as on Windows: its first line names no program`;
  const [interpreter = ""] = line.slice(2).trim().split(/\s+/, 1);
  if (interpreter === "") return `${file} names no interpreter in its first line`;
  if (!isAbsolute(interpreter)) return undefined;
  return files.facts(interpreter) ? undefined : `${file} is run by ${interpreter}, which this machine does not have`;
}
