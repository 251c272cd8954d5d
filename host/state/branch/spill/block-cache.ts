/** Blocks of runs that were read not long ago. By halves: when the young half is full it becomes the old one. */
import type { RunBlock } from "./run-block.js";

export class BlockCache {
  #young = new Map<number, RunBlock>();
  #old = new Map<number, RunBlock>();
  #youngBytes = 0;

  constructor(private readonly bytesMax: number) {}

  get(id: number): RunBlock | undefined {
    const block = this.#young.get(id);
    if (block) return block;
    const old = this.#old.get(id);
    if (old) this.set(id, old);
    return old;
  }

  set(id: number, block: RunBlock): void {
    this.#young.set(id, block);
    this.#youngBytes += block.bytes.length;
    if (2 * this.#youngBytes <= this.bytesMax) return;
    this.#old = this.#young;
    this.#young = new Map();
    this.#youngBytes = 0;
  }

  clear(): void {
    this.#young = new Map();
    this.#old = new Map();
    this.#youngBytes = 0;
  }
}
