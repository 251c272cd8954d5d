/** What a hostile server makes of an honest witness. Digests at the end are always right: they keep nobody from lying. */
import { concatBytes } from "../../host/base/text/bytes.js";
import { chunkOf, slotOf } from "../../host/state/commitment/chunk.js";
import { ByteReader } from "../../host/state/witness/byte-reader.js";
import { ByteWriter } from "../../host/state/witness/byte-writer.js";
import { digestOf } from "../../host/state/witness/digest.js";
import { encodeWitness } from "../../host/state/witness/encode.js";
import { encodeTree } from "../../host/state/witness/encode-tree.js";
import { INNER_TAG, LEAF_TAG, SIZE_MAX, STUB_TAG, VERSION_MAX } from "../../host/state/witness/format.js";
import type { PartialTree, TreeAt, WitnessContents } from "../../host/state/witness/types.js";
import { hasher, sha256 } from "../unit/state/commitment/support.js";
import type { Choose } from "./small-tree.js";

const DIGEST_BYTES = 32;

export const LIES = ["flip", "cut", "insert", "hide", "hideMore", "node", "nodes", "stub", "siblings"] as const;
export type Lie = (typeof LIES)[number];

/** Bytes of a witness with a lie in them. */
export function lieAbout(lie: Lie, honest: Uint8Array, contents: WitnessContents, tree: TreeAt, choose: Choose) {
  const body = honest.subarray(0, honest.length - DIGEST_BYTES);
  if (lie === "flip") return signed(flipped(body, choose));
  if (lie === "cut") return signed(body.slice(0, choose(body.length)));
  if (lie === "insert") return signed(inserted(body, choose));
  if (lie === "hide" || lie === "hideMore") return withTree(contents, () => hiding(tree, choose, lie === "hideMore"));
  return withTree(contents, (partial) => ({ ...partial, bytes: writeNodes(changed(lie, readNodes(partial), choose)) }));
}

function signed(body: Uint8Array): Uint8Array {
  return concatBytes(body, digestOf(body, hasher));
}

function flipped(body: Uint8Array, choose: Choose): Uint8Array {
  const bytes = body.slice();
  for (let left = 1 + choose(3); left > 0; left--) {
    const at = choose(bytes.length);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << choose(8));
  }
  return bytes;
}

/** Some bytes of it once more, in another place. */
function inserted(body: Uint8Array, choose: Choose): Uint8Array {
  const [at, from] = [choose(body.length), choose(body.length)];
  return concatBytes(body.subarray(0, at), body.subarray(from, from + choose(80)), body.subarray(at));
}

function withTree(contents: WitnessContents, change: (tree: PartialTree) => PartialTree): Uint8Array {
  const stores = contents.stores.map((store) => (store.tree ? { ...store, tree: change(store.tree) } : store));
  return encodeWitness({ ...contents, stores }, sha256);
}

/** The tree as it is, with other parts of it hidden than an honest server would. */
function hiding({ source, root }: TreeAt, choose: Choose, more: boolean): PartialTree {
  const salt = choose(1 << 16);
  const every = more ? 3 : 12;
  // By id, so that a node is hidden or open however often it is asked about.
  const isHidden = (id: number) =>
    (((chunkOf(id) * 31 + slotOf(id) * 17 + salt) * 2_654_435_761) % 2 ** 32) % every === 0;
  return encodeTree(source, root, (id) => !isHidden(id));
}

interface Node {
  tag: number;
  version: number;
  size: number;
  /** Key, value or hash. */
  parts: Uint8Array[];
}

