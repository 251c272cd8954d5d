/** Files that begin as programs of a machine do, with any content after the header. */
import { goPlatform } from "../host/upgrade/plan-info/platform.js";

const HEADER = 64;
const ROW = 56;
const LOADED = 1;
const LOADER = 3;
const MACHINES: Readonly<Record<string, number>> = { amd64: 62, arm64: 183, riscv64: 243 };

export interface ElfParts {
  /** e_machine. */
  readonly machine: number;
  readonly loader?: string;
  /** Of the file, after the header. */
  readonly content?: Uint8Array;
}

/** A 64-bit little-endian ELF file, all of which is loaded. */
export function elfBytes({ machine, loader, content = new Uint8Array(64) }: ElfParts): Uint8Array {
  const rows = loader === undefined ? 1 : 2;
  const text = new TextEncoder().encode(loader === undefined ? "" : `${loader}\0`);
  const at = HEADER + rows * ROW;
  const bytes = new Uint8Array(at + text.length + content.length);
  const view = new DataView(bytes.buffer);
  bytes.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]);
  view.setUint16(16, 2, true);
  view.setUint16(18, machine, true);
  view.setUint32(20, 1, true);
  view.setBigUint64(32, BigInt(HEADER), true);
  view.setUint16(52, HEADER, true);
  view.setUint16(54, ROW, true);
  view.setUint16(56, rows, true);
  const row = (index: number, type: number, offset: number, length: number) => {
    view.setUint32(HEADER + index * ROW, type, true);
    view.setBigUint64(HEADER + index * ROW + 8, BigInt(offset), true);
    view.setBigUint64(HEADER + index * ROW + 32, BigInt(length), true);
  };
  row(0, LOADED, 0, bytes.length);
  if (loader !== undefined) row(1, LOADER, at, text.length);
  bytes.set(text, at);
  bytes.set(content, at + text.length);
  return bytes;
}

/** Of this machine: an ELF or Mach-O header before the content. It does nothing when it is started. */
export function runnableBytes(content: Uint8Array): Uint8Array {
  const [system = "", arch = ""] = goPlatform(process.platform, process.arch).split("/");
  if (system !== "darwin") return elfBytes({ machine: MACHINES[arch] ?? 0, content });
  const head = Uint8Array.from([0xcf, 0xfa, 0xed, 0xfe, arch === "arm64" ? 12 : 7, 0, 0, 1, 0]);
  return Uint8Array.from([...head, ...content]);
}
