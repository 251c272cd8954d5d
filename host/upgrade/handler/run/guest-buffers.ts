/** The two buffers that a guest owns: the host writes inputs to one and reads outputs from the other. */
import { BATCH_BYTES, BATCH_OUT_BYTES } from "../../../base/types/limits.js";
import { failed, trap } from "./failures.js";
import type { GasCounter } from "./gas-counter.js";
import type { Guest } from "./guest.js";

export class GuestBuffers {
  readonly #guest: Guest;
  readonly #gas: GasCounter;
  readonly #out: number;
  #in: number;
  #inBytes = BATCH_BYTES;

  /** Asks for both once: `handler_in(65536)`, then `handler_out(262144)`. */
  constructor(guest: Guest, gas: GasCounter) {
    this.#guest = guest;
    this.#gas = gas;
    this.#in = this.#ask("handler_in", BATCH_BYTES);
    this.#out = this.#ask("handler_out", BATCH_OUT_BYTES);
  }

  /** Writes an input; a larger one than ever before asks the guest for a larger buffer first. */
  give(input: Uint8Array): void {
    this.#gas.chargeBytes(input.length, "its input");
    if (input.length > this.#inBytes) {
      this.#in = this.#ask("handler_in", input.length);
      this.#inBytes = input.length;
    }
    this.#guest.memory.range(this.#in, input.length, "the buffer of handler_in").set(input);
  }

  /** A view of an output, good until the guest runs again. @throws UpgradeError UPG_HANDLER_TRAP when it is too long */
  output(length: number, call: string): Uint8Array {
    if (length > BATCH_OUT_BYTES) {
      throw trap(`${call} returned ${length}, its buffer has ${BATCH_OUT_BYTES} bytes`);
    }
    this.#gas.chargeBytes(length, call);
    return this.#guest.memory.range(this.#out, length, "the buffer of handler_out");
  }

  #ask(name: string, bytes: number): number {
    const ptr = this.#guest.call(name, bytes);
    if (ptr === 0) throw failed(`${name}(${bytes}) refused: the handler has no room for its buffer`, { call: name });
    this.#guest.memory.range(ptr, bytes, `the buffer of ${name}(${bytes})`);
    return ptr;
  }
}
