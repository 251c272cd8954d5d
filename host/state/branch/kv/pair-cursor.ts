/** How every store walks its pairs, in ascending or descending order, without an object a pair. */
/** Is on a pair after `step()` returned true; key and value are parts of `bytes`. */
export interface PairCursor {
  readonly bytes: Uint8Array;
  readonly keyAt: number;
  readonly keyLen: number;
  readonly valueAt: number;
  readonly valueLen: number;
  /** Of a walk over a branch: deletions of the branch itself that it went by. */
  readonly passed?: number;
  /** Bytes of their keys. */
  readonly passedBytes?: number;
  step(): boolean;
  /**
   * Some walks leave a large value where it is until this is called: before, only the key and `valueLen` count. It may
   * move the pair to other `bytes`.
   */
  loadValue?(): void;
}
