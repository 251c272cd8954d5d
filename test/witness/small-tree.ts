/** Random trees with a history, random operations on them, and what these operations gave. */

import { compareBytes, toHex } from "../../host/base/text/bytes.js";
import { CacheKVStore } from "../../host/state/branch/kv/cache-kv.js";
import { IavlReader } from "../../host/state/branch/kv/iavl-reader.js";
import type { RootLink } from "../../host/state/commitment/chunk.js";
import { TreeWriter } from "../../host/state/commitment/tree-writer.js";
import { type NotedTree, nextTree } from "../../host/state/witness/next-tree.js";
import type { TreeAt } from "../../host/state/witness/types.js";
import { MemoryChunks } from "../memory-chunks.js";
import { EMPTY_ROOT, hasher } from "../unit/state/commitment/support.js";

export type Choose = (below: number) => number;

/** Few distinct bytes and lengths: neighbours, prefixes of each other, and keys that end in 00 are common. */
function randomKey(choose: Choose, spread: number): Uint8Array {
  const length = 1 + choose(spread);
  return Uint8Array.from({ length }, () => [0, 1, 2, 7, 0xff][choose(5)] as number);
}

function randomValue(choose: Choose): Uint8Array {
  return new Uint8Array(choose(4) === 0 ? 0 : choose(60)).fill(choose(256));
}

/** A tree that several versions made, with sets and deletions. */
export function randomTree(choose: Choose, spread: number): { tree: TreeAt; version: number } {
  const chunks = new MemoryChunks();
  let root: RootLink = EMPTY_ROOT;
  const versions = 1 + choose(5);
  for (let version = 1; version <= versions; version++) {
    const writer = new TreeWriter(chunks, chunks, hasher, root, version);
    for (let left = choose(1 + choose(80)); left > 0; left--) {
      const key = randomKey(choose, spread);
      if (choose(4) === 0) writer.remove(key, 0, key.length);
      else {
        const value = randomValue(choose);
        writer.set(key, 0, key.length, value, 0, value.length);
      }
    }
    root = writer.finish();
  }
  return { tree: { source: chunks, root }, version: versions };
}

/** What is done to a store, in one block. */
export type Operation =
  | { readonly kind: "get"; readonly key: Uint8Array }
  | { readonly kind: "has"; readonly key: Uint8Array }
  | { readonly kind: "delete"; readonly key: Uint8Array }
  | { readonly kind: "set"; readonly key: Uint8Array; readonly value: Uint8Array }
  | {
      readonly kind: "range" | "scan" | "count" | "deleteRange";
      readonly start: Uint8Array | undefined;
      readonly end: Uint8Array | undefined;
      readonly reverse: boolean;
      readonly limit: number;
    };

const KINDS = ["get", "has", "delete", "set", "set", "range", "range", "scan", "count", "deleteRange"] as const;

export function randomOperation(choose: Choose, spread: number): Operation {
  const kind = KINDS[choose(KINDS.length)] as Operation["kind"];
  const key = randomKey(choose, spread);
  if (kind === "get" || kind === "has" || kind === "delete") return { kind, key };
  if (kind === "set") return { kind, key, value: randomValue(choose) };
  const bounds = [key, randomKey(choose, spread)].sort(compareBytes);
  const start = choose(6) === 0 ? undefined : bounds[0];
  const end = choose(6) === 0 ? undefined : bounds[1];
  return { kind, start, end, reverse: choose(2) === 0, limit: choose(4) === 0 ? choose(100) : choose(4) };
}

/** Runs an operation on a branch and returns what it gave, as text. `reader` is the ground that the branch is over. */
export function perform(branch: CacheKVStore, reader: IavlReader, operation: Operation): string {
  if (operation.kind === "get") return toHex(branch.get(operation.key) ?? Uint8Array.of(0xab, 0xad));
  if (operation.kind === "has") return String(branch.has(operation.key));
  if (operation.kind === "set") return String(branch.set(operation.key, operation.value));
  if (operation.kind === "delete") return String(branch.delete(operation.key));
  const { start, end, reverse, limit, kind } = operation;
  if (kind === "count") return String(reader.pairCount(start, end));
  if (kind === "scan") return scanned(branch, start, end, limit);
  const seen: string[] = [];
  const keys: Uint8Array[] = [];
  for (const [key, value] of branch.iterate({ start, end, reverse })) {
    seen.push(`${toHex(key)}=${toHex(value)}`);
    keys.push(key);
    if (seen.length >= limit) break;
  }
  if (kind === "deleteRange") for (const key of keys) branch.delete(key);
  return seen.join(" ");
}

function scanned(
  branch: CacheKVStore,
  start: Uint8Array | undefined,
  end: Uint8Array | undefined,
  limit: number,
): string {
  const out = new Uint8Array(64 + limit);
  const scan = branch.scan({ start, end });
  const parts: string[] = [];
  for (let reads = 0; reads <= limit; reads++) {
    const length = scan.read(out);
    parts.push(length > 0 ? toHex(out.slice(0, length)) : String(length));
    if (length <= 0) break;
  }
  return parts.join(" ");
}

/** What the operations of a block gave, one after the other, and the next root. */
export interface Outcome {
  readonly answers: readonly string[];
  readonly root: string;
}

/** A block on a tree: the operations on a branch, then the next tree. */
export function block(tree: NotedTree, reader: IavlReader, operations: readonly Operation[], version: number): Outcome {
  const branch = new CacheKVStore(reader);
  const answers = operations.map((operation) => perform(branch, reader, operation));
  const { root } = nextTree(tree, branch.pending(), { hasher, version });
  return { answers, root: `${toHex(root.hash)} ${root.size} ${root.height}` };
}

export function readerOf({ source, root }: TreeAt): IavlReader {
  return new IavlReader(source, root);
}
