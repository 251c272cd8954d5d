// Reading the module's own store: single 8-byte records, and walks over all records under one prefix.
// What this program would not have written is corruption: it is named, never guessed at.
import { compare, isUtf8, loadBE64, storeBE64 } from "../shared/bytes";
import { ABSENT, UPG_STORE_CORRUPT } from "./codes";
import * as error from "./error";
import * as keys from "./keys";
import * as kv from "./kv";
import { MODULE_NAME_BYTES_MAX } from "./limits";

const KEY_BYTES_MAX: u32 = 1 + MODULE_NAME_BYTES_MAX;
const cell: usize = memory.data(8);

function beginCorrupt(what: string, key: usize, keyLen: u32): void {
  error.begin(UPG_STORE_CORRUPT);
  error.text('store "upgrade": ');
  error.text(what);
  error.hex(key, min(keyLen, KEY_BYTES_MAX));
  if (keyLen > KEY_BYTES_MAX) error.text("...");
}

/** -UPG_STORE_CORRUPT: the value of this key has `size` bytes, `why` that is wrong. */
export function corrupt(key: usize, keyLen: u32, size: u32, why: string): i32 {
  beginCorrupt("the value of key ", key, keyLen);
  error.text(" has ");
  error.unsigned(size);
  error.text(why);
  return error.end();
}

/** The number that the last successful `read` or `step` found. */
export let value: u64 = 0;

/** Reads the 8-byte record whose key was composed in `keys`: 0, -ABSENT or -UPG_STORE_CORRUPT. */
export function read(): i32 {
  const size = kv.get(keys.ptr(), keys.len(), cell, 8);
  if (size == -ABSENT) return -ABSENT;
  if (size != 8) return corrupt(keys.ptr(), keys.len(), size, " bytes, expected 8");
  value = loadBE64(cell);
  return 0;
}

/** Is the number found a height? 0, or what is corrupt about this key's value. */
export function checkHeight(key: usize, keyLen: u32): i32 {
  if (value > 0 && value <= <u64>i64.MAX_VALUE) return 0;
  beginCorrupt("the value of key ", key, keyLen);
  error.text(" is ");
  error.unsigned(value);
  error.text(", which is not a height");
  return error.end();
}

/** Writes an 8-byte record under the key composed in `keys`. */
export function write(number: u64): void {
  storeBE64(cell, number);
  kv.set(keys.ptr(), keys.len(), cell, 8);
}

// A walk: `rewind(prefix)`, then `step()` until it returns 0. Writing to keys that the walk has passed is allowed.
/** Holds every key that a store can have, so that a corrupt one can be named. */
const FOUND_BYTES: u32 = 65_552;
const found: usize = memory.data(65_552);
const start: usize = memory.data(1 + 140 + 1);
const stop: usize = memory.data(1);
let startLen: u32 = 0;

/** Name of the record that `step` found, one byte after its key's start; valid until the next `step`. */
export let namePtr: usize = 0;
export let nameLen: u32 = 0;

export function rewind(prefix: u8): void {
  store<u8>(start, prefix);
  startLen = 1;
  store<u8>(stop, prefix + 1);
}

/** A value so long that not even its key could be read. */
function corruptPair(size: u32): i32 {
  beginCorrupt("the first pair at or behind key ", start, startLen);
  error.text(" takes ");
  error.unsigned(size - 8);
  error.text(" bytes, expected at most 149");
  return error.end();
}

function corruptName(key: usize, keyLen: u32): i32 {
  beginCorrupt("key ", key, keyLen);
  error.text(" has ");
  error.unsigned(keyLen);
  error.text(" bytes, expected 2 to 141 with a name in UTF-8");
  return error.end();
}

/** 1: `namePtr`, `nameLen`, `value` are set; 0: no more; below 0: corruption. */
export function step(): i32 {
  const size = kv.seek(start, startLen, stop, 1, found, FOUND_BYTES);
  if (size == -ABSENT) return 0;
  if (<u32>size > FOUND_BYTES) return corruptPair(size);
  const keyLen = load<u32>(found);
  const valueLen = load<u32>(found, 4);
  const key = found + 8;
  // A host that returns anything else could hold the walk in a circle.
  assert(
    <u64>keyLen + <u64>valueLen + 8 == <u64>size &&
      compare(key, keyLen, start, startLen) >= 0 &&
      compare(key, keyLen, stop, 1) < 0,
    "the host's kv.seek answered with a pair outside of the range",
  );
  if (keyLen < 2 || keyLen > KEY_BYTES_MAX || !isUtf8(key + 1, keyLen - 1)) return corruptName(key, keyLen);
  if (valueLen != 8) return corrupt(key, keyLen, valueLen, " bytes, expected 8");
  namePtr = key + 1;
  nameLen = keyLen - 1;
  value = loadBE64(key + keyLen);
  // The next key in byte order after this one is this one with a zero byte after it.
  memory.copy(start, key, keyLen);
  store<u8>(start + keyLen, 0);
  startLen = keyLen + 1;
  return 1;
}
