// A varint codec, written and read back: what a handler that rewrites protobuf does.

const AT: usize = 65536;
const END: usize = 1048576 - 16;

function put(to: usize, value: u64): usize {
  while (value >= 0x80) {
    store<u8>(to++, <u8>(value | 0x80));
    value >>= 7;
  }
  store<u8>(to, <u8>value);
  return to + 1;
}

/** Writes `count` numbers of mixed size and reads them; returns a sum. */
export function work(count: i32): i32 {
  let to = AT;
  let seed: u64 = 0x9e3779b97f4a7c15;
  let written = 0;
  for (; written < count && to < END; written++) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    to = put(to, seed >> (seed & 63));
  }
  let sum: u64 = 0;
  for (let at = AT; at < to; ) {
    let value: u64 = 0;
    let shift: u64 = 0;
    for (;;) {
      const byte: u64 = load<u8>(at++);
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) break;
      shift += 7;
    }
    sum += value;
  }
  return <i32>(sum ^ (sum >> 32));
}
