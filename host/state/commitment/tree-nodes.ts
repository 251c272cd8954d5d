/**
 * The nodes of a tree one by one, in the order in which IAVL exports them: the left subtree, the right one, then the node
 * itself. Key, value, version and height are all of a node that its hash needs besides its children.
 */
import type { Tree } from "./tree.js";

export interface TreeNode {
  readonly key: Uint8Array;
  /** Undefined: an inner node. */
  readonly value: Uint8Array | undefined;
  /** In which it was made. */
  readonly version: number;
  /** 0: a leaf. */
  readonly height: number;
}

/** Copies of all nodes. An empty tree has none. */
export function* treeNodes(tree: Tree): Generator<TreeNode, void, undefined> {
  const node = tree.view();
  // Ids still to walk, the next one last; below 0: its children are done.
  const pending = tree.root.id === 0 ? [] : [tree.root.id];
  for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
    node.go(Math.abs(id));
    if (id > 0 && !node.isLeaf) {
      pending.push(-id, node.child(1), node.child(0));
      continue;
    }
    const { bytes, keyAt, keyLen, version, height } = node;
    const key = bytes.slice(keyAt, keyAt + keyLen);
    const value = node.isLeaf ? bytes.slice(node.valueAt, node.valueAt + node.valueLen) : undefined;
    yield { key, value, version, height };
  }
}
