/** What never changes once it is known, by height: so many of it, the newest. */
import type { Height } from "../../base/types/types.js";

export class Kept<T> {
  readonly #values = new Map<Height, T>();

  constructor(private readonly most: number) {}

  get(height: Height): T | undefined {
    return this.#values.get(height);
  }

  keep(height: Height, value: T): T {
    this.#values.set(height, value);
    const [oldest] = this.#values.keys();
    if (this.#values.size > this.most && oldest !== undefined) this.#values.delete(oldest);
    return value;
  }
}
