/** The tree after a block's writes: of a whole tree while it is recorded, and of a witness. Nothing is kept. */
import { Chunk, type ChunkSink, type ChunkSource, chunkOf, type RootLink } from "../commitment/chunk.js";
import type { IavlHasher } from "../commitment/iavl-hash.js";
import { Tree, type TreeCursor } from "../commitment/tree.js";
import { TreeWriter } from "../commitment/tree-writer.js";
import type { TreeAt } from "./types.js";

/** Writes in ascending order of keys: `pending()` of a branch is one. */
export interface WriteCursor {
  readonly bytes: Uint8Array;
  readonly keyAt: number;
  readonly keyLen: number;
  readonly valueAt: number;
  readonly valueLen: number;
  readonly isDeleted: boolean;
  step(): boolean;
  loadValue?(): void;
}

/** A tree whose reads are noted: a `StoreRecorder`. */
export interface NotedTree extends TreeAt {
  /** Is called with each key that is written and was absent. */
  note?(key: Uint8Array): void;
}

export interface NextTreeOptions {
  readonly hasher: IavlHasher;
  /** Height of the block. */
  readonly version: number;
  /** The store is renamed in this block: its tree begins empty, and all pairs of `tree` are set before the writes. */
  readonly isRenamed?: boolean;
}

/** Nodes that a writer makes, over those of the tree before. */
class NextChunks implements ChunkSource, ChunkSink {
  readonly #first: number;
  readonly #made: Chunk[] = [];

  constructor(private readonly before: TreeAt) {
    // Children have smaller ids than their parents: no node of the tree before is in a later chunk than its root.
    this.#first = chunkOf(before.root.id) + 1;
  }

  get nextChunk(): number {
    return this.#first + this.#made.length;
  }

  put(_number: number, bytes: Uint8Array): void {
    this.#made.push(new Chunk(bytes.slice()));
  }

  chunk(number: number): Chunk {
    return this.#made[number - this.#first] ?? this.before.source.chunk(number);
  }
}

/**
 * The next tree, with `writes` over `tree`: its root, and where its nodes are. The root's hash is to be compared with one
 * that a header proves: of a witness's stubs only what hashes cover is known (docs/witness.md, "New roots").
 */
export function nextTree(tree: NotedTree, writes: WriteCursor, options: NextTreeOptions): TreeAt {
  const { hasher, version, isRenamed = false } = options;
  const chunks = new NextChunks(tree);
  const before: RootLink = isRenamed ? { id: 0, size: 0, height: 0, hash: hasher.empty() } : tree.root;
  const writer = new TreeWriter(chunks, chunks, hasher, before, version);
  if (isRenamed) setAll(writer, new Tree(tree.source, tree.root).cursor(undefined, undefined, false));
  let isWritten = isRenamed;
  for (; writes.step(); isWritten = true) {
    writes.loadValue?.();
    const { bytes, keyAt, keyLen, valueAt, valueLen } = writes;
    const wasPresent = writes.isDeleted
      ? writer.remove(bytes, keyAt, keyLen)
      : writer.set(bytes, keyAt, keyLen, bytes, valueAt, valueLen);
    if (!wasPresent) tree.note?.(bytes.slice(keyAt, keyAt + keyLen));
  }
  return { source: chunks, root: isWritten ? writer.finish() : before };
}

function setAll(writer: TreeWriter, pair: TreeCursor): void {
  while (pair.step()) writer.set(pair.bytes, pair.keyAt, pair.keyLen, pair.bytes, pair.valueAt, pair.valueLen);
}
