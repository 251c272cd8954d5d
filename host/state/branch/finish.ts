/** The end of a branch that functions of modules have had: what they kept of it is of no use to them afterwards. */
import { keptStore } from "../../base/errors/synchronous.js";
import type { CacheMultiStore } from "./kv/cache-multi-store.js";

/** Hands all of it to the parent, and ends its use. */
export function finish(branch: CacheMultiStore): void {
  branch.write();
  branch.close(keptStore);
}

/** Ends its use. What was not written is dropped. */
export function drop(branch: CacheMultiStore): void {
  branch.close(keptStore);
}
