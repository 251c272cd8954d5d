// Readers of one JSON value, which say what is wrong where. Twin of host/upgrade/handler/manifest/json-field.ts and names.ts.
import { utf8Length } from "../../shared/bytes";
import { MODULE_NAME_BYTES_MAX, STORE_NAME_BYTES_MAX } from "../limits";
import { bad, bytesOverLimit, number, putBytes, text } from "../text/message";
import { codePoint } from "../text/quote";
import { isNamed } from "../wasm/module";
import { INTEGER, LIST, missing, NIL, Node, NULL, OBJECT, STRING, wrong } from "./node";

function kindText(node: Node): void {
  if (node.kind == NULL) text("null");
  else if (node.kind == INTEGER) text("an integer");
  else if (node.kind == STRING) text("a string");
  else if (node.kind == LIST) text("a list");
  else if (node.kind == OBJECT) text("an object");
  else text("a boolean");
}

export function wrongAs(node: Node, what: string): void {
  wrong(node);
  text(what);
}

function require(node: Node, kind: u32, name: string): bool {
  if (bad) return false;
  if (node.kind == kind) return true;
  wrong(node);
  text("must be ");
  text(name);
  text(", not ");
  kindText(node);
  return false;
}

export function isText(node: Node): bool {
  return require(node, STRING, "a string");
}

export function isObject(node: Node): bool {
  return require(node, OBJECT, "an object");
}

export function isList(node: Node): bool {
  return require(node, LIST, "a list");
}

/** A list of at most so many. */
export function isListOf(node: Node, most: u32): bool {
  if (!isList(node)) return false;
  if (node.count <= most) return true;
  wrong(node);
  text("has ");
  number(node.count);
  text(" items, at most ");
  number(most);
  text(" are allowed");
  return false;
}

/** Is the name of the node one of these words? */
function isOneOf(node: Node, words: string): bool {
  const length = words.length;
  for (let from = 0; from < length; ) {
    let to = from;
    while (to < length && words.charCodeAt(to) != 32) to++;
    if (<u32>(to - from) == node.keyLen) {
      let i = 0;
      while (from + i < to && load<u8>(node.key + i) == words.charCodeAt(from + i)) i++;
      if (from + i == to) return true;
    }
    from = to + 1;
  }
  return false;
}

export function optional(object: Node, name: string): Node {
  for (let each: Node = object.first; each; each = each.next) if (isNamed(each.key, each.keyLen, name)) return each;
  return NIL;
}

/** Only after `hasFields`. */
export function required(object: Node, name: string): Node {
  return optional(object, name);
}

/** Fails where a field of an object is missing. */
export function requireField(object: Node, name: string): void {
  if (!bad && !optional(object, name)) missing(object, name);
}

/** Fails at the first field that `names`, separated by spaces, does not list. */
export function requireKnown(object: Node, names: string): void {
  for (let each: Node = object.first; each && !bad; each = each.next) {
    if (!isOneOf(each, names)) wrongAs(each, "is not a known field");
  }
}

/** Reports a fault of the name that `node` holds, after `prefix`. Returns whether it has one. */
export function hasNameProblem(node: Node, ptr: usize, len: u32, prefix: string): bool {
  const isLong = len > MODULE_NAME_BYTES_MAX;
  if (bad || (len > 0 && !isLong && !hasControl(ptr, len))) return bad;
  wrong(node);
  text(prefix);
  if (len == 0) text("is empty");
  else if (!isLong) text("holds a control character");
  else bytesOverLimit(len, MODULE_NAME_BYTES_MAX);
  return true;
}

/** U+0000 to U+001F, U+007F to U+009F. */
function hasControl(ptr: usize, len: u32): bool {
  const end = ptr + len;
  while (ptr < end) {
    const length = utf8Length(ptr, <u32>(end - ptr));
    const code = codePoint(ptr, length);
    if (code < 0x20 || (code >= 0x7f && code <= 0x9f)) return true;
    ptr += length;
  }
  return false;
}

export function readName(node: Node): void {
  if (isText(node)) hasNameProblem(node, node.ptr, node.len, "");
}

export function readStoreName(node: Node): void {
  readName(node);
  if (bad) return;
  for (let i: u32 = 0; i < node.len; i++) {
    if (isStoreLetter(load<u8>(node.ptr + i))) continue;
    wrongAs(node, "a store's name consists of a to z, 0 to 9, _ . / and -");
    return;
  }
  if (node.len > STORE_NAME_BYTES_MAX) {
    wrongAs(node, "a store's name has at most ");
    number(STORE_NAME_BYTES_MAX);
    text(" bytes, got ");
    number(node.len);
  } else if (hasEmptyPart(node)) {
    wrongAs(node, 'no part of a store\'s name between slashes is empty, "." or ".."');
  }
}

function isStoreLetter(byte: u32): bool {
  // 45 to 57: - . / and digits.
  return (byte >= 97 && byte <= 122) || (byte >= 45 && byte <= 57) || byte == 95;
}

/** A part between slashes that is empty, "." or "..". */
function hasEmptyPart(node: Node): bool {
  let length: u32 = 0;
  let dots: u32 = 0;
  for (let i: u32 = 0; i <= node.len; i++) {
    const byte: u32 = i < node.len ? load<u8>(node.ptr + i) : 0x2f;
    if (byte == 0x2f) {
      if (length == dots && length <= 2) return true;
      length = 0;
      dots = 0;
    } else {
      length++;
      if (byte == 0x2e) dots++;
    }
  }
  return false;
}

/** The number that was read last. */
export let value: u64 = 0;
let isOver: bool = false;

function readDigits(node: Node): void {
  value = 0;
  isOver = false;
  for (let i: u32 = 0; i < node.len; i++) {
    const digit = <u64>load<u8>(node.ptr + i) - 48;
    if (value > (u64.MAX_VALUE - digit) / 10) isOver = true;
    value = value * 10 + digit;
  }
}

function atMost(node: Node, most: u64): void {
  readDigits(node);
  if (!isOver && value <= most) return;
  wrong(node);
  text("is ");
  putBytes(node.ptr, node.len);
  text(", at most ");
  number(most);
  text(" is allowed");
}

/** A decimal string without sign or leading zeros, at most `most`. */
export function readDecimal(node: Node, most: u64): void {
  if (!isText(node)) return;
  let isDecimal = node.len > 0 && node.len <= 20 && (node.len == 1 || load<u8>(node.ptr) != 48);
  for (let i: u32 = 0; i < node.len && isDecimal; i++) {
    const byte = load<u8>(node.ptr + i);
    isDecimal = byte >= 48 && byte <= 57;
  }
  if (isDecimal) atMost(node, most);
  else wrongAs(node, "must be a decimal number as a string");
}

/** An unsigned 64-bit integer. */
export function readInteger(node: Node): void {
  if (!require(node, INTEGER, "an integer")) return;
  if (node.isNegative) wrongAs(node, "must not be negative");
  else atMost(node, u64.MAX_VALUE);
}

/** The same, also as a decimal string, for writers whose JSON numbers end at 2^53. */
export function readU64(node: Node): void {
  if (node.kind == STRING) readDecimal(node, u64.MAX_VALUE);
  else readInteger(node);
}
