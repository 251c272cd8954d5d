/**
 * Reads a witness (docs/witness.md) and believes none of it: sizes are bounded before anything is made, all nodes are hashed
 * again, and the stores' roots lead to the app hash that a header has.
 */

import { UpgradeError } from "../../base/errors/errors.js";
import { compareBytes, compareText, equalBytes, toUpperHex } from "../../base/text/bytes.js";
import { lastOf } from "../../base/text/checked-index.js";
import { KEY_BYTES_MAX, STORE_NAME_BYTES_MAX, VALUE_BYTES_MAX } from "../../base/types/limits.js";
import { appHash } from "../commitment/app-hash.js";
import { HASH_BYTES, IavlHasher } from "../commitment/iavl-hash.js";
import { ByteReader, malformed } from "./byte-reader.js";
import { closedStore, decodeStore } from "./decode-store.js";
import { digestOf } from "./digest.js";
import { OTHER_WRITES_MAX, STORE_CLOSED, STORE_OPEN, STORES_MAX, WITNESS_MAGIC } from "./format.js";
import { readHead, requireMagic } from "./head.js";
import type { DecodeOptions, FinalWrite, StoreWrites, Witness } from "./types.js";

/** @throws UpgradeError UPG_WITNESS_TOO_LARGE, UPG_WITNESS_MALFORMED, UPG_WITNESS_ROOT */
export function decodeWitness(bytes: Uint8Array, options: DecodeOptions): Witness {
  const { sha256, maxBytes } = options;
  if (bytes.length > maxBytes) {
    const what = `a witness of ${bytes.length} bytes is larger than the ${maxBytes} that are taken here`;
    throw new UpgradeError("UPG_WITNESS_TOO_LARGE", what);
  }
  const hasher = new IavlHasher(sha256);
  const reader = new ByteReader(checkFrame(bytes, hasher));
  const { chainId, plan, height } = readHead(reader);
  const table = readTable(reader);
  const found = appHash(sha256, table);
  requireAppHash(found, options.appHash);
  const stores = table.map(({ name, hash, isOpen }) =>
    isOpen ? decodeStore(name, hash, reader, hasher, height - 1) : closedStore(name, hash),
  );
  const others = readOthers(reader);
  if (reader.left > 0) throw malformed("bytes follow its end");
  return { chainId, plan, height: BigInt(height), appHash: found, stores, others };
}

/** The bytes without the digest at their end. */
function checkFrame(bytes: Uint8Array, hasher: IavlHasher): Uint8Array {
  const end = bytes.length - HASH_BYTES;
  if (end <= WITNESS_MAGIC.length) throw malformed("it does not begin as a witness does");
  requireMagic(bytes);
  const body = bytes.subarray(0, end);
  if (!equalBytes(digestOf(body, hasher), bytes.subarray(end))) throw malformed("its digest is another one");
  return body;
}

interface StoreEntry {
  readonly name: string;
  readonly hash: Uint8Array;
  readonly isOpen: boolean;
}

/** Names and roots, before any tree. */
function readTable(reader: ByteReader): StoreEntry[] {
  const count = reader.uvarint(STORES_MAX, "the number of stores");
  const table: StoreEntry[] = [];
  for (let i = 0; i < count; i++) {
    const name = readName(reader, lastOf(table)?.name);
    const hash = reader.take(HASH_BYTES);
    const state = reader.byte();
    if (state !== STORE_CLOSED && state !== STORE_OPEN) throw malformed(`store "${name}" is neither open nor closed`);
    table.push({ name, hash, isOpen: state === STORE_OPEN });
  }
  return table;
}

function requireAppHash(found: Uint8Array, expected: Uint8Array | undefined): void {
  if (!expected || equalBytes(found, expected)) return;
  const what = `the witness's stores lead to app hash ${toUpperHex(found)}, the header has ${toUpperHex(expected)}`;
  throw new UpgradeError("UPG_WITNESS_ROOT", what);
}

/** Names ascend as the stores of an app hash do, so that none comes twice. */
function readName(reader: ByteReader, before: string | undefined): string {
  const name = reader.text(STORE_NAME_BYTES_MAX, "the name of a store");
  if (before !== undefined && compareText(before, name) >= 0) throw malformed("its stores do not ascend");
  return name;
}

function readOthers(reader: ByteReader): StoreWrites[] {
  const count = reader.uvarint(STORES_MAX, "the number of stores with other writes");
  const others: StoreWrites[] = [];
  for (let i = 0; i < count; i++) {
    const store = readName(reader, lastOf(others)?.store);
    const writes = readWrites(reader);
    if (writes.length === 0) throw malformed(`its list of other writes of store "${store}" is empty`);
    others.push({ store, writes });
  }
  return others;
}

function readWrites(reader: ByteReader): FinalWrite[] {
  const count = reader.uvarint(OTHER_WRITES_MAX, "the number of other writes");
  const writes: FinalWrite[] = [];
  let before: Uint8Array | undefined;
  // No room is made for a number that was only said: each write takes bytes.
  for (let i = 0; i < count; i++) {
    const key = reader.take(reader.uvarint(KEY_BYTES_MAX, "the length of a key"));
    if (key.length === 0) throw malformed("a key is empty");
    if (before && compareBytes(before, key) >= 0) throw malformed("keys do not ascend");
    const length = reader.uvarint(VALUE_BYTES_MAX + 1, "the length of a value");
    writes.push({ key, value: length === 0 ? undefined : reader.take(length - 1) });
    before = key;
  }
  return writes;
}
