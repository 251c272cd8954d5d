/** The guest's linear memory, as the host may touch it: every range is checked before it is used. */

import { PAGE_BYTES } from "../../wasm/limits.js";
import { trap } from "./failures.js";

export class GuestMemory {
  #memory: WebAssembly.Memory | undefined;
  #bytes = new Uint8Array(0);

  /** @internal the memory exists only after instantiation, and imports before; nothing runs in between */
  bind(memory: WebAssembly.Memory): void {
    this.#memory = memory;
  }

  get pages(): number {
    return this.bytes.length / PAGE_BYTES;
  }

  /** All of it, as it now is. Growth detaches the buffer, whose views then have no length: never keep this. */
  get bytes(): Uint8Array {
    if (this.#bytes.length === 0 && this.#memory) this.#bytes = new Uint8Array(this.#memory.buffer);
    return this.#bytes;
  }

  /**
   * A view of a range that the guest named.
   *
   * @param ptr as it came from Wasm: an i32, read unsigned
   * @param len the same
   * @throws UpgradeError UPG_HANDLER_TRAP when the range does not lie in the memory
   */
  range(ptr: number, len: number, what: string): Uint8Array {
    const start = ptr >>> 0;
    const end = start + (len >>> 0);
    const { bytes } = this;
    if (end > bytes.length) {
      throw trap(`${what}: bytes ${start} to ${end} lie outside the memory of ${bytes.length} bytes`);
    }
    return bytes.subarray(start, end);
  }

  /** The same as a copy, for what outlives the call. `lenMax` is checked before anything is allocated. */
  copy(ptr: number, len: number, what: string, lenMax: number): Uint8Array {
    if (len >>> 0 > lenMax) throw trap(`${what} of ${len >>> 0} bytes, at most ${lenMax} are allowed`);
    return this.range(ptr, len, what).slice();
  }
}
