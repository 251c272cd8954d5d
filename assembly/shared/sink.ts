// Where answers go. An answer is produced twice: once to be counted, and again to be written if it fits. So nothing is
// written past the caller's room, no temporary copy is made, and every function has one description of its output.

let at: usize = 0;
let length: u32 = 0;
let writing: bool = false;

export function put8(value: u32): void {
  if (writing) store<u8>(at + length, value);
  length += 1;
}

export function put32(value: u32): void {
  if (writing) store<u32>(at + length, value);
  length += 4;
}

export function put64(value: u64): void {
  if (writing) store<u64>(at + length, value);
  length += 8;
}

export function putBytes(ptr: usize, len: u32): void {
  if (writing) memory.copy(at + length, ptr, len);
  length += len;
}

/** A literal; its characters are ASCII. */
export function putText(text: string): void {
  for (let i = 0, n = text.length; i < n; i++) put8(text.charCodeAt(i));
}

export function putUnsigned(value: u64): void {
  let scale: u64 = 1;
  while (value / scale >= 10) scale *= 10;
  for (; scale > 0; scale /= 10) put8(48 + <u32>((value / scale) % 10));
}

export function putDecimal(value: i64): void {
  if (value < 0) {
    put8(45);
    putUnsigned(0 - <u64>value);
  } else putUnsigned(value);
}

export function putHexByte(byte: u32): void {
  for (let shift = 4; shift >= 0; shift -= 4) {
    const digit = (byte >> shift) & 15;
    put8(digit < 10 ? 48 + digit : 87 + digit);
  }
}

/** Runs `emit` to count its bytes, and once more to write them at `out` when they fit in `cap`. Returns the count. */
export function deliver(emit: () => void, out: usize, cap: u32): i32 {
  writing = false;
  length = 0;
  emit();
  const size = length;
  if (size <= cap) {
    writing = true;
    at = out;
    length = 0;
    emit();
  }
  return <i32>size;
}
