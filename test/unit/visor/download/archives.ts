/** Archives made by hand, so that they can hold what no tool writes. */
import { crc32, deflateRawSync } from "node:zlib";

export interface TarItem {
  readonly name: string | Uint8Array;
  readonly bytes?: Uint8Array | string;
  /** `0` file, `5` folder, `2` link … */
  readonly kind?: string;
  readonly mode?: number;
  /** What the header says, where that is not the number of bytes. */
  readonly size?: number;
  readonly link?: string;
  readonly magic?: string;
}

const BLOCK = 512;

export function tarOf(items: readonly TarItem[], isEnded = true): Buffer {
  const parts = items.flatMap((item) => {
    const bytes = Buffer.from(item.bytes ?? "");
    return [headerOf(item, bytes.length), bytes, Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK)];
  });
  return Buffer.concat([...parts, ...(isEnded ? [Buffer.alloc(2 * BLOCK)] : [])]);
}

function headerOf(
  { name, kind = "0", mode = 0o644, size, link = "", magic = "ustar\u000000" }: TarItem,
  length: number,
): Buffer {
  const header = Buffer.alloc(BLOCK);
  Buffer.from(name).copy(header, 0, 0, 100);
  header.write(`${mode.toString(8).padStart(7, "0")}\0`, 100);
  header.write(`${(size ?? length).toString(8).padStart(11, "0")}\0`, 124);
  header.write(kind, 156, "latin1");
  header.write(link, 157);
  header.write(magic, 257, "latin1");
  header.write("        ", 148);
  header.write(
    `${header
      .reduce((sum, byte) => sum + byte, 0)
      .toString(8)
      .padStart(6, "0")}\0 `,
    148,
  );
  return header;
}

/** A pax header for the item after it. */
export function paxOf(records: Readonly<Record<string, string>>): TarItem {
  const text = Object.entries(records).map(([key, value]) => {
    const rest = ` ${key}=${value}\n`;
    const bytes = Buffer.byteLength(rest);
    const digits = String(bytes + String(bytes + 3).length).length;
    return `${bytes + digits}${rest}`;
  });
  return { name: "pax", kind: "x", bytes: text.join("") };
}

export interface ZipItem {
  readonly name: string | Uint8Array;
  readonly bytes?: Uint8Array | string;
  /** Unix mode with the kind in it. */
  readonly mode?: number;
  readonly flags?: number;
  /** What the directory says, where that is not the number of bytes. */
  readonly size?: number;
  /** What the directory says, where that is not the bytes' sum. */
  readonly crc?: number;
}

/** Deflated. */
const EMPTY = deflateRawSync("");

export function zipOf(items: readonly ZipItem[]): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const item of items) {
    const bytes = Buffer.from(item.bytes ?? "");
    const packed = bytes.length === 0 ? EMPTY : deflateRawSync(bytes);
    const name = Buffer.from(item.name);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(item.flags ?? 0x800, 2);
    common.writeUInt16LE(8, 4);
    common.writeUInt32LE(item.crc ?? crc32(bytes), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(item.size ?? bytes.length, 18);
    common.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from("PK\u0003\u0004"), common, name, packed]);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(((item.mode ?? 0o100644) << 16) >>> 0, 6);
    tail.writeUInt32LE(at, 10);
    directory.push(Buffer.concat([Buffer.from("PK\u0001\u0002\u0014\u0003"), common, tail, name]));
    locals.push(local);
    at += local.length;
  }
  const entries = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(items.length, 4);
  end.writeUInt16LE(items.length, 6);
  end.writeUInt32LE(entries.length, 8);
  end.writeUInt32LE(at, 12);
  return Buffer.concat([...locals, entries, Buffer.from("PK\u0005\u0006"), end]);
}
