/** Chunks in memory: source and sink in one, for trees that are not kept. */

import { UpgradeError } from "../host/base/errors/errors.js";
import { Chunk, type ChunkSink, type ChunkSource } from "../host/state/commitment/chunk.js";

export class MemoryChunks implements ChunkSource, ChunkSink {
  readonly #chunks = new Map<number, Chunk>();
  #next = 1;

  get nextChunk(): number {
    return this.#next;
  }

  put(number: number, bytes: Uint8Array): void {
    this.#chunks.set(number, new Chunk(bytes.slice()));
    this.#next = Math.max(this.#next, number + 1);
  }

  chunk(number: number): Chunk {
    const chunk = this.#chunks.get(number);
    if (!chunk) throw new UpgradeError("UPG_STORE_CORRUPT", `tree nodes: chunk ${number} is missing`);
    return chunk;
  }
}
