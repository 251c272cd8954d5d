/**
 * The height in CometBFT's write-ahead log of consensus, `<home>/data/cs.wal/wal` and the files it was rotated to. CometBFT writes
 * EndHeight when a block is in its block store, before the application runs it: so the log has the height of an upgrade
 * whether the application has refused the block, is gone, or never answers.
 *
 * A frame is crc32c and length, 4 bytes each, big endian, then a TimedWALMessage.
 */
import { join } from "node:path";
import type { Files } from "../../../base/files/files.js";
import { crc32c } from "./crc32c.js";

const HEAD_BYTES = 8;
/** CometBFT refuses to write longer ones. */
const MESSAGE_BYTES_MAX = 1_024 * 1_024 + 24;
/** A time and an int64, with their tags and lengths, are fewer. */
const END_HEIGHT_BYTES_MAX = 48;
const READ_BYTES = 1_024 * 1_024 + MESSAGE_BYTES_MAX;
/** Rotated files that are looked at: CometBFT rotates at 10 MB, and a height takes a few kB. */
const ROTATED_MAX = 16;

export interface Scan {
  /** After the last whole frame. */
  readonly position: number;
  /** Of the last EndHeight; undefined: there is none. */
  readonly height: bigint | undefined;
}

/** Up to what is torn. Other messages than EndHeight are stepped over. */
export function scan(bytes: Uint8Array): Scan {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let height: bigint | undefined;
  let position = 0;
  while (position + HEAD_BYTES <= bytes.length) {
    const size = view.getUint32(position + 4);
    const end = position + HEAD_BYTES + size;
    if (size === 0 || size > MESSAGE_BYTES_MAX || end > bytes.length) break;
    if (size <= END_HEIGHT_BYTES_MAX) {
      const message = bytes.subarray(position + HEAD_BYTES, end);
      if (crc32c(message) !== view.getUint32(position)) break;
      height = endHeight(message) ?? height;
    }
    position = end;
  }
  return { position, height };
}

/** Reads on from where it was last: a head file may have many megabytes, and is looked at often. */
export class WalHeight {
  #position = 0;
  #print = "";
  #height: bigint | undefined;

  constructor(
    private readonly files: Files,
    private readonly folder: string,
  ) {}

  /** The block that is in the block store; undefined: the log is absent or does not say. @throws what the system says */
  read(): bigint | undefined {
    const head = join(this.folder, "wal");
    const facts = this.files.facts(head);
    if (!facts) return this.#height;
    if (facts.print === this.#print) return this.#height;
    // Rotated, or made again by a repair.
    if (facts.bytes < this.#position) this.#position = 0;
    const before = this.#position;
    // The last one, not the greatest: a node that was rolled back makes its heights again.
    this.#height = this.#readOn(head) ?? this.#height;
    if (before > 0 && this.#position === before && facts.bytes > before + READ_BYTES) this.#position = 0;
    this.#height ??= this.#inRotated();
    this.#print = facts.print;
    return this.#height;
  }

  #readOn(file: string): bigint | undefined {
    let height: bigint | undefined;
    for (;;) {
      const part = this.files.readPart(file, this.#position, READ_BYTES);
      if (part.length === 0) return height;
      const found = scan(part);
      height = found.height ?? height;
      this.#position += found.position;
      if (found.position === 0 || part.length < READ_BYTES) return height;
    }
  }

  #inRotated(): bigint | undefined {
    const names = (this.files.list(this.folder) ?? []).filter((name) => /^wal\.[0-9]+$/.test(name));
    const latest = names.sort((a, b) => Number(b.slice(4)) - Number(a.slice(4))).slice(0, ROTATED_MAX);
    for (const name of latest) {
      const found = new WalFile(this.files, join(this.folder, name)).height();
      if (found !== undefined) return found;
    }
    return undefined;
  }
}

/** A rotated file, which is written no more. */
class WalFile {
  constructor(
    private readonly files: Files,
    private readonly path: string,
  ) {}

  height(): bigint | undefined {
    let height: bigint | undefined;
    for (let position = 0; ; ) {
      const part = this.files.readPart(this.path, position, READ_BYTES);
      if (part.length === 0) return height;
      const found = scan(part);
      height = found.height ?? height;
      if (found.position === 0) return height;
      position += found.position;
    }
  }
}

/** TimedWALMessage{msg = 2: WALMessage{end_height = 4: EndHeight{height = 1}}}; undefined: another message. */
function endHeight(message: Uint8Array): bigint | undefined {
  const timed = field(message, 2);
  const end = timed && field(timed, 4);
  if (!end) return undefined;
  if (end.length === 0) return 0n;
  return end[0] === 0x08 ? varint(end, 1)?.value : undefined;
}

/** The bytes of a field of length-delimited type, where all fields before it are such. */
function field(bytes: Uint8Array, number: number): Uint8Array | undefined {
  for (let at = 0; at < bytes.length; ) {
    const tag = varint(bytes, at);
    const size = tag && varint(bytes, tag.after);
    if (!tag || !size || (tag.value & 7n) !== 2n) return undefined;
    const end = size.after + Number(size.value);
    if (end > bytes.length) return undefined;
    if (tag.value >> 3n === BigInt(number)) return bytes.subarray(size.after, end);
    at = end;
  }
  return undefined;
}

function varint(bytes: Uint8Array, at: number): { readonly value: bigint; readonly after: number } | undefined {
  let value = 0n;
  for (let index = 0; index < 10; index++) {
    const byte = bytes[at + index];
    if (byte === undefined) return undefined;
    value |= BigInt(byte & 0x7f) << BigInt(7 * index);
    if (byte < 0x80) return { value, after: at + index + 1 };
  }
  return undefined;
}
