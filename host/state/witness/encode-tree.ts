/** Writes the opened part of a tree in preorder: opened nodes as they are, the others as stubs. */
import {
  type ChunkSource,
  LINK_HASH_AT,
  LINK_HEIGHT_AT,
  LINK_SIZE_AT,
  type RootLink,
  readU48,
} from "../commitment/chunk.js";
import { HASH_BYTES } from "../commitment/iavl-hash.js";
import { NodeView } from "../commitment/tree.js";
import { ByteWriter } from "./byte-writer.js";
import { INNER_TAG, LEAF_TAG, STUB_TAG } from "./format.js";
import type { PartialTree } from "./types.js";

/** `isOpen` is true of a node only where it is true of all nodes above it. */
export function encodeTree(source: ChunkSource, root: RootLink, isOpen: (id: number) => boolean): PartialTree {
  const out = new ByteWriter();
  const node = new NodeView(source);
  let leaves = 0;
  let stubs = 0;
  // Nodes still to write, the next one last.
  const pending: RootLink[] = root.id === 0 ? [] : [root];
  for (let link = pending.pop(); link !== undefined; link = pending.pop()) {
    if (link !== root && !isOpen(link.id)) {
      out
        .byte(STUB_TAG + link.height)
        .uvarint(link.size)
        .raw(link.hash);
      stubs++;
      continue;
    }
    node.go(link.id);
    if (node.isLeaf) {
      leaves++;
      writeLeaf(out, node);
      continue;
    }
    out.byte(INNER_TAG).uvarint(node.version);
    pending.push(linkOf(node, 1), linkOf(node, 0));
  }
  return { hash: root.hash, bytes: out.finish(), leaves, stubs };
}

function writeLeaf(out: ByteWriter, node: NodeView): void {
  const { bytes, keyAt, keyLen, valueLen } = node;
  out.byte(LEAF_TAG).uvarint(node.version).uvarint(keyLen).uvarint(valueLen);
  out.raw(bytes.subarray(keyAt, keyAt + keyLen + valueLen));
}

function linkOf(node: NodeView, side: number): RootLink {
  const { bytes } = node;
  const at = node.linkAt(side);
  const hash = bytes.subarray(at + LINK_HASH_AT, at + LINK_HASH_AT + HASH_BYTES);
  const height = bytes[at + LINK_HEIGHT_AT] as number;
  return { id: node.child(side), size: readU48(bytes, at + LINK_SIZE_AT), height, hash };
}
