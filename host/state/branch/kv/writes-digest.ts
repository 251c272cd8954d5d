/** One digest of all that a branch would write: the same on every machine that runs the same handler over the same stores. */
import { sha256Stream } from "../../../base/native/required-sha256.js";
import type { Sha256 } from "../../../base/types/types.js";
import type { CacheKVStore } from "./cache-kv.js";

/**
 * SHA-256 over the last write to each key, ascending by key, each as an output frame of store 0 (docs/abi.md): a put is
 * `u32 klen, u32 vlen, key, value`, a deletion `u32 1 << 30 | klen, key`. In little memory, however much was spilled.
 * @throws UpgradeError UPG_STORE_IO
 */
export function writesDigest(branch: CacheKVStore, sha256: Sha256): Uint8Array {
  const hash = sha256Stream(sha256);
  branch.eachFrames((frames) => hash.update(frames));
  return Uint8Array.from(hash.digest());
}
