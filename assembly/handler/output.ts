// What a handler writes, framed, until the host takes it: as the answer of `handler_batch`, or by `store_write` when the
// buffer is full, before anything is read, and at the end of `handler_run`. So a reader sees every write before it.
import { store_set, store_write } from "./imports";
import { outputCap, outputPtr } from "./memory";
import { fail } from "./report";

const OP_DELETE: u32 = 1 << 30;
const KEY_BYTES_MAX: u32 = 65_535;
const VALUE_BYTES_MAX: u32 = 1_048_576;
/** The output of `handler_batch` begins with a count; frames are after it always. */
const HEAD: u32 = 4;

let written: u32 = HEAD;

export function flush(): void {
  if (written == HEAD) return;
  store_write(outputPtr() + HEAD, written - HEAD);
  written = HEAD;
}

/** What is left over as the answer of `handler_batch`, which consumed so many bytes. */
export function answer(consumed: u32): i32 {
  store<u32>(outputPtr(), consumed);
  const length = written;
  written = HEAD;
  return <i32>length;
}

export function put(handle: u32, key: usize, keyLength: u32, value: usize, valueLength: u32): void {
  if (keyLength == 0 || keyLength > KEY_BYTES_MAX) fail(-5, "a key has 1 to 65,535 bytes");
  if (valueLength > VALUE_BYTES_MAX) fail(-6, "a value has at most 1 MiB");
  const size = 8 + keyLength + valueLength;
  if (written + size > outputCap()) {
    flush();
    if (HEAD + size > outputCap()) {
      store_set(handle, key, keyLength, value, valueLength);
      return;
    }
  }
  const at = outputPtr() + written;
  store<u32>(at, (handle << 24) | keyLength);
  store<u32>(at, valueLength, 4);
  memory.copy(at + 8, key, keyLength);
  memory.copy(at + 8 + keyLength, value, valueLength);
  written += size;
}

export function remove(handle: u32, key: usize, keyLength: u32): void {
  if (keyLength == 0 || keyLength > KEY_BYTES_MAX) fail(-5, "a key has 1 to 65,535 bytes");
  const size = 4 + keyLength;
  if (written + size > outputCap()) flush();
  const at = outputPtr() + written;
  store<u32>(at, OP_DELETE | (handle << 24) | keyLength);
  memory.copy(at + 4, key, keyLength);
  written += size;
}
