/** Records of one kind in a module's store: all under one prefix, so they can be listed in parts. */
import { prefixEnd } from "../../base/text/bytes.js";
import type { KVReader } from "../../base/types/types.js";

export interface Records<T> {
  readonly prefix: Uint8Array;
  /** `key` is what follows the prefix. @throws UpgradeError UPG_STORE_CORRUPT */
  read(value: Uint8Array, key: Uint8Array): T;
}

/** All of them, ascending by key. */
export function* allRecords<T>(store: KVReader, { prefix, read }: Records<T>): Generator<T> {
  for (const [key, value] of store.iterate({ start: prefix, end: prefixEnd(prefix) })) {
    yield read(value, key.subarray(prefix.length));
  }
}
