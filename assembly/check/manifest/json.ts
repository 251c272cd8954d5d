// JSON without its loopholes: strict UTF-8, a field occurs once in its object, numbers are integers and keep every digit, nesting is
// bounded, nothing follows the value. Twin of host/upgrade/handler/manifest/strict-json.ts. A value is a node; a node knows where it is.
import { isUtf8, utf8Length } from "../../shared/bytes";
import { alloc } from "../arena";
import { JSON_NESTING_MAX } from "../limits";
import { hexValue, store32 } from "../text/characters";
import { bad, number, text } from "../text/message";
import { quote } from "../text/quote";
import {
  append,
  FALSE,
  fieldOf,
  INTEGER,
  LIST,
  makeNode,
  NIL,
  Node,
  NULL,
  OBJECT,
  openManifest,
  start,
  STRING,
  TRUE,
  wrong,
} from "./node";

/** Digits of the longest integer that anyone needs, 2^64 - 1. */
const INTEGER_DIGITS_MAX: u32 = 20;

let at: usize = 0;
let end: usize = 0;

/** The value; check `bad` after it. */
export function parse(ptr: usize, len: u32): Node {
  at = ptr;
  end = ptr + len;
  const root = openManifest(ptr);
  if (!isUtf8(ptr, len)) {
    wrong(root);
    text("not UTF-8");
    return root;
  }
  value(root, 0);
  space();
  if (!bad && at < end) unexpected(root, "the end");
  return root;
}

/** The byte here; 0x100 at the end. */
function peek(): u32 {
  return at < end ? <u32>load<u8>(at) : 0x100;
}

function space(): void {
  while (at < end) {
    const byte = load<u8>(at);
    if (byte != 0x20 && byte != 9 && byte != 10 && byte != 13) return;
    at++;
  }
}

function take(byte: u32): bool {
  space();
  if (peek() != byte) return false;
  at++;
  return true;
}

function takeWord(word: string): bool {
  const length = <u32>word.length;
  if (<u32>(end - at) < length) return false;
  for (let i: u32 = 0; i < length; i++) if (load<u8>(at + i) != word.charCodeAt(i)) return false;
  at += length;
  return true;
}

/** Units of UTF-16 before `at`. */
function character(): u32 {
  let units: u32 = 0;
  for (let ptr = start; ptr < at; ptr++) {
    const byte = load<u8>(ptr);
    if ((byte & 0xc0) != 0x80) units += byte >= 0xf0 ? 2 : 1;
  }
  return units;
}

function unexpected(node: Node, due: string): void {
  wrong(node);
  text(due);
  text(" is due at character ");
  number(character());
  text(", not ");
  if (at >= end) text("the end");
  else quote(at, utf8Length(at, <u32>(end - at)));
}

function value(into: Node, depth: u32): void {
  space();
  const first = peek();
  if (first == 0x7b || first == 0x5b) {
    if (depth == JSON_NESTING_MAX) {
      wrong(into);
      text("nested deeper than ");
      number(JSON_NESTING_MAX);
      text(" levels");
      return;
    }
    at++;
    if (first == 0x7b) object(into, depth + 1);
    else list(into, depth + 1);
  } else if (first == 0x22) {
    into.kind = STRING;
    readString(into);
    into.ptr = stringPtr;
    into.len = stringLen;
  } else if (takeWord("null")) into.kind = NULL;
  else if (takeWord("true")) into.kind = TRUE;
  else if (takeWord("false")) into.kind = FALSE;
  else integer(into);
}

function object(into: Node, depth: u32): void {
  into.kind = OBJECT;
  if (take(0x7d)) return;
  let last: Node = NIL;
  do {
    space();
    if (peek() != 0x22) {
      unexpected(into, "a field name");
      return;
    }
    readString(into);
    if (bad) return;
    const field = makeNode(into, stringPtr, stringLen);
    if (fieldOf(into, stringPtr, stringLen)) {
      wrong(field);
      text("this field occurs twice");
      return;
    }
    if (!take(0x3a)) {
      unexpected(field, '":"');
      return;
    }
    append(into, last, field);
    last = field;
    value(field, depth);
    if (bad) return;
  } while (take(0x2c));
  if (!take(0x7d)) unexpected(into, '"," or "}"');
}

function list(into: Node, depth: u32): void {
  into.kind = LIST;
  if (take(0x5d)) return;
  let last: Node = NIL;
  do {
    const item = makeNode(into, 0, into.count);
    append(into, last, item);
    last = item;
    value(item, depth);
    if (bad) return;
  } while (take(0x2c));
  if (!take(0x5d)) unexpected(into, '"," or "]"');
}

