/** Random choices that a seed repeats: SHA-256 of the seed and a counter. */
import { createHash } from "node:crypto";

export class Random {
  #counter = 0;

  constructor(private readonly seed: string) {}

  /** From 0 to below 1, in 2^48 steps. */
  fraction(): number {
    const digest = createHash("sha256")
      .update(`${this.seed} ${this.#counter++}`)
      .digest();
    return digest.readUIntBE(0, 6) / 2 ** 48;
  }

  below(limit: number): number {
    return Math.floor(this.fraction() * limit);
  }

  chance(probability: number): boolean {
    return this.fraction() < probability;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }
}
