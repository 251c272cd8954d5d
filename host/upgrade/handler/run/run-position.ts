/** Where a run is: which call, which scan of which store, and which pair is next. For the record of its failure. */
import { EMPTY, toHex } from "../../../base/text/bytes.js";
import { FRAME_HEADER_BYTES } from "../../../base/types/limits.js";
import { readU32 } from "../../../base/wire/u32.js";
import { PAGE_BYTES } from "../../wasm/limits.js";
import type { ScanBatches } from "./batches.js";

/** Follows a run from outside: for tools that look for what a handler costs, or for why it fails. Without effect on results. */
export interface RunObserver {
  /** The handler's instance is there; nothing of it has run. */
  readonly onGuest?: (exports: WebAssembly.Exports) => void;
  /** The run comes to a place: "loading", a function that the host calls, or a scan. */
  readonly onPlace?: (place: string, gasUsed: bigint) => void;
  /** Before each batch: the number of the scan, the pairs of it that are consumed, pages of the guest's memory. */
  readonly onBatch?: (scan: number, consumed: number, memoryPages: number) => void;
  /** The run begins: `used` returns the gas used so far, at any time. */
  readonly onGas?: (used: () => bigint) => void;
  /** What the host itself took gas for. What this throws ends the run. */
  readonly onCharge?: (what: string, price: number) => void;
}

const SHOWN_KEY_BYTES_MAX = 256;

export class Place {
  /** In words. */
  name = "loading";
  #scan: number | undefined;
  #store = "";
  #consumed = 0;
  /** The frames of the batch: they lie where they are until the next one is packed. */
  #frames: Uint8Array = EMPTY;
  /** Bytes of the guest's memory when the scan began. */
  #memoryBefore = 0;

  at(name: string): void {
    this.name = name;
    this.#scan = undefined;
    this.#frames = EMPTY;
  }

  atScan(scan: number, store: string, memoryPages: number): void {
    this.at(`scan ${scan} of store "${store}"`);
    this.#scan = scan;
    this.#store = store;
    this.#memoryBefore = memoryPages * PAGE_BYTES;
  }

  atBatch({ bytes, start, end, consumed }: ScanBatches): void {
    this.#frames = bytes.subarray(start, end);
    this.#consumed = consumed;
  }

  /**
   * As the details of an error have it: `key` is the first pair that the guest has not consumed, in hex, `pairs` how many
   * of the scan it consumed before.
   */
  details(memoryPages: number): Record<string, string> {
    const memory = { phase: this.name, memory: String(memoryPages * PAGE_BYTES) };
    if (this.#scan === undefined) return memory;
    const { scan, store } = { scan: String(this.#scan), store: this.#store };
    const before = { pairs: String(this.#consumed), memory_before: String(this.#memoryBefore) };
    return { ...memory, scan, store, ...before, ...(this.#frames.length > 0 ? { key: this.#key() } : {}) };
  }

  #key(): string {
    const length = readU32(this.#frames, 0);
    const shown = Math.min(length, SHOWN_KEY_BYTES_MAX);
    const key = toHex(this.#frames.subarray(FRAME_HEADER_BYTES, FRAME_HEADER_BYTES + shown));
    return shown < length ? `${key}…` : key;
  }
}