function readNodes({ bytes }: PartialTree): Node[] {
  const reader = new ByteReader(bytes);
  const nodes: Node[] = [];
  while (reader.left > 0) {
    const tag = reader.byte();
    const number = reader.uvarint(VERSION_MAX, "a number");
    const node: Node = { tag, version: number, size: number, parts: [] };
    if (tag === LEAF_TAG) {
      const lengths = [reader.uvarint(SIZE_MAX, "a length"), reader.uvarint(SIZE_MAX, "a length")];
      node.parts = lengths.map((length) => reader.take(length));
    } else if (tag >= STUB_TAG) node.parts = [reader.take(DIGEST_BYTES)];
    nodes.push(node);
  }
  return nodes;
}

function writeNodes(nodes: readonly Node[]): Uint8Array {
  const out = new ByteWriter();
  for (const { tag, version, size, parts } of nodes) {
    out.byte(tag).uvarint(tag >= STUB_TAG ? size : version);
    if (tag === LEAF_TAG) for (const part of parts) out.uvarint(part.length);
    for (const part of parts) out.raw(part);
  }
  return out.finish();
}

function changed(lie: Lie, nodes: Node[], choose: Choose): Node[] {
  if (nodes.length === 0) return [{ tag: LEAF_TAG, version: 1, size: 1, parts: [Uint8Array.of(1), Uint8Array.of(1)] }];
  if (lie === "node") changeNode(pick(nodes, choose), choose);
  else if (lie === "nodes") changeOrder(nodes, choose);
  else changeStubs(nodes, choose, lie === "siblings");
  return nodes;
}

function pick<T>(items: readonly T[], choose: Choose): T {
  return items[choose(items.length)] as T;
}

/** One node says something else about itself. */
function changeNode(node: Node, choose: Choose): void {
  if (choose(3) === 0) node.version = choose(2) === 0 ? node.version + 1 : choose(9);
  else if (node.tag === LEAF_TAG) {
    const at = choose(2);
    const part = Uint8Array.from(node.parts[at] ?? []);
    const end = choose(part.length + 1);
    node.parts[at] = choose(2) === 0 ? concatBytes(part, Uint8Array.of(choose(256))) : part.slice(0, end);
  } else if (node.tag === INNER_TAG) node.tag = choose(2) === 0 ? LEAF_TAG : STUB_TAG + choose(4);
  else node.parts = [sha256(Uint8Array.of(choose(256)))];
  if (node.tag === LEAF_TAG && node.parts.length < 2) node.parts = [Uint8Array.of(choose(256)), Uint8Array.of(1)];
  if (node.tag >= STUB_TAG && node.parts.length === 0) node.parts = [sha256(Uint8Array.of(1))];
}

/** Nodes change places, come twice, or are left out. */
function changeOrder(nodes: Node[], choose: Choose): void {
  const [a, b] = [choose(nodes.length), choose(nodes.length)];
  const kind = choose(3);
  if (kind === 0) nodes.splice(a, 1);
  else if (kind === 1) nodes.splice(a, 0, { ...pick(nodes, choose) });
  else [nodes[a], nodes[b]] = [nodes[b] as Node, nodes[a] as Node];
}

/** Stubs lie about sizes and heights; siblings so that their sum stays. */
function changeStubs(nodes: readonly Node[], choose: Choose, siblings: boolean): void {
  const stubs = nodes.filter(({ tag }) => tag >= STUB_TAG);
  const pairs = stubs.filter((stub) => (nodes[nodes.indexOf(stub) + 1]?.tag ?? 0) >= STUB_TAG);
  const stub = pick(siblings && pairs.length > 0 ? pairs : stubs, choose);
  if (!stub) return;
  const sibling = nodes[nodes.indexOf(stub) + 1];
  const by = choose(5) - 2;
  if (choose(2) === 0) stub.tag = Math.max(STUB_TAG, stub.tag + choose(3) - 1);
  stub.size = Math.max(0, stub.size + by);
  if (siblings && sibling && sibling.tag >= STUB_TAG) {
    sibling.size = Math.max(0, sibling.size - by);
    if (choose(2) === 0) sibling.tag = Math.max(STUB_TAG, sibling.tag + choose(3) - 1);
  }
}
