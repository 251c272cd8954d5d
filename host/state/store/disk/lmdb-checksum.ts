/**
 * What a value looks like in the file: the value, then four bytes of CRC-32 (the polynomial of zlib, little-endian) over
 * key and value. The key is part of it so that a value which is under another key is found too.
 */

import { crc32 } from "node:zlib";
import { UpgradeError } from "../../../base/errors/errors.js";
import { equalBytes, toHex, utf8 } from "../../../base/text/bytes.js";
import { PROGRAM } from "../../../base/text/program-text.js";

const CHECKSUM_BYTES = 4;

const FIRST_BUFFER_BYTES = 32_768;

/** The format record of databases without checksums: product (field 1) and format (field 2) in protobuf. */
const FORMAT_1_RECORD = Uint8Array.of(0x0a, 13, ...utf8("chain-upgrade"), 0x10, 1);

/** Adds checksums. One buffer is used again for every value, so a bulk load allocates nothing. */
export class ChecksumWriter {
  #buffer = Buffer.allocUnsafeSlow(FIRST_BUFFER_BYTES);

  /** The value as it goes into the file, valid until the next call. */
  sealed(key: Uint8Array, value: Uint8Array): Buffer {
    const length = value.length + CHECKSUM_BYTES;
    if (this.#buffer.length < length) this.#buffer = Buffer.allocUnsafeSlow(Math.max(length, 2 * this.#buffer.length));
    this.#buffer.set(value);
    this.#buffer.writeUInt32LE(checksum(key, value), value.length);
    return this.#buffer.subarray(0, length);
  }
}

/** Is this what `sealed` made for this key? */
export function isSealed(key: Uint8Array, stored: Uint8Array): boolean {
  const length = stored.length - CHECKSUM_BYTES;
  return length >= 0 && readChecksum(stored, length) === checksum(key, stored.subarray(0, length));
}

/** The value without its checksum, a view. @throws UpgradeError UPG_STORE_CORRUPT, naming the key */
export function unsealed(key: Uint8Array, stored: Uint8Array): Uint8Array {
  if (isSealed(key, stored)) return stored.subarray(0, stored.length - CHECKSUM_BYTES);
  if (equalBytes(stored, FORMAT_1_RECORD)) {
    throw new UpgradeError(
      "UPG_STORE_VERSION_MISMATCH",
      "the database has format 1, which has no checksums; this program reads format 2 only. Export the state with the " +
        `program that wrote it, and begin a new home with \`${PROGRAM} init --genesis\``,
    );
  }
  throw new UpgradeError(
    "UPG_STORE_CORRUPT",
    `the database's record ${toHex(key)} (${stored.length} bytes) does not match its checksum: the file is damaged. ` +
      `Stop the node, find the extent with \`${PROGRAM} verify\`, and restore the data folder from a copy`,
  );
}

function checksum(key: Uint8Array, value: Uint8Array): number {
  const ofKey = crc32(key);
  // zlib begins again when it is given no bytes at all.
  return value.length === 0 ? ofKey : crc32(value, ofKey);
}

function readChecksum(bytes: Uint8Array, at: number): number {
  return new DataView(bytes.buffer, bytes.byteOffset + at, CHECKSUM_BYTES).getUint32(0, true);
}
