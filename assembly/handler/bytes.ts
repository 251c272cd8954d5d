// Bytes: a view of some bytes in memory. Making one costs 24 bytes that never come back (there is no garbage collector),
// so a handler makes its views once, at its top, and points them elsewhere pair by pair.
import { compare } from "../shared/bytes";
import { fail } from "./report";

export class Bytes {
  /** Where the bytes begin. */
  ptr: usize = 0;
  /** How many they are. */
  length: u32 = 0;

  /** The UTF-8 bytes of a text, as a copy. */
  static text(text: string): Bytes {
    const length = String.UTF8.byteLength(text);
    const bytes = new Bytes();
    bytes.ptr = heap.alloc(length);
    bytes.length = <u32>String.UTF8.encodeUnsafe(changetype<usize>(text), text.length, bytes.ptr);
    return bytes;
  }

  /** The bytes that hex digits name, as a copy. What is no hex digit ends the run (code -2). */
  static hex(digits: string): Bytes {
    const length: u32 = digits.length >> 1;
    const bytes = new Bytes();
    bytes.ptr = heap.alloc(length);
    bytes.length = length;
    for (let i: u32 = 0; i < length; i++) {
      store<u8>(bytes.ptr + i, (hexDigit(digits.charCodeAt(2 * i)) << 4) | hexDigit(digits.charCodeAt(2 * i + 1)));
    }
    return bytes;
  }

  /** Makes this a view of those bytes. */
  point(ptr: usize, length: u32): Bytes {
    this.ptr = ptr;
    this.length = length;
    return this;
  }

  /** Makes this a view of a part of other bytes. Past their end the run ends (code -3). */
  part(whole: Bytes, from: u32, to: u32 = whole.length): Bytes {
    if (from > to || to > whole.length) outOfRange();
    this.ptr = whole.ptr + from;
    this.length = to - from;
    return this;
  }

  /** One byte. What is read past the end ends the run (code -3), here and below. */
  u8At(at: u32): u32 {
    return load<u8>(this.reach(at, 1));
  }

  /** Two bytes, big-endian, as keys have integers. */
  be16At(at: u32): u32 {
    return bswap<u16>(load<u16>(this.reach(at, 2)));
  }

  /** Four bytes, big-endian. */
  be32At(at: u32): u32 {
    return bswap<u32>(load<u32>(this.reach(at, 4)));
  }

  /** Eight bytes, big-endian. */
  be64At(at: u32): u64 {
    return bswap<u64>(load<u64>(this.reach(at, 8)));
  }

  /** Four bytes, little-endian. */
  le32At(at: u32): u32 {
    return load<u32>(this.reach(at, 4));
  }

  /** Eight bytes, little-endian. */
  le64At(at: u32): u64 {
    return load<u64>(this.reach(at, 8));
  }

  /** Are they the same bytes? */
  equals(other: Bytes): bool {
    return this.length == other.length && memory.compare(this.ptr, other.ptr, this.length) == 0;
  }

  /** Do they begin with these? */
  startsWith(prefix: Bytes): bool {
    return prefix.length <= this.length && memory.compare(this.ptr, prefix.ptr, prefix.length) == 0;
  }

  /** The order of keys: below zero when this comes first, 0 when equal. */
  compare(other: Bytes): i32 {
    return compare(this.ptr, this.length, other.ptr, other.length);
  }

  /** As a string, for messages. It costs memory each time. */
  toString(): string {
    return String.UTF8.decodeUnsafe(this.ptr, this.length);
  }

  /** Where the bytes from `at` on are. Fails when there are fewer. */
  private reach(at: u32, bytes: u32): usize {
    if (<u64>at + bytes > this.length) outOfRange();
    return this.ptr + at;
  }
}

function hexDigit(unit: i32): u32 {
  if (unit >= 48 && unit <= 57) return unit - 48;
  const letter = unit | 32;
  if (letter < 97 || letter > 102) fail(-2, "Bytes.hex: not a hex digit");
  return letter - 87;
}

function outOfRange(): void {
  fail(-3, "reading behind the end of some bytes");
}
