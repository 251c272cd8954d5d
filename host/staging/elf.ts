/** What a program's file says it is for: the machine of an ELF or Mach-O file, its loader, the interpreter of a script. */
import type { Files } from "../programs/files.js";
import { decodeLossy } from "../text.js";

export interface ProgramKind {
  readonly format: "elf" | "mach-o" | "pe" | "script" | "unknown";
  /** As `linux/amd64`, as far as the file says it; undefined: it does not. */
  readonly platform: string | undefined;
  /** What the system starts it with: an ELF file's loader, a script's interpreter; undefined: nothing, or not known. */
  readonly interpreter: string | undefined;
}

const HEAD_BYTES = 4_096;
const PATH_BYTES_MAX = 4_096;

/** Of an ELF header, by e_machine; Go's names. */
const ELF_MACHINES: Readonly<Record<number, string>> = {
  3: "386",
  8: "mips",
  21: "ppc64",
  22: "s390x",
  40: "arm",
  62: "amd64",
  183: "arm64",
  243: "riscv64",
  258: "loong64",
};
const MACH_O: Readonly<Record<number, string>> = { 16777223: "amd64", 16777228: "arm64" };
const MACH_O_MAGIC = 0xcffaedfe;
/** Of a file for several machines. */
const MACH_O_UNIVERSAL = 0xcafebabe;
const LOADER = 3;

/** @throws what the system says */
export function kindOfProgram(files: Files, file: string): ProgramKind {
  const head = files.readPart(file, 0, HEAD_BYTES);
  const view = new DataView(head.buffer, head.byteOffset, head.length);
  if (head.length > 4 && view.getUint32(0) === 0x7f454c46) return elf(files, file, view);
  if (head.length > 8 && view.getUint32(0) === MACH_O_MAGIC) {
    const machine = MACH_O[view.getUint32(4, true)];
    return { format: "mach-o", platform: machine && `darwin/${machine}`, interpreter: undefined };
  }
  if (head.length > 8 && view.getUint32(0) === MACH_O_UNIVERSAL)
    return { format: "mach-o", platform: "darwin", interpreter: undefined };
  if (head.length > 2 && view.getUint16(0) === 0x4d5a)
    return { format: "pe", platform: "windows", interpreter: undefined };
  const [, interpreter] = /^#!\s*(\S+)/.exec(decodeLossy(head.subarray(0, 256))) ?? [];
  return { format: interpreter === undefined ? "unknown" : "script", platform: undefined, interpreter };
}

function elf(files: Files, file: string, view: DataView): ProgramKind {
  const [is64, isLittle] = [
    view.byteLength > 5 && view.getUint8(4) === 2,
    view.byteLength > 5 && view.getUint8(5) === 1,
  ];
  const machine = view.byteLength >= 20 ? ELF_MACHINES[view.getUint16(18, isLittle)] : undefined;
  const endian = machine === "ppc64" && isLittle ? "ppc64le" : machine;
  const platform = endian && `linux/${endian}`;
  return { format: "elf", platform, interpreter: is64 && isLittle ? loaderOf(files, file, view) : undefined };
}

/** The path in the segment PT_INTERP of a 64-bit little-endian file: all of today's. */
function loaderOf(files: Files, file: string, view: DataView): string | undefined {
  if (view.byteLength < 64) return undefined;
  const at = Number(view.getBigUint64(32, true));
  const size = view.getUint16(54, true);
  const count = view.getUint16(56, true);
  for (let row = 0; row < count; row++) {
    const from = at + row * size;
    if (size < 56 || from + size > view.byteLength) return undefined;
    if (view.getUint32(from, true) !== LOADER) continue;
    const offset = Number(view.getBigUint64(from + 8, true));
    const length = Number(view.getBigUint64(from + 32, true));
    if (length > PATH_BYTES_MAX || !Number.isSafeInteger(offset)) return undefined;
    return decodeLossy(files.readPart(file, offset, length)).replace(/\0[\s\S]*$/, "");
  }
  return undefined;
}
