/**
 * What a handler can reach: the stores of its manifest, by index, each with its access and key prefixes. There is no
 * other way to a store, and every key passes here. A violation ends the run.
 */

import { UpgradeError } from "../../../base/errors/errors.js";
import { compareBytes, prefixEnd, toHex } from "../../../base/text/bytes.js";
import type { KVReader, KVStore, MultiStore } from "../../../base/types/types.js";
import { OP_PUT, type OpCursor } from "../../../state/branch/kv/frames.js";
import type { Manifest, ManifestStore } from "../manifest/manifest-types.js";
import { HOST_PRICES, WRITES_ALONE } from "../meter/schedule.js";
import { trap } from "./failures.js";
import type { GasCounter } from "./gas-counter.js";

const SHOWN_KEY_BYTES_MAX = 16;

/** What a handler did to one store, in operations of its own: a key written twice counts twice. */
export interface StoreCounts {
  /** Puts. */
  readonly written: number;
  /** Deletes, also of keys that were absent. */
  readonly deleted: number;
  /** Keys and values of the puts, keys of the deletes. */
  readonly bytes: number;
}

export class StoreHandle implements StoreCounts {
  written = 0;
  deleted = 0;
  bytes = 0;
  readonly name: string;
  readonly #isWritable: boolean;
  readonly #prefixes: readonly Uint8Array[] | undefined;

  /**
   * @param store what the handler reads and writes
   * @param base what scans of the manifest read
   */
  constructor(
    { name, access, prefixes }: ManifestStore,
    readonly store: KVStore,
    readonly base: KVReader,
  ) {
    this.name = name;
    this.#isWritable = access === "rw";
    this.#prefixes = prefixes;
  }

  get isWritable(): boolean {
    return this.#isWritable;
  }

  /** @throws UpgradeError UPG_HANDLER_TRAP unless the key begins with a prefix that the manifest gives */
  requireKey(bytes: Uint8Array, at: number, length: number): void {
    if (this.#prefixes && !this.#coveringPrefix(bytes, at, length)) {
      const shown = toHex(bytes.subarray(at, at + Math.min(length, SHOWN_KEY_BYTES_MAX)));
      const rest = length > SHOWN_KEY_BYTES_MAX ? "…" : "";
      throw trap(`key ${shown}${rest} lies outside the prefixes that the manifest gives of store "${this.name}"`);
    }
  }

  /**
   * A range must lie inside what one prefix covers. It is never clipped: a shorter answer would look like an empty store.
   *
   * @param end undefined: open
   * @throws UpgradeError UPG_HANDLER_TRAP
   */
  requireRange(start: Uint8Array, end: Uint8Array | undefined): void {
    this.requireKey(start, 0, start.length);
    const prefix = this.#coveringPrefix(start, 0, start.length);
    const limit = prefix && prefixEnd(prefix);
    if (limit && (!end || compareBytes(end, limit) > 0)) {
      throw trap(`a scan of store "${this.name}" runs past the prefix ${toHex(prefix)}: end it at ${toHex(limit)}`);
    }
  }

  #coveringPrefix(bytes: Uint8Array, at: number, length: number): Uint8Array | undefined {
    for (const prefix of this.#prefixes ?? []) if (beginsWith(bytes, at, length, prefix)) return prefix;
    return undefined;
  }

  count(op: OpCursor): void {
    if (op.op === OP_PUT) this.written++;
    else this.deleted++;
    this.bytes += op.keyLen + op.valueLen;
  }
}

function beginsWith(bytes: Uint8Array, at: number, length: number, prefix: Uint8Array): boolean {
  if (prefix.length > length) return false;
  for (let i = 0; i < prefix.length; i++) if (bytes[at + i] !== prefix[i]) return false;
  return true;
}

export class StoreHandles {
  readonly #handles: readonly StoreHandle[];
  /** Writes belong to the calls that migrate. */
  mayWrite = false;
  #writes = 0;

  /** @throws UpgradeError UPG_HANDLER_LAYOUT when a store of the manifest is absent */
  constructor(
    { name: plan, stores: listed }: Manifest,
    stores: MultiStore,
    base: MultiStore,
    readonly gas: GasCounter,
  ) {
    const there = stores.names.filter((name) => base.names.includes(name));
    this.#handles = listed.map((entry) => {
      if (!there.includes(entry.name)) {
        throw new UpgradeError(
          "UPG_HANDLER_LAYOUT",
          `the handler of plan "${plan}" wants store "${entry.name}", which is absent; there are ${there.join(", ") || "none"}`,
          { details: { plan, store: entry.name } },
        );
      }
      return new StoreHandle(entry, stores.store(entry.name), base.store(entry.name));
    });
  }

  /** What the next write costs, besides its bytes: {@link HOST_PRICES}. */
  nextWritePrice(op: number): number {
    const price = op === OP_PUT ? HOST_PRICES.put : HOST_PRICES.delete;
    return this.#writes++ < WRITES_ALONE ? price + HOST_PRICES.writeAlone : price;
  }

  byName(name: string): StoreHandle | undefined {
    return this.#handles.find((handle) => handle.name === name);
  }

  /** @param index as it came from Wasm. @throws UpgradeError UPG_HANDLER_TRAP */
  readable(index: number): StoreHandle {
    const handle = this.#handles[index >>> 0];
    if (!handle) throw trap(`there is no store ${index >>> 0}: the manifest lists ${this.#handles.length}`);
    return handle;
  }

  /** @throws UpgradeError UPG_HANDLER_TRAP */
  writable(index: number): StoreHandle {
    const handle = this.readable(index);
    if (!handle.isWritable) throw trap(`a write to store "${handle.name}", which the manifest gives for reading`);
    if (!this.mayWrite) throw trap(`a write to store "${handle.name}" outside handler_run and handler_batch`);
    return handle;
  }

  /** Counts of the stores that the handler may write, by name, ascending. */
  counts(): Map<string, StoreCounts> {
    const writable = this.#handles.filter(({ isWritable }) => isWritable);
    writable.sort((a, b) => (a.name < b.name ? -1 : 1));
    return new Map(writable.map(({ name, written, deleted, bytes }) => [name, { written, deleted, bytes }]));
  }
}
