/** The little of tar (POSIX ustar) that an archive of a snapshot needs: plain files by short names, one after the other. */
import { utf8 } from "../../base/text/bytes.js";
import { decodeLossy } from "../../base/text/text.js";
import { invalid } from "./facts.js";

const BLOCK_BYTES = 512;
const NAME_BYTES_MAX = 100;
/** Of CometBFT, for one chunk; descriptions are smaller. */
const FILE_BYTES_MAX = 16_000_000;

/** Offset and length of what is read of a header. */
const SIZE = [124, 12] as const;
const CHECKSUM = [148, 8] as const;
const KIND_AT = 156;
const PREFIX = [345, 155] as const;

/** A file of an archive. */
export interface TarFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** @param name at most 100 bytes of ASCII */
export function tarParts({ name, bytes }: TarFile): Uint8Array[] {
  const header = new Uint8Array(BLOCK_BYTES);
  const put = (at: number, text: string) => header.set(utf8(text), at);
  put(0, name);
  put(100, "0000644\0");
  put(108, "0000000\0");
  put(116, "0000000\0");
  put(SIZE[0], `${octal(bytes.length, 11)}\0`);
  put(136, `${octal(0, 11)}\0`);
  put(KIND_AT, "0");
  put(257, "ustar\x0000");
  put(CHECKSUM[0], `${octal(checksum(header), 6)}\0 `);
  return [header, bytes, new Uint8Array(padding(bytes.length))];
}

/** The end of an archive. */
export const TAR_END = new Uint8Array(2 * BLOCK_BYTES);

const octal = (value: number, digits: number) => value.toString(8).padStart(digits, "0");
const padding = (length: number) => (BLOCK_BYTES - (length % BLOCK_BYTES)) % BLOCK_BYTES;

/** The sum of a header's bytes, with spaces where it is itself. */
function checksum(header: Uint8Array): number {
  const [from, length] = CHECKSUM;
  return header.reduce((sum, byte, at) => sum + (at >= from && at < from + length ? 32 : byte), 0);
}

/**
 * The files of an archive, in its order; one is in memory at a time.
 * @param source the archive in parts of any size
 * @throws UpgradeError UPG_INVALID_SNAPSHOT; what `source` throws
 */
export async function* readTar(source: AsyncIterable<Uint8Array>): AsyncGenerator<TarFile, void, undefined> {
  const reader = new PartReader(source[Symbol.asyncIterator]());
  for (;;) {
    const header = await reader.take(BLOCK_BYTES);
    if (!header || header.every((byte) => byte === 0)) return;
    const { name, size } = fileOf(header);
    const bytes = await reader.take(size);
    const rest = await reader.take(padding(size));
    if (!bytes || !rest) throw invalid("the archive ends in the middle of a file");
    yield { name, bytes };
  }
}

function fileOf(header: Uint8Array): { readonly name: string; readonly size: number } {
  const text = (at: number, length: number) => decodeLossy(header.subarray(at, at + length)).replace(/\0[\s\S]*$/, "");
  if (Number.parseInt(text(...CHECKSUM).trim() || "0", 8) !== checksum(header)) {
    throw invalid("the archive is no tar, or is damaged");
  }
  const [name, kind, size] = [text(0, NAME_BYTES_MAX), header[KIND_AT], text(...SIZE).trim()];
  const isFile = kind === 0 || kind === 0x30;
  if (!isFile || text(...PREFIX) !== "") throw invalid(`the archive holds something else than files: ${name}`);
  const bytes = /^[0-7]{1,12}$/.test(size) ? Number.parseInt(size, 8) : Number.POSITIVE_INFINITY;
  if (bytes > FILE_BYTES_MAX) throw invalid(`${name} in the archive has more than ${FILE_BYTES_MAX} bytes`);
  return { name, size: bytes };
}

/** Gives bytes in the numbers that are asked for. */
class PartReader {
  #part: Uint8Array = new Uint8Array(0);

  constructor(private readonly parts: AsyncIterator<Uint8Array>) {}

  /** Undefined: it ends before. */
  async take(count: number): Promise<Uint8Array | undefined> {
    const taken = new Uint8Array(count);
    for (let at = 0; at < count; ) {
      if (this.#part.length === 0) {
        const { done, value } = await this.parts.next();
        if (done) return undefined;
        this.#part = value;
        continue;
      }
      const own = this.#part.subarray(0, count - at);
      taken.set(own, at);
      at += own.length;
      this.#part = this.#part.subarray(own.length);
    }
    return taken;
  }
}
