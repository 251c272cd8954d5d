/**
 * The first layout of the event index: blocks that a program before layout 2 made. It is read and pruned, never written.
 *   b t hash                      height, place
 *   b k digest height place      nothing; the digest is of an event's `type.key` and value
 */
import { concatBytes, prefixEnd } from "../../base/text/bytes.js";
import type { Height } from "../../base/types/types.js";
import type { Database } from "../../state/store/disk/database.js";
import { BLOCKS_PREFIX } from "../../state/store/disk/keys.js";
import type { HeightRange, TxPlace } from "./postings.js";

const letter = (text: string) => text.charCodeAt(0);
const BY_HASH = Uint8Array.of(BLOCKS_PREFIX, letter("t"));
const BY_EVENT = Uint8Array.of(BLOCKS_PREFIX, letter("k"));
export const FIRST_DIGEST_BYTES = 16;
const KEYS_AT_ONCE = 512;

/** The first part of keys that end with a place: the height alone sorts before all its places. */
function heightBytes(height: Height): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, height);
  return bytes;
}

export function placeBytes({ height, index }: TxPlace): Uint8Array {
  const bytes = new Uint8Array(12);
  const view = new DataView(bytes.buffer);
  view.setBigUint64(0, height);
  view.setUint32(8, index);
  return bytes;
}

export function readPlace(bytes: Uint8Array): TxPlace {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  return { height: view.getBigUint64(0), index: view.getUint32(8) };
}

export function hashKey(hash: Uint8Array): Uint8Array {
  return concatBytes(BY_HASH, hash);
}

export function eventKey(digest: Uint8Array, place: TxPlace): Uint8Array {
  return concatBytes(BY_EVENT, digest, placeBytes(place));
}

export class FirstIndex {
  constructor(private readonly database: Database) {}

  find(hash: Uint8Array): TxPlace | undefined {
    const bytes = this.database.get(hashKey(hash));
    return bytes && readPlace(bytes);
  }

  *places(digest: Uint8Array, range: HeightRange, isDescending: boolean): Generator<TxPlace> {
    const prefix = concatBytes(BY_EVENT, digest);
    for (const each of keysOf(this.database, prefix, range, isDescending))
      yield readPlace(each.subarray(prefix.length));
  }

  has(digest: Uint8Array, place: TxPlace): boolean {
    return this.database.get(eventKey(digest, place)) !== undefined;
  }
}

/** Keys that begin with `prefix` and a height of the range, from the end that is asked for. */
export function* keysOf(
  database: Database,
  prefix: Uint8Array,
  { low, high }: HeightRange,
  reverse: boolean,
): Generator<Uint8Array> {
  let start = concatBytes(prefix, heightBytes(low));
  let end = prefixEnd(concatBytes(prefix, heightBytes(high))) as Uint8Array;
  for (;;) {
    const keys = database.keys({ start, end, reverse, limit: KEYS_AT_ONCE });
    yield* keys;
    const last = keys.at(-1);
    if (keys.length < KEYS_AT_ONCE || !last) return;
    if (reverse) end = last;
    else start = concatBytes(last, Uint8Array.of(0));
  }
}
