/** Reads from the start of a program's file which machine it is for and what the system needs to start it. */

import type { Files } from "../../base/files/files.js";
import { decodeLossy } from "../../base/text/text.js";

export interface ProgramKind {
  readonly format: "elf" | "mach-o" | "pe" | "script" | "unknown";
  /** As `linux/amd64`; `darwin` or `windows` alone for several machines. Undefined: no machine that is known here. */
  readonly platform: string | undefined;
  /** What the system starts it with: an ELF file's loader, a script's interpreter. */
  readonly interpreter: string | undefined;
  /** Bytes that the file must have for the parts that the system loads. */
  readonly bytesMin: number;
}

const HEAD_BYTES = 4_096;
const PATH_BYTES_MAX = 4_096;
/** The kernel reads so much of a script to find its interpreter. */
const SCRIPT_HEAD_BYTES = 256;

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
const ELF_MAGIC = 0x7f454c46;
const MACH_O: Readonly<Record<number, string>> = { 16777223: "amd64", 16777228: "arm64" };
const MACH_O_MAGIC = 0xcffaedfe;
/** Of a file for several machines. */
const MACH_O_UNIVERSAL = 0xcafebabe;
const LOADED = 1;
const LOADER = 3;
/** e_type of what can be started: EXEC and DYN. */
const STARTED: readonly number[] = [2, 3];

/** @throws what the system says */
export function kindOfProgram(files: Pick<Files, "readPart">, file: string): ProgramKind {
  const head = files.readPart(file, 0, HEAD_BYTES);
  const view = new DataView(head.buffer, head.byteOffset, head.length);
  const kind = (format: ProgramKind["format"], platform?: string): ProgramKind => ({
    ...{ format, platform, interpreter: undefined, bytesMin: 0 },
  });
  if (head.length > 4 && view.getUint32(0) === ELF_MAGIC) return elf(files, file, view);
  if (head.length > 8 && view.getUint32(0) === MACH_O_MAGIC) {
    const machine = MACH_O[view.getUint32(4, true)];
    return kind("mach-o", machine && `darwin/${machine}`);
  }
  if (head.length > 8 && view.getUint32(0) === MACH_O_UNIVERSAL) return kind("mach-o", "darwin");
  if (head.length > 2 && view.getUint16(0) === 0x4d5a) return kind("pe", "windows");
  // As the kernel reads it: the name ends with a blank or the line, within what it reads.
  const [, interpreter] = /^#![ \t]*([^ \t\n\0]*)[ \t\n]/.exec(decodeLossy(head.subarray(0, SCRIPT_HEAD_BYTES))) ?? [];
  return interpreter === undefined ? kind("unknown") : { ...kind("script"), interpreter };
}

/** Names of fields and their places in the two classes of ELF files. */
const CLASSES = {
  32: { header: 52, word: 4, table: 28, size: 42, count: 44, row: 32, offset: 4, length: 16 },
  64: { header: 64, word: 8, table: 32, size: 54, count: 56, row: 56, offset: 8, length: 32 },
} as const;

/** A header that is cut off, or of something that cannot be started, is of no machine. */
function elf(files: Pick<Files, "readPart">, file: string, view: DataView): ProgramKind {
  const bits = view.byteLength > 5 && view.getUint8(4) === 2 ? 64 : 32;
  const places = CLASSES[bits];
  const none = { format: "elf", platform: undefined, interpreter: undefined, bytesMin: places.header } as const;
  if (view.byteLength < places.header) return none;
  const isLittle = view.getUint8(5) === 1;
  const machine = ELF_MACHINES[view.getUint16(18, isLittle)] ?? "";
  if (machine === "" || bits !== bitsOf(machine) || !STARTED.includes(view.getUint16(16, isLittle))) return none;
  const endian = { ppc64: "ppc64le", mips: "mipsle" }[machine];
  const platform = `linux/${(isLittle && endian) || machine}`;
  const number = (at: number) => (bits === 64 ? Number(view.getBigUint64(at, isLittle)) : view.getUint32(at, isLittle));
  const [table, count] = [number(places.table), view.getUint16(places.count, isLittle)];
  const isWhole = view.getUint16(places.size, isLittle) === places.row && table + count * places.row <= view.byteLength;
  if (!isWhole || count === 0) return { ...none, bytesMin: table + count * places.row };
  const rows = Array.from({ length: count }, (_, row) => {
    const at = table + row * places.row;
    return {
      type: view.getUint32(at, isLittle),
      offset: number(at + places.offset),
      length: number(at + places.length),
    };
  });
  const bytesMin = Math.max(...rows.map(({ type, offset, length }) => (type === LOADED ? offset + length : 0)));
  const loader = rows.find(({ type }) => type === LOADER);
  return { format: "elf", platform, interpreter: loader && loaderAt(files, file, loader), bytesMin };
}

const bitsOf = (machine: string): number => (/^(386|arm|mips)$/.test(machine) ? 32 : 64);

/** The path in the segment PT_INTERP. */
function loaderAt(
  files: Pick<Files, "readPart">,
  file: string,
  { offset, length }: { readonly offset: number; readonly length: number },
): string {
  if (length > PATH_BYTES_MAX || !Number.isSafeInteger(offset)) return "";
  return decodeLossy(files.readPart(file, offset, length)).replace(/\0[\s\S]*$/, "");
}
