/**
 * The sets that decide blocks, beside the blocks. A set is stored at the first height that it decides and now and then
 * after that; in between it is rotated, as CometBFT's state store does.
 *   b d height   `tendermint.types.ValidatorSet`, as it is at this height
 */
import { bigEndian64, concatBytes } from "../../base/text/bytes.js";
import type { Height } from "../../base/types/types.js";
import {
  decodeValidatorSet,
  encodeValidatorSet,
  rotateProposer,
  type ValidatorSet,
} from "../../chain/comet-types/validator-set.js";
import type { Batch, Database } from "../../state/store/disk/database.js";
import { BLOCKS_PREFIX } from "../../state/store/disk/keys.js";

const SETS = Uint8Array.of(BLOCKS_PREFIX, "d".charCodeAt(0));
const SETS_END = Uint8Array.of(BLOCKS_PREFIX, "e".charCodeAt(0));
/** A set is stored again after so many heights, so that a look at one height is quick. */
const CHECKPOINT_BLOCKS = 1_000n;

const keyOf = (height: Height) => concatBytes(SETS, bigEndian64(height));
const heightOf = (key: Uint8Array) => new DataView(key.buffer, key.byteOffset).getBigUint64(SETS.length);

export class ValidatorStore {
  constructor(private readonly database: Database) {}

  /** The set that decides a height; undefined: it is not known, for the height is lower than all that are stored. */
  at(height: Height): ValidatorSet | undefined {
    const stored = this.storedFor(height);
    if (!stored) return undefined;
    const { from, set } = stored;
    return height === from || set.validators.length < 2 ? set : rotateProposer(set, Number(height - from));
  }

  /** The same as it is stored: its members and their powers, with the turns of the height `from`. */
  storedFor(height: Height): { readonly from: Height; readonly set: ValidatorSet } | undefined {
    const from = this.#before(height);
    const bytes = from === undefined ? undefined : this.database.get(keyOf(from));
    return from === undefined || !bytes ? undefined : { from, set: decodeValidatorSet(bytes) };
  }

  /** To be stored beside the block before: the set of `height`, where it says more than what is stored. */
  put(batch: Batch, height: Height, set: ValidatorSet, isChanged: boolean): void {
    const isDue = set.validators.length > 1 && height % CHECKPOINT_BLOCKS === 0n;
    if (isChanged || isDue) batch.put(keyOf(height), encodeValidatorSet(set));
  }

  /** Takes out what block `height` stored: the set of the height after it, and its own when it was the first. */
  remove(batch: Batch, height: Height): void {
    if (this.#before(height - 1n) === undefined) batch.remove(keyOf(height));
    batch.remove(keyOf(height + 1n));
  }

  /** Removes sets that decide no block from `lowest` on, the oldest first, at most so many. */
  removeBelow(batch: Batch, lowest: Height, most: number): void {
    const needed = this.#before(lowest);
    if (needed === undefined) return;
    for (const key of this.database.keys({ start: SETS, end: keyOf(needed), limit: most })) batch.remove(key);
  }

  /** How many are stored. */
  count(): number {
    let count = 0;
    for (const _ of this.database.keys({ start: SETS, end: SETS_END })) count++;
    return count;
  }

  /** The greatest stored height that is not greater. */
  #before(height: Height): Height | undefined {
    const [key] = this.database.keys({ start: SETS, end: keyOf(height + 1n), reverse: true, limit: 1 });
    return key && heightOf(key);
  }
}
