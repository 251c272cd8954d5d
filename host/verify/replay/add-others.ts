/**
 * Puts what else a block wrote over what the handler and the core left. Each of these writes must change something: a list
 * that leads to the app hash with a write and without it would prove nothing of that write.
 */

import { equalBytes } from "../../base/text/bytes.js";
import type { CacheKVStore } from "../../state/branch/kv/cache-kv.js";
import { malformed } from "../../state/witness/byte-reader.js";
import type { FinalWrite, StoreWrites } from "../../state/witness/types.js";

export interface OthersInput extends StoreWrites {
  /** The store after the handler's writes and the core's. */
  readonly branch: CacheKVStore;
  /** The store is renamed in the block: all its pairs are written again. */
  readonly isRenamed: boolean;
  /** A key that the core writes after all others, so that nobody else's write of it is left. */
  readonly last?: Uint8Array | undefined;
}

/** @throws UpgradeError UPG_WITNESS_MALFORMED, UPG_WITNESS_HIDDEN */
export function addOthers({ store, writes, branch, isRenamed, last }: OthersInput): void {
  for (const write of writes) {
    const { key, value } = write;
    if (last && equalBytes(key, last))
      throw malformed(`it lists another write of the receipt, which the core writes last`);
    if (!changes(branch, write, isRenamed))
      throw malformed(`it lists a write of store "${store}" that changes nothing`);
    if (value) branch.set(key, value);
    else branch.delete(key);
  }
}

/** A pair that nobody has written yet is changed by its own value, too: the version of its leaf is hashed. */
function changes(branch: CacheKVStore, { key, value }: FinalWrite, isRenamed: boolean): boolean {
  if (value === undefined) return branch.has(key);
  if (!isRenamed && !branch.touches(key)) return true;
  const left = branch.get(key);
  return left === undefined || !equalBytes(left, value);
}
