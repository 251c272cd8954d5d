/**
 * Room for made nodes in the memory of assembly/hash, which hashes and packs them in place. A room is used by
 * one writer after the other; where the engine has no Wasm with SIMD there is none, and JavaScript does the same work.
 */
import type { Sha256 } from "../../base/types/types.js";
import { CHUNK_BYTES_TARGET, type ChunkSink } from "./chunk.js";
import type { IavlHasher } from "./iavl-hash.js";
import { innerIndex, MadeNodes, type NodeArrays, TOP } from "./made-nodes.js";
import type { NodeFinisher } from "./node-output.js";
import { hashModule } from "./sha256-lanes.js";

interface Exports {
  readonly memory: WebAssembly.Memory;
  nodesPtr(): number;
  finishNodes(
    ...numbers: readonly [
      refs: number,
      sizes: number,
      hashes: number,
      keys: number,
      heights: number,
      kept: number,
      arena: number,
      free: number,
      inners: number,
      link: number,
      version: number,
      nextChunk: number,
      chunkBytes: number,
    ]
  ): number;
}

const PAGE_BYTES = 65_536;
/** A room that one long commit made greater than this is not used again. */
const KEPT_BYTES_MAX = 16 * 1_048_576;

/** Made nodes whose arrays are in the module's memory: refs, sizes, hashes, keys, heights, marks, then the arena. */
export class RoomNodes extends MadeNodes {
  /** Inner nodes that `finish` leaves alone: a byte each. */
  kept!: Uint8Array;

  constructor(private readonly room: NodeRoom) {
    super(room.arrays());
    this.#point();
  }

  protected override makeRoomForNodes(): void {
    const old = new Uint8Array(this.room.memory.buffer, this.arena.byteOffset, this.arenaUsed).slice();
    const { refs, sizes, hashes, keys, heights } = this;
    const before = [refs.slice(), sizes.slice(), hashes.slice(), keys.slice(), heights.slice()] as const;
    this.room.capacity *= 2;
    this.room.reserve(this.room.arenaAt + this.arena.length);
    this.#point();
    this.refs.set(before[0]);
    this.sizes.set(before[1]);
    this.hashes.set(before[2]);
    this.keys.set(before[3]);
    this.heights.set(before[4]);
    this.kept.fill(0);
    this.arena.set(old);
  }

  protected override makeRoomInArena(bytes: number): void {
    this.room.reserve(this.room.arenaAt + Math.max(bytes, 2 * this.arena.length));
    this.#point();
  }

  /** After the memory has grown the old views are empty. */
  refresh(): void {
    if (this.refs.length === 0) this.#point();
  }

  #point(): void {
    Object.assign(this, this.room.arrays());
    this.kept = this.room.marks();
  }
}

export class NodeRoom {
  readonly memory: WebAssembly.Memory;
  readonly #exports: Exports;
  readonly #base: number;
  #sink: ChunkSink | undefined;
  /** Inner nodes. */
  capacity = 1_024;

  private constructor(module: WebAssembly.Module, sha256: Sha256) {
    const view = (at: number, length: number) => new Uint8Array(this.memory.buffer, at, length);
    const host = {
      emit: (chunk: number, at: number, length: number) => this.#sink?.put(chunk, view(at, length)),
      digest: (at: number, length: number, to: number) => view(to, 32).set(sha256(view(at, length))),
    };
    const exports: unknown = new WebAssembly.Instance(module, { host }).exports;
    this.#exports = exports as Exports;
    this.memory = this.#exports.memory;
    this.#base = this.#exports.nodesPtr();
    this.reserve(this.arenaAt + PAGE_BYTES);
  }

  static open(sha256: Sha256): NodeRoom | undefined {
    const module = hashModule();
    return module && new NodeRoom(module, sha256);
  }

  /** Is it small enough to be kept for the next writer? */
  get isKept(): boolean {
    return this.memory.buffer.byteLength <= KEPT_BYTES_MAX;
  }

  // By inner node: 16 bytes of refs, 16 of sizes, 64 of hashes, 8 of keys, 2 of heights, 1 mark; rounded up.
  get arenaAt(): number {
    return (this.#base + 107 * this.capacity + 15) & ~15;
  }

  arrays(): NodeArrays {
    const { buffer } = this.memory;
    const n = this.capacity;
    const at = this.#base;
    return {
      refs: new Float64Array(buffer, at, 2 * n),
      sizes: new Float64Array(buffer, at + 16 * n, 2 * n),
      hashes: new Uint8Array(buffer, at + 32 * n, 64 * n),
      keys: new Float64Array(buffer, at + 96 * n, n),
      heights: new Uint8Array(buffer, at + 104 * n, 2 * n),
      arena: new Uint8Array(buffer, this.arenaAt),
    };
  }

  marks(): Uint8Array {
    return new Uint8Array(this.memory.buffer, this.#base + 106 * this.capacity, this.capacity);
  }

  reserve(end: number): void {
    const missing = end - this.memory.buffer.byteLength;
    if (missing > 0) this.memory.grow(Math.ceil(missing / PAGE_BYTES));
  }

  /** Finishes the nodes below a link, except the marked ones, and returns the number of the next chunk. */
  finish(nodes: RoomNodes, link: number, version: number, nextChunk: number, sink: ChunkSink): number {
    this.#sink = sink;
    const n = this.capacity;
    const at = this.#base;
    const arrays = [at, at + 16 * n, at + 32 * n, at + 96 * n, at + 104 * n, at + 106 * n, this.arenaAt] as const;
    const free = this.arenaAt + nodes.arenaUsed;
    const next = this.#exports.finishNodes(...arrays, free, nodes.count, link, version, nextChunk, CHUNK_BYTES_TARGET);
    this.#sink = undefined;
    nodes.refresh();
    return next;
  }
}

/** Rooms that wait for the next writer. */
const FREE = new WeakMap<IavlHasher, NodeRoom>();

/** Finishes nodes in a room. */
export class RoomOutput implements NodeFinisher {
  readonly nodes: RoomNodes;
  #nextChunk: number;

  private constructor(
    private readonly room: NodeRoom,
    private readonly sink: ChunkSink,
    private readonly hasher: IavlHasher,
    private readonly version: number,
  ) {
    this.nodes = new RoomNodes(room);
    this.#nextChunk = sink.nextChunk;
  }

  /** Undefined where there are no rooms. */
  static open(sink: ChunkSink, hasher: IavlHasher, version: number): RoomOutput | undefined {
    const room = FREE.get(hasher) ?? NodeRoom.open(hasher.sha256);
    FREE.delete(hasher);
    return room && new RoomOutput(room, sink, hasher, version);
  }

  finish(keep: Float64Array): void {
    const { kept } = this.nodes;
    for (const ref of keep) kept[innerIndex(ref)] = 1;
    this.#nextChunk = this.room.finish(this.nodes, TOP, this.version, this.#nextChunk, this.sink);
    for (const ref of keep) this.nodes.kept[innerIndex(ref)] = 0;
  }

  release(): void {
    if (this.room.isKept) FREE.set(this.hasher, this.room);
  }
}
