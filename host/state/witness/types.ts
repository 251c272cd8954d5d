/** The shapes of witnesses: the part of a state that an upgrade touches, with what binds it to the state's app hash. */

import type { Sha256 } from "../../base/types/types.js";
import type { ChunkSource, RootLink } from "../commitment/chunk.js";

/** A tree at one version: where its nodes are, and its root. */
export interface TreeAt {
  readonly source: ChunkSource;
  readonly root: RootLink;
}

/** What was recorded of a store's tree: nodes in preorder, as docs/witness.md has them. */
export interface PartialTree {
  /** Root hash of the whole tree. */
  readonly hash: Uint8Array;
  readonly bytes: Uint8Array;
  /** Leaves that are open: all pairs that a reader of the witness sees. */
  readonly leaves: number;
  /** Subtrees of which only the hash is known. */
  readonly stubs: number;
}

/** A store before the block, as it goes into a witness. */
export interface StoreBefore {
  readonly name: string;
  readonly hash: Uint8Array;
  /** Undefined: the block's upgrade does not touch the store. */
  readonly tree: PartialTree | undefined;
}

/** One of the final writes of a block: `value` undefined deletes the key. */
export interface FinalWrite {
  readonly key: Uint8Array;
  readonly value: Uint8Array | undefined;
}

/** Writes of one store in ascending order of keys, each key once. */
export interface StoreWrites {
  readonly store: string;
  readonly writes: readonly FinalWrite[];
}

/** What a witness says besides its stores. Nothing of it is believed before a header proves the app hash that it leads to. */
interface WitnessHead {
  readonly chainId: string;
  /** Name of the plan. */
  readonly plan: string;
  /** Height of the block that applies the plan: the stores are those of the height before. */
  readonly height: bigint;
  /** Final writes of the block that are neither the handler's nor the core's, ascending by store. */
  readonly others: readonly StoreWrites[];
}

/** What `encodeWitness` takes: all stores of the app at the height before the block, ascending by name. */
export interface WitnessContents extends WitnessHead {
  readonly stores: readonly StoreBefore[];
}

/** A store of a decoded witness: `Tree`, `IavlReader` and `TreeWriter` run on it as on a whole one. */
export interface WitnessStore extends TreeAt {
  readonly name: string;
  /** Root hash, equal to what the open nodes hash to. */
  readonly hash: Uint8Array;
  /** False: the witness has the hash only, and `source` and `root` throw UPG_WITNESS_HIDDEN. */
  readonly isOpen: boolean;
  /** Leaves and stubs of the partial tree. */
  readonly leaves: number;
  readonly stubs: number;
}

/** A decoded witness: each open store's nodes hash to its root, the stores' roots to the app hash. */
export interface Witness extends WitnessHead {
  /** Of the state before the block: what the header of `height` has as its app hash. */
  readonly appHash: Uint8Array;
  readonly stores: readonly WitnessStore[];
}

export interface DecodeOptions {
  readonly sha256: Sha256;
  /** A longer witness is refused before anything is made of it. */
  readonly maxBytes: number;
  /** What a trusted header of `height` says: another one is refused before any tree is read. */
  readonly appHash?: Uint8Array | undefined;
}
