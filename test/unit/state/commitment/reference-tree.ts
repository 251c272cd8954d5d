/**
 * An IAVL+ tree as its description reads, in plain objects: recursive, copy on write, hashed from scratch. It is what
 * the tree writer is held to.
 *
 *   leaf hash   sha256( varint 0 ‖ varint 1 ‖ varint version ‖ uvarint len key ‖ key ‖ 0x20 ‖ sha256(value) )
 *   inner hash  sha256( varint height ‖ varint size ‖ varint version ‖ 0x20 ‖ left ‖ 0x20 ‖ right )
 */
import { createHash } from "node:crypto";

export interface RefNode {
  readonly key: string;
  readonly version: number;
  readonly height: number;
  readonly size: number;
  /** Leaves only. */
  readonly value?: string;
  readonly left?: RefNode;
  readonly right?: RefNode;
}

/** Keys and values are hex, so that text order is byte order. */
export function refSet(node: RefNode | undefined, key: string, value: string, version: number): RefNode {
  const leaf: RefNode = { key, value, version, height: 0, size: 1 };
  if (!node) return leaf;
  if (!node.left || !node.right) {
    if (node.key === key) return leaf;
    return key < node.key ? inner(node.key, leaf, node, version) : inner(key, node, leaf, version);
  }
  const isLeft = key < node.key;
  const left = isLeft ? refSet(node.left, key, value, version) : node.left;
  const right = isLeft ? node.right : refSet(node.right, key, value, version);
  const isUpdate = left.size + right.size === node.size;
  const made = inner(node.key, left, right, version);
  return isUpdate ? made : balanced(made, version);
}

/** The tree without a key that it has. */
export function refRemove(root: RefNode, key: string, version: number): RefNode | undefined {
  return removed(root, key, version).node;
}

export function refGet(node: RefNode | undefined, key: string): string | undefined {
  if (!node) return undefined;
  if (!node.left || !node.right) return node.key === key ? node.value : undefined;
  return refGet(key < node.key ? node.left : node.right, key);
}

export function refHash(node: RefNode | undefined): Buffer {
  if (!node) return sha256(Buffer.alloc(0));
  const { height, size, version } = node;
  if (node.left && node.right) {
    const children = [Buffer.of(32), refHash(node.left), Buffer.of(32), refHash(node.right)];
    return sha256(Buffer.concat([varint(height), varint(size), varint(version), ...children]));
  }
  const key = Buffer.from(node.key, "hex");
  const value = sha256(Buffer.from(node.value ?? "", "hex"));
  const head = [varint(0), varint(1), varint(version), uvarint(key.length)];
  return sha256(Buffer.concat([...head, key, Buffer.of(32), value]));
}

/** Children first, left to right. */
export function refNodes(node: RefNode | undefined): RefNode[] {
  return node ? [...refNodes(node.left), ...refNodes(node.right), node] : [];
}

function inner(key: string, left: RefNode, right: RefNode, version: number): RefNode {
  const height = 1 + Math.max(left.height, right.height);
  return { key, left, right, version, height, size: left.size + right.size };
}

/** `newKey`: the smallest key of the subtree changed to this one. */
function removed(node: RefNode, key: string, version: number): { node: RefNode | undefined; newKey?: string } {
  if (!node.left || !node.right) return { node: undefined };
  if (key < node.key) {
    const left = removed(node.left, key, version);
    if (!left.node) return { node: node.right, newKey: node.key };
    const made = balanced(inner(node.key, left.node, node.right, version), version);
    return left.newKey === undefined ? { node: made } : { node: made, newKey: left.newKey };
  }
  const right = removed(node.right, key, version);
  if (!right.node) return { node: node.left };
  return { node: balanced(inner(right.newKey ?? node.key, node.left, right.node, version), version) };
}

function balance(node: RefNode): number {
  return (node.left?.height ?? 0) - (node.right?.height ?? 0);
}

function balanced(node: RefNode, version: number): RefNode {
  const { key, left, right } = node;
  if (!left || !right || Math.abs(balance(node)) <= 1) return node;
  if (balance(node) > 1) {
    const straight = balance(left) >= 0 ? node : inner(key, rotatedLeft(left, version), right, version);
    return rotatedRight(straight, version);
  }
  const straight = balance(right) <= 0 ? node : inner(key, left, rotatedRight(right, version), version);
  return rotatedLeft(straight, version);
}

function rotatedLeft(node: RefNode, version: number): RefNode {
  const { left, right } = node;
  if (!left || !right?.left || !right.right) throw new Error("nothing to rotate");
  return inner(right.key, inner(node.key, left, right.left, version), right.right, version);
}

function rotatedRight(node: RefNode, version: number): RefNode {
  const { left, right } = node;
  if (!right || !left?.left || !left.right) throw new Error("nothing to rotate");
  return inner(left.key, left.left, inner(node.key, left.right, right, version), version);
}

function sha256(bytes: Buffer): Buffer {
  return createHash("sha256").update(bytes).digest();
}

function uvarint(value: number): Buffer {
  const bytes: number[] = [];
  for (; value >= 128; value = Math.floor(value / 128)) bytes.push((value % 128) + 128);
  return Buffer.from([...bytes, value]);
}

function varint(value: number): Buffer {
  return uvarint(value * 2);
}
