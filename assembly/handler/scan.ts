// Scan: a walk over pairs in the order of their keys, in chunks of up to 64 KiB, with no object per pair. It sees the
// handler's own writes of before it began; whether it sees later ones depends on where chunks end, so do not write what
// you still walk over, or collect first.
import { Bytes } from "./bytes";
import { store_scan } from "./imports";
import { flush } from "./output";
import { Writer } from "./writer";

const CHUNK_BYTES_MIN: u32 = 1_024;
const CHUNK_BYTES_MAX: u32 = 65_536;

/** Scans that are done wait here, with their memory. */
let spare: Scan | null = null;

export function openScan(handle: u32): Scan {
  const ready = spare;
  const scan = ready === null ? new Scan() : ready;
  spare = scan.waiting;
  scan.waiting = null;
  scan.handle = handle;
  return scan;
}

export class Scan {
  /** The key of the current pair, good until the next one is taken. */
  readonly key: Bytes = new Bytes();
  /** And its value, good as long. */
  readonly value: Bytes = new Bytes();
  /** @internal */
  handle: u32 = 0;
  /** @internal */
  waiting: Scan | null = null;
  private readonly start: Writer = new Writer(256);
  private readonly end: Writer = new Writer(256);
  private readonly chunk: Writer = new Writer(CHUNK_BYTES_MIN);
  private chunkBytes: u32 = CHUNK_BYTES_MIN;
  private at: usize = 0;
  private stop: usize = 0;
  private isOpen: bool = false;

  /** @internal */
  over(prefix: Bytes): Scan {
    this.start.clear().bytes(prefix);
    this.end.clear().bytes(prefix);
    // The first key after the prefix: its last byte that can be counted up, without what follows.
    const end = this.end;
    while (end.length > 0 && load<u8>(end.ptr + end.length - 1) == 0xff) end.length -= 1;
    if (end.length > 0) {
      const last = end.ptr + end.length - 1;
      store<u8>(last, <u32>load<u8>(last) + 1);
    }
    return this.begin();
  }

  /** @internal */
  between(start: Bytes, end: Bytes | null): Scan {
    this.start.clear().bytes(start);
    this.end.clear();
    if (end !== null) this.end.bytes(end);
    return this.begin();
  }

  private begin(): Scan {
    this.chunkBytes = CHUNK_BYTES_MIN;
    this.at = 0;
    this.stop = 0;
    this.isOpen = true;
    return this;
  }

  /** Makes the next pair the current one; false after the last one. */
  next(): bool {
    if (this.at >= this.stop && !this.fill()) return false;
    const at = this.at;
    const keyLength = load<u32>(at);
    const valueLength = load<u32>(at, 4);
    this.key.point(at + 8, keyLength);
    this.value.point(at + 8 + keyLength, valueLength);
    this.at = at + 8 + keyLength + valueLength;
    return true;
  }

  /** Ends a walk before its end, so that its memory serves the next one. */
  close(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.at = 0;
    this.stop = 0;
    this.waiting = spare;
    spare = this;
  }

  private fill(): bool {
    if (!this.isOpen) return false;
    flush();
    // Goes on right after the last key: the first key that is longer.
    if (this.stop != 0) this.start.clear().bytes(this.key).u8(0);
    let length = this.read();
    if (length > this.chunkBytes) {
      this.chunkBytes = length;
      length = this.read();
    }
    if (length == 0) {
      this.close();
      return false;
    }
    this.at = this.chunk.ptr;
    this.stop = this.chunk.ptr + length;
    this.chunkBytes = max(this.chunkBytes, min(this.chunkBytes * 4, CHUNK_BYTES_MAX));
    return true;
  }

  private read(): u32 {
    const start = this.start;
    const end = this.end;
    const room = this.chunkBytes;
    const out = this.chunk.clear().reserve(room);
    return <u32>store_scan(this.handle, start.ptr, start.length, end.ptr, end.length, out, room);
  }
}
