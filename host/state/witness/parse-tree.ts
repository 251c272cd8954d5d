/**
 * Reads a partial tree and checks its shape: one tree, balanced, with ascending keys, sizes and versions that a tree can have.
 * Nothing here recurs, so no nesting runs out of stack, and what is held is bounded by the bytes that were read.
 */

import { UpgradeError } from "../../base/errors/errors.js";
import { compareRanges } from "../../base/text/bytes.js";
import { KEY_BYTES_MAX, VALUE_BYTES_MAX } from "../../base/types/limits.js";
import { HASH_BYTES } from "../commitment/iavl-hash.js";
import { ByteReader, malformed } from "./byte-reader.js";
import { FlatTree, INNER, LEAF, NO_LEAF, STUB } from "./flat-tree.js";
import { HEIGHT_MAX, INNER_TAG, LEAF_TAG, NODES_MAX, SIZE_MAX, STUB_TAG, VERSION_MAX } from "./format.js";

const LENGTH_OF_KEY = "the length of a key";
const LENGTH_OF_VALUE = "the length of a value";

/** @param versionMax no node was made after it. @throws UpgradeError UPG_WITNESS_MALFORMED, UPG_WITNESS_TOO_LARGE */
export function parseTree(reader: ByteReader, versionMax: number): FlatTree {
  const tree = new FlatTree(reader.bytes, countNodes(reader));
  // Inner nodes whose right child is still to come, the innermost last.
  const waiting: number[] = [];
  let last = NO_LEAF;
  for (let node = 0; node < tree.count; node++) {
    const tag = reader.byte();
    if (tag === INNER_TAG) {
      readInner(tree, node, reader, versionMax);
      // A balanced tree has no more levels than it is high.
      if (waiting.push(node) > HEIGHT_MAX) throw malformed("a tree is too deep");
      continue;
    }
    if (tag === LEAF_TAG) {
      readLeaf(tree, node, reader, versionMax);
      if (last !== NO_LEAF && compareLeaves(tree, last, node) >= 0) throw malformed("keys do not ascend");
      last = node;
    } else readStub(tree, node, reader, tag - STUB_TAG);
    const parent = waiting.pop();
    if (parent === undefined) break;
    tree.rights[parent] = node + 1;
    tree.befores[parent] = last;
  }
  measure(tree);
  return tree;
}

/** How many nodes follow, up to the end of the tree: room is made once, for as many as there are. */
function countNodes({ bytes, at }: ByteReader): number {
  const reader = new ByteReader(bytes);
  reader.skip(at);
  let count = 0;
  for (let due = 1; due > 0; due--) {
    if (++count > NODES_MAX) throw new UpgradeError("UPG_WITNESS_TOO_LARGE", `a tree has more than ${NODES_MAX} nodes`);
    const tag = reader.byte();
    reader.uvarint(VERSION_MAX, "a number");
    if (tag === INNER_TAG) due += 2;
    else if (tag !== LEAF_TAG) reader.skip(HASH_BYTES);
    else reader.skip(reader.uvarint(KEY_BYTES_MAX, LENGTH_OF_KEY) + reader.uvarint(VALUE_BYTES_MAX, LENGTH_OF_VALUE));
  }
  return count;
}

function readInner(tree: FlatTree, node: number, reader: ByteReader, versionMax: number): void {
  tree.kinds[node] = INNER;
  tree.versions[node] = readVersion(reader, versionMax);
}

function readLeaf(tree: FlatTree, node: number, reader: ByteReader, versionMax: number): void {
  tree.kinds[node] = LEAF;
  tree.versions[node] = readVersion(reader, versionMax);
  tree.sizes[node] = 1;
  tree.leaves++;
  const keyLen = reader.uvarint(KEY_BYTES_MAX, LENGTH_OF_KEY);
  const valueLen = reader.uvarint(VALUE_BYTES_MAX, LENGTH_OF_VALUE);
  if (keyLen === 0) throw malformed("a key is empty");
  tree.keyLens[node] = keyLen;
  tree.valueLens[node] = valueLen;
  tree.places[node] = reader.skip(keyLen + valueLen);
}

function readStub(tree: FlatTree, node: number, reader: ByteReader, height: number): void {
  if (node === 0) throw malformed("the root of an open store is a stub");
  if (height > HEIGHT_MAX) throw malformed(`a node is ${height} high`);
  tree.kinds[node] = STUB;
  tree.stubs++;
  tree.heights[node] = height;
  const size = reader.uvarint(SIZE_MAX, "the size of a stub");
  // A subtree of height h has h + 1 leaves at least, and 2^h at most.
  if (size < height + 1 || size > 2 ** height) throw malformed(`a stub of height ${height} has ${size} leaves`);
  tree.sizes[node] = size;
  tree.places[node] = reader.skip(HASH_BYTES);
}

function readVersion(reader: ByteReader, versionMax: number): number {
  const version = reader.uvarint(versionMax, "the version of a node");
  if (version === 0) throw malformed("a node was made in version 0");
  return version;
}

function compareLeaves(tree: FlatTree, a: number, b: number): number {
  const { bytes, places, keyLens } = tree;
  const [aAt, aLen, bAt, bLen] = [places[a], keyLens[a], places[b], keyLens[b]] as [number, number, number, number];
  return compareRanges(bytes, aAt, aLen, bytes, bAt, bLen);
}

/** Sizes and heights of inner nodes, from the last to the first: they are never sent. */
function measure(tree: FlatTree): void {
  const { kinds, heights, sizes, versions, rights } = tree;
  for (let node = tree.count - 1; node >= 0; node--) {
    if (kinds[node] !== INNER) continue;
    const left = node + 1;
    const right = rights[node] as number;
    const [leftHeight, rightHeight] = [heights[left] as number, heights[right] as number];
    if (Math.abs(leftHeight - rightHeight) > 1) throw malformed("a tree is out of balance");
    const height = 1 + Math.max(leftHeight, rightHeight);
    const size = (sizes[left] as number) + (sizes[right] as number);
    if (height > HEIGHT_MAX || size > SIZE_MAX) throw malformed(`a node is ${height} high and has ${size} leaves`);
    // A stub has version 0 here.
    const newest = Math.max(versions[left] as number, versions[right] as number);
    if ((versions[node] as number) < newest) throw malformed("a node is older than one below it");
    heights[node] = height;
    sizes[node] = size;
  }
}
