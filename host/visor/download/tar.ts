/**
 * Reads tar as it comes: ustar, pax and GNU, with long names. Only regular files and folders are read; what else an archive holds
 * (links, devices, pipes, sparse files) is refused with its name, since an entry that is passed over could be what was meant.
 */
import { UpgradeError } from "../../base/errors/errors.js";
import { decodeLossy } from "../../base/text/text.js";
import { refused } from "./entry-name.js";
import { paxRecords } from "./pax.js";
import { StreamReader } from "./stream-reader.js";
import type { Tree, TreeEntry } from "./tree.js";

const BLOCK_BYTES = 512;
const META_BYTES_MAX = 65_536;

/** Offset and length of the fields of a header. */
const NAME = [0, 100] as const;
const MODE = [100, 8] as const;
const SIZE = [124, 12] as const;
const CHECKSUM = [148, 8] as const;
const KIND_AT = 156;
const MAGIC = [257, 8] as const;
const PREFIX = [345, 155] as const;

const USTAR = "ustar\u000000";
const EXECUTE_ALL = 0o777;

const REFUSED_KINDS: Readonly<Record<string, string>> = {
  "1": "it is a hard link",
  "2": "it is a link",
  "3": "it is a device",
  "4": "it is a device",
  "6": "it is a pipe",
  S: "it is a sparse file",
};

interface Header {
  readonly kind: string;
  readonly name: Uint8Array;
  readonly size: number;
  readonly mode: number;
}

/** What entries of names and of pax say about the next one. */
interface Said {
  name?: Uint8Array;
  size?: number;
}

/** @throws UpgradeError UPG_INVALID_PLAN_INFO; what the disk says */
export async function readTar(source: AsyncIterable<Uint8Array>, tree: Tree): Promise<void> {
  const reader = new StreamReader(source);
  let said: Said = {};
  try {
    for (;;) {
      const block = await reader.take(BLOCK_BYTES);
      if (!block) throw cut();
      if (block.every((byte) => byte === 0)) break;
      tree.count();
      const header = readHeader(block);
      if (await takeMeta(reader, header, said)) continue;
      await takeEntry(reader, header, said, tree);
      said = {};
    }
    if (said.name !== undefined || said.size !== undefined) throw damaged();
    // What it is packed by has its sum at its end: one that is cut there is seen only by who reads on.
    for await (const piece of reader.rest()) tree.countBytes(piece.length);
  } finally {
    await reader.close();
  }
}

/** True: the entry is about the next one, or about none. */
async function takeMeta(reader: StreamReader, { kind, size }: Header, said: Said): Promise<boolean> {
  if (!"LKxg".includes(kind)) return false;
  if (size > META_BYTES_MAX) throw refused(kind, "a name or an attribute of it is too long");
  const bytes = await reader.take(size);
  if (!bytes || !(await reader.skip(padding(size)))) throw damaged();
  if (kind === "L") said.name = untilZero(bytes);
  if (kind === "x") {
    const { path, size: bytesOfNext } = paxRecords(bytes, damaged);
    if (path !== undefined) said.name = path;
    if (bytesOfNext !== undefined) said.size = bytesOfNext;
  }
  return true;
}

async function takeEntry(reader: StreamReader, header: Header, said: Said, tree: Tree): Promise<void> {
  const name = said.name ?? header.name;
  const size = said.size ?? header.size;
  const kind = entryKind(header.kind, name);
  if (kind === "folder" && size > 0) throw refused(decodeLossy(name), "a folder has no bytes");
  await tree.add({ name, kind, mode: header.mode }, reader.next(size, damaged));
  if (!(await reader.skip(padding(size)))) throw damaged();
}

/** Archives older than ustar have folders as files whose name ends with a slash. */
function entryKind(kind: string, name: Uint8Array): TreeEntry["kind"] {
  if (kind === "5") return "folder";
  if (kind === "\0" || kind === "0" || kind === "7") return name.at(-1) === 0x2f ? "folder" : "file";
  throw refused(decodeLossy(name), REFUSED_KINDS[kind] ?? "it is neither a file nor a folder");
}

function readHeader(block: Uint8Array): Header {
  const field = ([at, length]: readonly [number, number]) => block.subarray(at, at + length);
  if (numberOf(field(CHECKSUM)) !== checksumOf(block)) throw damaged();
  const isUstar = decodeLossy(field(MAGIC)) === USTAR;
  const prefix = isUstar ? untilZero(field(PREFIX)) : new Uint8Array();
  const name = untilZero(field(NAME));
  return {
    kind: String.fromCharCode(block[KIND_AT] ?? 0),
    name: prefix.length === 0 ? name : Buffer.concat([prefix, Buffer.from("/"), name]),
    size: numberOf(field(SIZE)),
    mode: numberOf(field(MODE)) & EXECUTE_ALL,
  };
}

/** The sum of a header's bytes, with spaces where it is itself. */
function checksumOf(block: Uint8Array): number {
  const [from, length] = CHECKSUM;
  return block.reduce((sum, byte, at) => sum + (at >= from && at < from + length ? 0x20 : byte), 0);
}

/** Octal, or as GNU writes what has no room in it: a set first bit, then big-endian. */
function numberOf(field: Uint8Array): number {
  if (field[0] === 0x80) {
    const value = field.subarray(1).reduce((sum, byte) => sum * 256 + byte, 0);
    if (!Number.isSafeInteger(value)) throw damaged();
    return value;
  }
  const text = decodeLossy(untilZero(field)).trim();
  if (!/^[0-7]*$/.test(text)) throw damaged();
  return Number.parseInt(text || "0", 8);
}

function untilZero(bytes: Uint8Array): Uint8Array {
  const end = bytes.indexOf(0);
  return end < 0 ? bytes : bytes.subarray(0, end);
}

const padding = (size: number) => (BLOCK_BYTES - (size % BLOCK_BYTES)) % BLOCK_BYTES;

/** All that write tar end it with blocks of zeros. */
function cut(): UpgradeError {
  return new UpgradeError("UPG_INVALID_PLAN_INFO", "the download is a tar that is cut: its end is missing");
}

function damaged(): UpgradeError {
  return new UpgradeError("UPG_INVALID_PLAN_INFO", "the download is no tar, or is damaged");
}
