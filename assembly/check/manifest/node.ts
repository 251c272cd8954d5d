// A value of a manifest, and where it is: what the parser of json.ts makes, and messages that begin with its path.
import { equal } from "../../shared/bytes";
import { alloc } from "../arena";
import { UPG_HANDLER_MANIFEST } from "../codes";
import { number, put, putBytes, refuse, text } from "../text/message";
import { quote } from "../text/quote";

export const NULL: u32 = 0;
export const FALSE: u32 = 1;
export const TRUE: u32 = 2;
export const INTEGER: u32 = 3;
export const STRING: u32 = 4;
export const LIST: u32 = 5;
export const OBJECT: u32 = 6;

@unmanaged
export class Node {
  kind: u32;
  /** NIL for the root. */
  parent: Node;
  /** In an object: its name. In a list: 0, and the index. */
  key: usize;
  keyLen: u32;
  /** Text of a string, digits of an integer. */
  ptr: usize;
  len: u32;
  /** Fields or items. */
  count: u32;
  first: Node;
  next: Node;
  /** Of an integer: below 0. */
  isNegative: bool;
  /** Of a version that was read. */
  value: u64;
}

/** No node: what a list ends with, and a field that is left out. */
export const NIL: Node = changetype<Node>(0);

/** First byte of the manifest. */
export let start: usize = 0;

/** The root of a manifest that begins there. */
export function openManifest(ptr: usize): Node {
  start = ptr;
  return makeNode(NIL, 0, 0);
}

export function makeNode(parent: Node, key: usize, keyLen: u32): Node {
  const made = changetype<Node>(alloc(offsetof<Node>()));
  made.kind = NULL;
  made.parent = parent;
  made.key = key;
  made.keyLen = keyLen;
  made.count = 0;
  made.first = NIL;
  made.next = NIL;
  return made;
}

function isWordLetter(byte: u32): bool {
  const lower = byte | 0x20;
  return (lower >= 97 && lower <= 122) || byte == 95;
}

function isPlain(ptr: usize, len: u32): bool {
  if (len == 0 || !isWordLetter(load<u8>(ptr))) return false;
  for (let i: u32 = 1; i < len; i++) {
    const byte = load<u8>(ptr + i);
    if (!isWordLetter(byte) && (byte < 48 || byte > 57)) return false;
  }
  return true;
}

/** `$.stores[1].access`. */
export function pathText(node: Node): void {
  const parent = node.parent;
  if (!parent) {
    put(0x24);
    return;
  }
  pathText(parent);
  if (parent.kind == LIST) {
    put(0x5b);
    number(node.keyLen);
    put(0x5d);
  } else fieldText(node.key, node.keyLen);
}

/** The end of a field's path. */
export function fieldText(name: usize, len: u32): void {
  if (isPlain(name, len)) {
    put(0x2e);
    putBytes(name, len);
    return;
  }
  put(0x5b);
  quote(name, len);
  put(0x5d);
}

/** Begins a failure; its message goes on with what is wrong. */
export function wrong(node: Node): void {
  refuse(UPG_HANDLER_MANIFEST, start);
  text("manifest: ");
  pathText(node);
  text(": ");
}

/** Fails since an object has no such field. */
export function missing(object: Node, name: string): void {
  refuse(UPG_HANDLER_MANIFEST, start);
  text("manifest: ");
  pathText(object);
  put(0x2e);
  text(name);
  text(": is missing");
}

export function append(into: Node, last: Node, item: Node): void {
  if (last) last.next = item;
  else into.first = item;
  into.count += 1;
}

export function fieldOf(object: Node, name: usize, len: u32): Node {
  for (let each: Node = object.first; each; each = each.next) if (equal(each.key, each.keyLen, name, len)) return each;
  return NIL;
}
