/** Where the nodes of a witness are: what it does not have is refused when it is looked at. */

import { UpgradeError } from "../../base/errors/errors.js";
import { Chunk, type ChunkSink, type ChunkSource } from "../commitment/chunk.js";

/** Of every stub: the id of a node in chunk 0, which is never written. */
export const HIDDEN_ID = 1;

export function hidden(store: string): UpgradeError {
  return new UpgradeError(
    "UPG_WITNESS_HIDDEN",
    `the witness does not have the part of store "${store}" that was asked for`,
  );
}

/** Nodes of one store's partial tree. */
export class WitnessChunks implements ChunkSource, ChunkSink {
  readonly #chunks: (Chunk | undefined)[] = [undefined];

  constructor(private readonly store: string) {}

  get nextChunk(): number {
    return this.#chunks.length;
  }

  put(number: number, bytes: Uint8Array): void {
    this.#chunks[number] = new Chunk(bytes.slice());
  }

  /** @throws UpgradeError UPG_WITNESS_HIDDEN */
  chunk(number: number): Chunk {
    const chunk = this.#chunks[number];
    if (!chunk) throw hidden(this.store);
    return chunk;
  }
}
