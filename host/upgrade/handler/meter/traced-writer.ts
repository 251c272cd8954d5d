/**
 * Which byte of the original a byte of a metered function was copied from: so that a position in the engine's stack, which is one in
 * the metered module, leads to the author's own code. Only asked for when somebody looks for a failure.
 */
import { lastOf } from "../../../base/text/checked-index.js";
import { CodeWriter } from "./code-writer.js";

/** A run of bytes that was copied as it was. */
interface Copied {
  /** First byte, counted from the beginning of the metered function's body. */
  readonly at: number;
  /** The same byte, counted from the beginning of the original file. */
  readonly from: number;
  readonly length: number;
}

/** Writes the bodies of functions one after the other, and notes where their bytes are from. */
export class TracedWriter extends CodeWriter {
  readonly #functions: (readonly Copied[])[] = [];
  #copied: Copied[] = [];

  override copy(source: Uint8Array, from = 0, to = source.length): this {
    if (to > from) this.#copied.push({ at: this.length, from, length: to - from });
    return super.copy(source, from, to);
  }

  /** Begins with the next function. */
  override clear(): void {
    this.#copied = [];
    this.#functions.push(this.#copied);
    super.clear();
  }

  /**
   * @param body number of the function's body
   * @param at byte of its metered body
   * @returns the byte of the original file; for code that the meter put in, the last one before it; undefined before the first
   */
  originOf(body: number, at: number): number | undefined {
    const copied = lastOf((this.#functions[body] ?? []).filter((each) => each.at <= at));
    return copied && copied.from + Math.min(at - copied.at, copied.length - 1);
  }
}
