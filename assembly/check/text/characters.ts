// Characters: digits of hex, and code points as UTF-8.

/** -1: it is no digit. */
export function hexValue(byte: u32): i32 {
  if (byte >= 48 && byte <= 57) return byte - 48;
  const lower = byte | 0x20;
  return lower >= 97 && lower <= 102 ? <i32>lower - 87 : -1;
}

/** Stores a code point as UTF-8; returns where the next one goes. */
export function store32(to: usize, code: u32): usize {
  if (code < 0x80) {
    store<u8>(to, code);
    return to + 1;
  }
  const more: u32 = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  store<u8>(to, (0xf80 >> more) | (code >> (6 * more)));
  for (let i = more; i > 0; i--) store<u8>(to + (more - i) + 1, 0x80 | ((code >> (6 * (i - 1))) & 63));
  return to + more + 1;
}
