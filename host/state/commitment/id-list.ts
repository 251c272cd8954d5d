/** A list of node ids, flat: a commit can leave millions of nodes behind. */
const IDS_AT_FIRST = 256;

export class IdList {
  #ids = new Float64Array(IDS_AT_FIRST);
  length = 0;

  push(id: number): void {
    if (this.length === this.#ids.length) {
      const grown = new Float64Array(2 * this.length);
      grown.set(this.#ids);
      this.#ids = grown;
    }
    this.#ids[this.length++] = id;
  }

  /** Forgets every id and keeps the room. */
  clear(): void {
    this.length = 0;
  }

  /** The ids, ascending: the list's own, sorted in place. */
  sorted(): Float64Array {
    return this.#ids.subarray(0, this.length).sort();
  }
}
