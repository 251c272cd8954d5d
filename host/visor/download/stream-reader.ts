/** Takes as many bytes as are asked for from a stream that has them in pieces of any size. */

export class StreamReader {
  readonly #pieces: AsyncIterator<Uint8Array>;
  #rest: Uint8Array = new Uint8Array();

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#pieces = source[Symbol.asyncIterator]();
  }

  /** Undefined: the stream ends before them. */
  async take(length: number): Promise<Uint8Array | undefined> {
    const parts: Uint8Array[] = [];
    let missing = length;
    while (missing > 0) {
      const piece = await this.#some(missing);
      if (!piece) return undefined;
      parts.push(piece);
      missing -= piece.length;
    }
    return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
  }

  /** The same as they come. @param ended the error of a stream that ends before them */
  async *next(length: number, ended: () => Error): AsyncGenerator<Uint8Array> {
    for (let missing = length; missing > 0; ) {
      const piece = await this.#some(missing);
      if (!piece) throw ended();
      missing -= piece.length;
      yield piece;
    }
  }

  async skip(length: number): Promise<boolean> {
    return (await this.take(length)) !== undefined;
  }

  /** All that comes after what was taken. */
  async *rest(): AsyncGenerator<Uint8Array> {
    for (
      let piece = await this.#some(Number.POSITIVE_INFINITY);
      piece;
      piece = await this.#some(Number.POSITIVE_INFINITY)
    )
      yield piece;
  }

  async close(): Promise<void> {
    await this.#pieces.return?.();
  }

  async #some(most: number): Promise<Uint8Array | undefined> {
    while (this.#rest.length === 0) {
      const { value, done } = await this.#pieces.next();
      if (done) return undefined;
      this.#rest = value;
    }
    const piece = this.#rest.subarray(0, most);
    this.#rest = this.#rest.subarray(piece.length);
    return piece;
  }
}
