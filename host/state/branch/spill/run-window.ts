/** Reads a run from one end to the other, several blocks at once, into room that is used again. */

import type { ReadableRun } from "./readable-run.js";
import type { RunBlock } from "./run-block.js";

/** What is read at once, unless one block is larger. */
const WINDOW_BYTES = 65_536;

export class RunWindow {
  #room = new Uint8Array(0);
  /** What was read before stays as it is until the next blocks are read: a walk compares with its last key. */
  #before = new Uint8Array(0);
  /** First byte of the run that the room has. */
  #from = 0;
  #first = 0;
  #behind = 0;

  constructor(private readonly run: ReadableRun) {}

  /** A block, checked. Its bytes are good until the window has moved twice. @throws UpgradeError UPG_STORE_IO */
  block(number: number): RunBlock {
    if (number < this.#first || number >= this.#behind) this.#moveTo(number);
    const { index } = this.run;
    const at = index.offset(number) - this.#from;
    return this.run.checked(this.#room.subarray(at, at + index.length(number)));
  }

  #moveTo(first: number): void {
    const { index, file } = this.run;
    const from = index.offset(first);
    let behind = first + 1;
    while (behind < index.count && index.offset(behind) + index.length(behind) - from <= WINDOW_BYTES) behind++;
    const bytes = index.offset(behind - 1) + index.length(behind - 1) - from;
    const room = this.#before.length >= bytes ? this.#before : new Uint8Array(Math.max(bytes, WINDOW_BYTES));
    this.#before = this.#room;
    this.#room = room;
    this.#behind = this.#first; // nothing is kept when the read fails
    file.readInto(from, room.subarray(0, bytes));
    this.#from = from;
    this.#first = first;
    this.#behind = behind;
  }
}
