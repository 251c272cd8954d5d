// Pure functions over linear memory: big-endian integers, comparison, UTF-8. No state, no allocation.

export function loadBE64(ptr: usize): u64 {
  return bswap(load<u64>(ptr));
}

export function storeBE64(ptr: usize, value: u64): void {
  store<u64>(ptr, bswap(value));
}

/** Bytewise order: below zero when a comes first, 0 when equal; a prefix comes before what it begins. */
export function compare(a: usize, aLen: u32, b: usize, bLen: u32): i32 {
  const order = memory.compare(a, b, min(aLen, bLen));
  if (order != 0) return order;
  return aLen == bLen ? 0 : aLen < bLen ? -1 : 1;
}

export function equal(a: usize, aLen: u32, b: usize, bLen: u32): bool {
  return aLen == bLen && memory.compare(a, b, aLen) == 0;
}

function continues(byte: u32): bool {
  return (byte & 0xc0) == 0x80;
}

/** Bytes of the well-formed UTF-8 sequence at `ptr` (1…4), or 0: shortest form only, no surrogates, at most U+10FFFF. */
export function utf8Length(ptr: usize, len: u32): u32 {
  const first = <u32>load<u8>(ptr);
  if (first < 0x80) return 1;
  if (first < 0xc2 || len < 2) return 0;
  const second = <u32>load<u8>(ptr, 1);
  if (first < 0xe0) return continues(second) ? 2 : 0;
  if (len < 3 || !continues(load<u8>(ptr, 2))) return 0;
  if (first < 0xf0) {
    const low: u32 = first == 0xe0 ? 0xa0 : 0x80;
    const high: u32 = first == 0xed ? 0x9f : 0xbf;
    return second >= low && second <= high ? 3 : 0;
  }
  if (first > 0xf4 || len < 4 || !continues(load<u8>(ptr, 3))) return 0;
  const low: u32 = first == 0xf0 ? 0x90 : 0x80;
  const high: u32 = first == 0xf4 ? 0x8f : 0xbf;
  return second >= low && second <= high ? 4 : 0;
}

export function isUtf8(ptr: usize, len: u32): bool {
  const end = ptr + len;
  while (ptr < end) {
    const n = utf8Length(ptr, <u32>(end - ptr));
    if (n == 0) return false;
    ptr += n;
  }
  return true;
}