function integer(into: Node): void {
  into.kind = INTEGER;
  const isNegative = peek() == 0x2d;
  const digits = at + (isNegative ? 1 : 0);
  // No more are looked at than are needed to see that they are too many.
  const limit = min(end, at + 2 * INTEGER_DIGITS_MAX);
  let stop = digits;
  while (stop < limit && load<u8>(stop) >= 48 && load<u8>(stop) <= 57) stop++;
  const count = <u32>(stop - digits);
  if (count == 0 || digits > end) {
    unexpected(into, "a value");
    return;
  }
  const isZero = load<u8>(digits) == 48;
  if (count > 1 && isZero) {
    wrong(into);
    text("an integer begins with 0");
  } else if (count > INTEGER_DIGITS_MAX) {
    wrong(into);
    text("an integer of over ");
    number(INTEGER_DIGITS_MAX);
    text(" digits");
  } else if (isNegative && isZero) {
    wrong(into);
    text("-0 is not an integer");
  }
  if (bad) return;
  at = stop;
  const after = peek();
  if (after == 0x2e || after == 0x65 || after == 0x45) {
    wrong(into);
    text("an integer is due, not a fraction or exponent");
  }
  into.isNegative = isNegative;
  into.ptr = digits;
  into.len = count;
}

let stringPtr: usize = 0;
let stringLen: u32 = 0;
/** The first half of a surrogate pair that waits for the second; 0: none. */
let half: u32 = 0;
/** Half of a pair that stays alone. */
let isLone: bool = false;

/** Reads a string, at its quotation mark, into memory of its own. */
function readString(node: Node): void {
  at++;
  // A decoded string is never longer than its source.
  let stop = at;
  while (stop < end && load<u8>(stop) != 0x22) stop += load<u8>(stop) == 0x5c ? 2 : 1;
  const out = alloc(stop - at);
  let to = out;
  half = 0;
  isLone = false;
  for (;;) {
    if (at >= end) return stringFailure(node, "a string without its end");
    const byte = <u32>load<u8>(at++);
    if (byte == 0x22) break;
    if (byte < 0x20) return stringFailure(node, "a string holds a raw control character");
    if (byte == 0x5c) {
      to = escape(node, to);
      if (bad) return;
    } else {
      endHalf();
      store<u8>(to++, byte);
    }
  }
  endHalf();
  if (isLone) return stringFailure(node, "a string holds half of a surrogate pair");
  stringPtr = out;
  stringLen = <u32>(to - out);
}

function stringFailure(node: Node, what: string): void {
  wrong(node);
  text(what);
}

function endHalf(): void {
  if (half != 0) isLone = true;
  half = 0;
}

function escape(node: Node, to: usize): usize {
  const letter = peek();
  if (letter == 0x100) {
    stringFailure(node, "unknown escape in a string");
    return to;
  }
  at++;
  if (letter == 0x75) return unit(node, to);
  let byte: u32 = 0;
  if (letter == 0x22 || letter == 0x5c || letter == 0x2f) byte = letter;
  else if (letter == 0x62) byte = 8;
  else if (letter == 0x66) byte = 12;
  else if (letter == 0x6e) byte = 10;
  else if (letter == 0x72) byte = 13;
  else if (letter == 0x74) byte = 9;
  else {
    stringFailure(node, "unknown escape in a string");
    return to;
  }
  endHalf();
  store<u8>(to, byte);
  return to + 1;
}

/** The four digits of `\u`, one unit of UTF-16. */
function unit(node: Node, to: usize): usize {
  let code: u32 = 0;
  for (let i = 0; i < 4; i++) {
    const digit = at + i < end ? hexValue(load<u8>(at + i)) : -1;
    if (digit < 0) {
      stringFailure(node, "\\u needs four hex digits");
      return to;
    }
    code = (code << 4) | <u32>digit;
  }
  at += 4;
  if (code >= 0xdc00 && code <= 0xdfff && half != 0) {
    const pair = 0x10000 + ((half - 0xd800) << 10) + (code - 0xdc00);
    half = 0;
    return store32(to, pair);
  }
  endHalf();
  if (code >= 0xd800 && code <= 0xdbff) half = code;
  else if (code >= 0xdc00 && code <= 0xdfff) isLone = true;
  else return store32(to, code);
  return to;
}
