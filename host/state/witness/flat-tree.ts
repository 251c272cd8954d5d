/**
 * A partial tree between bytes and nodes: flat arrays by the place of a node in the preorder, no object a node. A node's left
 * child is the next one. Children come after their parents, so a loop from the last node to the first one goes upwards.
 */
/** No open leaf. */
export const NO_LEAF = -1;

export const INNER = 0;
export const LEAF = 1;
export const STUB = 2;

export class FlatTree {
  leaves = 0;
  stubs = 0;
  /** INNER, LEAF or STUB. */
  readonly kinds: Uint8Array;
  readonly heights: Uint8Array;
  readonly sizes: Float64Array;
  /** In which open nodes were made. */
  readonly versions: Float64Array;
  /** Where a leaf's key (its value comes next) or a stub's hash is in `bytes`. */
  readonly places: Uint32Array;
  readonly keyLens: Uint16Array;
  readonly valueLens: Uint32Array;
  /** Inner nodes: the right child. */
  readonly rights: Uint32Array;
  /** Inner nodes: the last open leaf before the right subtree, in the whole tree. */
  readonly befores: Int32Array;

  constructor(
    readonly bytes: Uint8Array,
    readonly count: number,
  ) {
    this.kinds = new Uint8Array(count);
    this.heights = new Uint8Array(count);
    this.sizes = new Float64Array(count);
    this.versions = new Float64Array(count);
    this.places = new Uint32Array(count);
    this.keyLens = new Uint16Array(count);
    this.valueLens = new Uint32Array(count);
    this.rights = new Uint32Array(count);
    this.befores = new Int32Array(count);
  }
}
