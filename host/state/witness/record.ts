/**
 * Notes which parts of a tree are looked at, so that a witness can have these and no others. Every visit of a node passes
 * `Chunk.at`, so a source whose chunks note that sees all of it: reads, walks, and the making of the next tree.
 *
 * What an absent key needs besides is in `note`: the two leaves that it lies between.
 */
import { IavlReader } from "../branch/kv/iavl-reader.js";
import type { PairCursor } from "../branch/kv/pair-cursor.js";
import type { SpillSpace } from "../branch/spill/spill-space.js";
import { Chunk, type ChunkSource, chunkOf, type RootLink, SLOTS_PER_CHUNK, slotOf } from "../commitment/chunk.js";
import { NodeView, Tree } from "../commitment/tree.js";
import { encodeTree } from "./encode-tree.js";
import type { PartialTree, TreeAt } from "./types.js";

/** Slots of a chunk that were visited, a bit each. */
type Visits = Uint8Array;
const VISITS_BYTES = SLOTS_PER_CHUNK / 8;

class NotingChunk extends Chunk {
  constructor(
    bytes: Uint8Array,
    private readonly visits: Visits,
  ) {
    super(bytes);
  }

  override at(slot: number): number {
    const byte = slot >> 3;
    this.visits[byte] = (this.visits[byte] ?? 0) | (1 << (slot & 7));
    return super.at(slot);
  }
}

class NotingSource implements ChunkSource {
  readonly #visits = new Map<number, Visits>();
  /** By the chunk that it is of: how long chunks are held is for the source to say. */
  readonly #noting = new WeakMap<Chunk, NotingChunk>();

  constructor(private readonly source: ChunkSource) {}

  chunk(number: number): Chunk {
    const chunk = this.source.chunk(number);
    const known = this.#noting.get(chunk);
    if (known) return known;
    const noting = new NotingChunk(chunk.bytes, this.#visitsOf(number));
    this.#noting.set(chunk, noting);
    return noting;
  }

  isVisited(id: number): boolean {
    const slot = slotOf(id);
    return (((this.#visits.get(chunkOf(id))?.[slot >> 3] ?? 0) >> (slot & 7)) & 1) === 1;
  }

  #visitsOf(number: number): Visits {
    let visits = this.#visits.get(number);
    if (!visits) {
      visits = new Uint8Array(VISITS_BYTES);
      this.#visits.set(number, visits);
    }
    return visits;
  }
}

/** A tree whose reads are noted, for one witness. Its own `source` and `root` are for a `TreeWriter`, `reader` for branches. */
export class StoreRecorder implements TreeAt {
  readonly source: ChunkSource;
  readonly reader: IavlReader;
  readonly #noting: NotingSource;
  readonly #tree: Tree;

  constructor(
    private readonly original: ChunkSource,
    readonly root: RootLink,
    spill?: SpillSpace,
  ) {
    this.#noting = new NotingSource(original);
    this.source = this.#noting;
    this.#tree = new Tree(this.#noting, root);
    this.reader = new NotingReader(this, spill);
    if (root.id !== 0) new NodeView(this.#noting).go(root.id);
  }

  /**
   * A key that was asked for or is written. When the tree has it, its leaf is opened; when not, the two leaves that it lies
   * between. Call it for every key that `reader` does not see, and for each that a `TreeWriter` found absent.
   */
  note(key: Uint8Array): void {
    this.#tree.cursor(key, undefined, false).step();
  }

  /** What was looked at up to now. */
  finish(): PartialTree {
    return encodeTree(this.original, this.root, (id) => this.#noting.isVisited(id));
  }
}

/** A reader that also notes the bounds of ranges and the keys that are absent. */
class NotingReader extends IavlReader {
  constructor(
    private readonly recorder: StoreRecorder,
    spill: SpillSpace | undefined,
  ) {
    super(recorder.source, recorder.root, spill);
  }

  override _get(key: Uint8Array): Uint8Array | undefined {
    const value = super._get(key);
    if (value === undefined) this.recorder.note(key);
    return value;
  }

  override _has(key: Uint8Array): boolean {
    const has = super._has(key);
    if (!has) this.recorder.note(key);
    return has;
  }

  override pairCount(start: Uint8Array | undefined, end: Uint8Array | undefined): number {
    if (start) this.recorder.note(start);
    if (end) this.recorder.note(end);
    return super.pairCount(start, end);
  }

  override _cursor(start: Uint8Array | undefined, end: Uint8Array | undefined, reverse: boolean): PairCursor {
    const bound = reverse ? end : start;
    if (bound) this.recorder.note(bound);
    return super._cursor(start, end, reverse);
  }
}

/** Begins to record what is read of a tree. */
export function recordStore(source: ChunkSource, root: RootLink, spill?: SpillSpace): StoreRecorder {
  return new StoreRecorder(source, root, spill);
}
