/** Where the bytes of a document are read, a part at a time: a file, or memory. */
export interface ByteSource {
  /** Bytes in all. */
  readonly size: number;
  /** Fills `into` with the bytes from `at` on, as far as there are any; returns how many. */
  read(at: number, into: Uint8Array): number;
}

export function memorySource(bytes: Uint8Array): ByteSource {
  return {
    size: bytes.length,
    read(at, into) {
      const part = bytes.subarray(at, at + into.length);
      into.set(part);
      return part.length;
    },
  };
}

/** Bytes from `start` to `end`, a copy. */
export function readRange(source: ByteSource, start: number, end: number): Uint8Array {
  const bytes = new Uint8Array(end - start);
  const count = source.read(start, bytes);
  return count === bytes.length ? bytes : bytes.subarray(0, count);
}
