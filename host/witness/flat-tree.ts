/**
 * A partial tree between bytes and nodes: flat arrays by the place of a node in the preorder, no object a node. A node's left
 * child is the next one. Children come after their parents, so a loop from the last node to the first one goes upwards.
 */
const NODES_AT_FIRST = 1_024;

/** No open leaf. */
export const NO_LEAF = -1;

export const INNER = 0;
export const LEAF = 1;
export const STUB = 2;

export class FlatTree {
  count = 0;
  leaves = 0;
  stubs = 0;
  /** INNER, LEAF or STUB. */
  kinds = new Uint8Array(NODES_AT_FIRST);
  heights = new Uint8Array(NODES_AT_FIRST);
  sizes = new Float64Array(NODES_AT_FIRST);
  /** In which open nodes were made. */
  versions = new Float64Array(NODES_AT_FIRST);
  /** Where a leaf's key (its value comes next) or a stub's hash is in `bytes`. */
  places = new Uint32Array(NODES_AT_FIRST);
  keyLens = new Uint16Array(NODES_AT_FIRST);
  valueLens = new Uint32Array(NODES_AT_FIRST);
  /** Inner nodes: the right child. */
  rights = new Uint32Array(NODES_AT_FIRST);
  /** Inner nodes: the last open leaf before the right subtree, in the whole tree. */
  befores = new Int32Array(NODES_AT_FIRST);

  constructor(readonly bytes: Uint8Array) {}

  /** Room for one more node; returns its place. */
  add(): number {
    if (this.count === this.kinds.length) this.#grow();
    return this.count++;
  }

  #grow(): void {
    const length = 2 * this.kinds.length;
    this.kinds = grown(this.kinds, new Uint8Array(length));
    this.heights = grown(this.heights, new Uint8Array(length));
    this.sizes = grown(this.sizes, new Float64Array(length));
    this.versions = grown(this.versions, new Float64Array(length));
    this.places = grown(this.places, new Uint32Array(length));
    this.keyLens = grown(this.keyLens, new Uint16Array(length));
    this.valueLens = grown(this.valueLens, new Uint32Array(length));
    this.rights = grown(this.rights, new Uint32Array(length));
    this.befores = grown(this.befores, new Int32Array(length));
  }
}

function grown<T extends Uint8Array | Uint16Array | Uint32Array | Int32Array | Float64Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
