/** One store of an open multistore: its last committed tree, the branch that gathers the block's writes, its next tree. */

import { PROGRESS_PAIRS } from "../../../base/types/limits.js";
import type { OnProgress, ProgressPhase } from "../../../base/types/types.js";
import { CacheKVStore } from "../../branch/kv/cache-kv.js";
import { IavlReader } from "../../branch/kv/iavl-reader.js";
import type { SpillSpace } from "../../branch/spill/spill-space.js";
import type { RootLink } from "../../commitment/chunk.js";
import type { IavlHasher } from "../../commitment/iavl-hash.js";
import { TreeWriter } from "../../commitment/tree-writer.js";
import { type ChunkSpace, StoreChunks } from "../disk/chunk-space.js";
import type { StoreState } from "./commit-record.js";
import { losesAll } from "./loses-all.js";
import { OrphanLists } from "./orphans.js";
import type { StorePlan } from "./store-upgrades.js";

/** What staging a store gives. */
export interface StagedStore {
  readonly state: StoreState;
  /** How many nodes it leaves behind. */
  readonly orphans: number;
  /** Number of the store on disk that it leaves behind as a whole. */
  readonly gone?: number;
}

/** Root hash of a store before and after a commit; before: of the store it is renamed from, undefined when it is new. */
export interface RootChange {
  readonly before: Uint8Array | undefined;
  readonly after: Uint8Array;
}

export class OpenStore {
  readonly name: string;
  readonly branch: CacheKVStore;
  /** What the branch is over: the store as the store loader left it. */
  readonly reader: IavlReader;
  /** Hash of the store, or of the one it is renamed from, in the last commit. */
  hashBefore: Uint8Array | undefined;
  #chunks: StoreChunks;
  #root: RootLink;
  #nextChunk: number;
  #stagedWrites = 0;
  /** The tree whose pairs the next commit inserts first. */
  #renamedFrom: IavlReader | undefined;

  /**
   * `number`: the one a new store gets; `spill`: where branches spill writes; `restartPairs`: a store of as many
   * pairs that loses all of them in one commit goes on under a number of its own.
   */
  constructor(
    private readonly space: ChunkSpace,
    private readonly hasher: IavlHasher,
    { name, stored, renamedFrom }: StorePlan,
    number: number,
    spill: SpillSpace | undefined,
    private readonly restartPairs: number,
    private readonly onProgress?: OnProgress,
  ) {
    this.name = name;
    this.#nextChunk = stored?.nextChunk ?? 1;
    this.#chunks = new StoreChunks(space, stored?.number ?? number, this.#nextChunk);
    this.#root = stored?.root ?? { id: 0, size: 0, height: 0, hash: hasher.empty() };
    this.#renamedFrom =
      renamedFrom &&
      new IavlReader(new StoreChunks(space, renamedFrom.number, renamedFrom.nextChunk), renamedFrom.root, spill);
    this.reader = this.#renamedFrom ?? new IavlReader(this.#chunks, this.#root, spill);
    this.branch = new CacheKVStore(this.reader);
    this.hashBefore = (renamedFrom ?? stored)?.root.hash;
  }

  get number(): number {
    return this.#chunks.store;
  }

  /** Makes and hashes the tree of `version`. `nextStore`: the number that a store which begins again would get. */
  stage(version: number, nextStore: number): StagedStore {
    if (this.#root.size >= this.restartPairs && !this.#renamedFrom && losesAll(this.reader.tree, this.branch)) {
      return this.#beginAgain(nextStore);
    }
    const orphans = new OrphanLists(this.space, this.number, version - 1, this.#nextChunk);
    const root = this.#isUnchanged() ? this.#root : this.#makeTree(version, orphans);
    this.#stagedWrites = this.branch.writes;
    const { name, number } = this;
    return { state: { name, number, root, nextChunk: this.#chunks.nextChunk }, orphans: orphans.count };
  }

  /**
   * A store without any pair: nobody needs to take the old tree apart node by node, and it is given up as one piece, in
   * the way of a store that is deleted.
   */
  #beginAgain(number: number): StagedStore {
    this.#stagedWrites = this.branch.writes;
    const root = { id: 0, size: 0, height: 0, hash: this.hasher.empty() };
    return { state: { name: this.name, number, root, nextChunk: 1 }, orphans: 0, gone: this.number };
  }

  /** Was nothing written since it was staged? */
  get isAsStaged(): boolean {
    return this.branch.writes === this.#stagedWrites;
  }

  /** Gives up what was staged. */
  unstage(): void {
    this.#chunks.rewind(this.#nextChunk);
  }

  /** What was staged is committed. */
  advance({ number, root, nextChunk }: StoreState): void {
    if (number !== this.number) this.#chunks = new StoreChunks(this.space, number, nextChunk);
    this.#root = root;
    this.#nextChunk = nextChunk;
    this.#renamedFrom = undefined;
    this.hashBefore = root.hash;
    this.reader.moveTo(this.#chunks, root);
    this.branch.discard();
  }

  #isUnchanged(): boolean {
    return this.branch.isEmpty && !this.#renamedFrom;
  }

  #makeTree(version: number, orphans: OrphanLists): RootLink {
    const writer = new TreeWriter(this.#chunks, this.#chunks, this.hasher, this.#root, version);
    if (this.#renamedFrom) {
      const pair = this.#renamedFrom._cursor(undefined, undefined, false);
      const tick = this.#ticker("rename", this.#renamedFrom.tree.root.size);
      while (pair.step()) {
        writer.set(pair.bytes, pair.keyAt, pair.keyLen, pair.bytes, pair.valueAt, pair.valueLen);
        tick();
      }
    }
    const write = this.branch.pending();
    const tick = this.#ticker("trees", this.branch.pendingCount);
    while (write.step()) {
      tick();
      write.loadValue();
      const { bytes, keyAt, keyLen, valueAt, valueLen } = write;
      if (write.isDeleted) writer.remove(bytes, keyAt, keyLen);
      else writer.set(bytes, keyAt, keyLen, bytes, valueAt, valueLen);
      orphans.takeMany(writer.orphans);
    }
    const root = writer.finish();
    orphans.finish(writer.orphans);
    return root;
  }

  /** Counts pairs and reports now and then. */
  #ticker(phase: ProgressPhase, total: number): () => void {
    const { onProgress, name } = this;
    let done = 0;
    return () => {
      if (++done % PROGRESS_PAIRS === 0) onProgress?.(phase, name, Math.min(done, total), total);
    };
  }
}
