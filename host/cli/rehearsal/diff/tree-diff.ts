/**
 * What differs between two committed trees. Subtrees of one hash are alike and are passed over unread, so that a store of
 * millions of pairs in which a few change costs a few paths.
 */
import { byteAt } from "../../../base/text/checked-index.js";
import { type ChunkSource, LINK_HASH_AT, LINK_HEIGHT_AT, type RootLink } from "../../../state/commitment/chunk.js";
import { HASH_BYTES } from "../../../state/commitment/iavl-hash.js";
import { NodeView } from "../../../state/commitment/tree.js";

/** One side of a difference. */
export interface DiffTree {
  readonly source: ChunkSource;
  readonly root: RootLink;
}

/** Of one key; a side that lacks it has undefined. */
export interface PairChange {
  readonly key: Uint8Array;
  readonly before: Uint8Array | undefined;
  readonly after: Uint8Array | undefined;
}

/** Ascending by key. @throws UpgradeError UPG_STORE_CORRUPT */
export function* treeDiff(before: DiffTree | undefined, after: DiffTree | undefined): Generator<PairChange> {
  const [left, right] = [new Walk(before), new Walk(after)];
  for (;;) {
    const [a, b] = [left.next, right.next];
    if (!a && !b) return;
    if (a && b && isAlike(a, b)) {
      left.skip();
      right.skip();
    } else if (a && a.height > 0 && (!b || a.height >= b.height)) left.descend();
    else if (b && b.height > 0) right.descend();
    else yield* leaves(left, right);
  }
}

/** Both walks are at a leaf or at their end. */
function* leaves(left: Walk, right: Walk): Generator<PairChange> {
  const [key, other] = [left.key, right.key];
  const order = !key ? 1 : !other ? -1 : Buffer.compare(key, other);
  const before = order <= 0 ? left.take() : undefined;
  const after = order >= 0 ? right.take() : undefined;
  const at = (order <= 0 ? key : other) as Uint8Array;
  if (before && after && Buffer.compare(before, after) === 0) return;
  yield { key: at, before, after };
}

/** A subtree that is still to be looked at. */
interface Pending {
  readonly id: number;
  readonly height: number;
  /** Where its hash is. */
  readonly bytes: Uint8Array;
  readonly hashAt: number;
}

function isAlike(a: Pending, b: Pending): boolean {
  for (let i = 0; i < HASH_BYTES; i++) if (a.bytes[a.hashAt + i] !== b.bytes[b.hashAt + i]) return false;
  return true;
}

/** Subtrees in the order of their keys; the next one may be taken apart, passed over, or, a leaf, read. */
class Walk {
  readonly #pending: Pending[] = [];
  readonly #node: NodeView | undefined;

  constructor(tree: DiffTree | undefined) {
    if (!tree || tree.root.id === 0) return;
    const { id, height, hash } = tree.root;
    this.#node = new NodeView(tree.source);
    this.#pending.push({ id, height, bytes: hash, hashAt: 0 });
  }

  get next(): Pending | undefined {
    return this.#pending.at(-1);
  }

  skip(): void {
    this.#pending.pop();
  }

  descend(): void {
    const node = this.#at();
    this.#pending.pop();
    for (const side of [1, 0]) {
      const link = node.linkAt(side);
      const height = byteAt(node.bytes, link + LINK_HEIGHT_AT);
      this.#pending.push({ id: node.child(side), height, bytes: node.bytes, hashAt: link + LINK_HASH_AT });
    }
  }

  /** Of the leaf that comes next; undefined at the end. */
  get key(): Uint8Array | undefined {
    if (!this.next) return undefined;
    const node = this.#at();
    return node.bytes.slice(node.keyAt, node.keyAt + node.keyLen);
  }

  /** The value of that leaf, which is passed over. */
  take(): Uint8Array {
    const node = this.#at();
    this.#pending.pop();
    return node.bytes.slice(node.valueAt, node.valueAt + node.valueLen);
  }

  #at(): NodeView {
    return (this.#node as NodeView).go((this.next as Pending).id);
  }
}
