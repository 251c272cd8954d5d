/** Hashes made nodes before they are written: level by level, since nodes of one level do not ask for each other. */
import { HASH_BYTES, type IavlHasher } from "./iavl-hash.js";
import { innerIndex, isMadeInner, LEFT, leafAddress, type MadeNodes, RIGHT } from "./made-nodes.js";

export class NodeHashes {
  /** Links to what is to be hashed, by the height of the node: leaves first. */
  readonly #levels: number[][] = [[]];

  constructor(
    private readonly hasher: IavlHasher,
    private readonly version: number,
  ) {}

  /** Gives every made node below a link its size and hash, except those in `keep`. */
  make(nodes: MadeNodes, link: number, keep: ReadonlySet<number>): void {
    this.#collect(nodes, link, keep);
    const [leaves = [], ...inner] = this.#levels;
    this.#hashLeaves(nodes, leaves);
    inner.forEach((links, below) => {
      this.#hashInner(nodes, links, below + 1);
    });
    for (const links of this.#levels) links.length = 0;
  }

  #collect(nodes: MadeNodes, link: number, keep: ReadonlySet<number>): void {
    const ref = nodes.refs[link] as number;
    if (ref >= 0) return;
    if (isMadeInner(ref)) {
      const index = innerIndex(ref);
      this.#collect(nodes, 2 * index + LEFT, keep);
      this.#collect(nodes, 2 * index + RIGHT, keep);
      if (keep.has(ref)) return;
    }
    this.#level(nodes.heights[link] as number).push(link);
  }

  #level(height: number): number[] {
    while (this.#levels.length <= height) this.#levels.push([]);
    return this.#levels[height] as number[];
  }

  #hashLeaves(nodes: MadeNodes, links: readonly number[]): void {
    const { arena, hashes } = nodes;
    for (const link of links) {
      const address = leafAddress(nodes.refs[link] as number);
      this.hasher.value(arena, nodes.valueAt(address), nodes.valueLen(address), hashes, link * HASH_BYTES);
    }
    this.hasher.settle();
    for (const link of links) {
      const address = leafAddress(nodes.refs[link] as number);
      const keyAt = nodes.keyAt(address);
      this.hasher.leaf(this.version, arena, keyAt, nodes.keyLen(address), hashes, link * HASH_BYTES);
      nodes.sizes[link] = 1;
    }
    this.hasher.settle();
  }

  #hashInner(nodes: MadeNodes, links: readonly number[], height: number): void {
    for (const link of links) {
      const left = 2 * innerIndex(nodes.refs[link] as number);
      const size = (nodes.sizes[left] as number) + (nodes.sizes[left + 1] as number);
      this.hasher.inner(height, size, this.version, left * HASH_BYTES, nodes.hashes, link * HASH_BYTES);
      nodes.sizes[link] = size;
    }
    this.hasher.settle();
  }
}
