/** core.wasm as another language sees it: bare exports, one memory, four imports over a store that can be exchanged. */

import { ABSENT } from "../../host/base/errors/errors.js";
import { concatBytes, utf8 } from "../../host/base/text/bytes.js";
import type { KVStore } from "../../host/base/types/types.js";
import { writeU32 } from "../../host/base/wire/u32.js";
import { MemoryKVStore } from "../../host/state/branch/kv/memory-kv.js";

type Answer = number | bigint;
export type Argument = number | bigint | Uint8Array | string;

export interface ImportCalls {
  get: number;
  set: number;
  delete: number;
  seek: number;
}

/** What a test may put in the place of an import. */
export type ImportReplacements = Partial<Record<keyof ImportCalls, (...args: number[]) => number>>;

const utf8Decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export class RawCore {
  store: KVStore = new MemoryKVStore();
  calls: ImportCalls = { get: 0, set: 0, delete: 0, seek: 0 };
  readonly exports: Readonly<Record<string, (...args: Answer[]) => Answer>>;
  readonly memory: WebAssembly.Memory;
  readonly bytes: Uint8Array;
  readonly #wasm: Uint8Array;

  constructor(wasm: Uint8Array, replaced: ImportReplacements = {}) {
    this.#wasm = wasm;
    const module = new WebAssembly.Module(wasm as Uint8Array<ArrayBuffer>);
    const { exports } = new WebAssembly.Instance(module, { kv: { ...this.#imports(), ...replaced } });
    this.exports = exports as Record<string, (...args: Answer[]) => Answer>;
    this.memory = exports["memory"] as WebAssembly.Memory;
    this.bytes = new Uint8Array(this.memory.buffer);
    this.exports["_initialize"]?.();
  }

  /** Another instance: a trap poisons one. */
  fresh(replaced: ImportReplacements = {}): RawCore {
    return new RawCore(this.#wasm, replaced);
  }

  /** Forgets the inputs of earlier calls and the counts of imports. */
  reset(store: KVStore = new MemoryKVStore()): void {
    this.store = store;
    this.calls = { get: 0, set: 0, delete: 0, seek: 0 };
    this.call("core_reset");
  }

  /** Calls an export as it is. */
  call(name: string, ...args: readonly Answer[]): Answer {
    const entry = this.exports[name];
    if (!entry) throw new Error(`no export ${name}`);
    return entry(...args);
  }

  /** Calls an export; bytes and texts go into the arena and become a pointer and a length. */
  send(name: string, ...args: readonly Argument[]): Answer {
    return this.call(name, ...args.flatMap((arg) => this.lay(arg)));
  }

  /** The same with the scratch area as room for the output; undefined for ABSENT or a failure. */
  ask(name: string, ...args: readonly Argument[]): Uint8Array | undefined {
    const [out, cap] = [this.scratch, this.scratchCap];
    const size = Number(this.send(name, ...args, out, cap));
    return size < 0 ? undefined : this.bytes.slice(out, out + size);
  }

  /** Arguments as numbers: bytes and texts are put into memory. */
  lay(arg: Argument): Answer[] {
    if (typeof arg === "number" || typeof arg === "bigint") return [arg];
    const bytes = typeof arg === "string" ? utf8(arg) : arg;
    return [this.put(bytes), bytes.length];
  }

  /** Puts bytes into the arena and returns where. */
  put(bytes: Uint8Array): number {
    const ptr = Number(this.call("core_alloc", bytes.length)) >>> 0;
    if (ptr === 0) throw new Error(`the arena has no room for ${bytes.length} bytes`);
    this.bytes.set(bytes, ptr);
    return ptr;
  }

  get scratch(): number {
    return Number(this.call("core_scratch")) >>> 0;
  }

  get scratchCap(): number {
    return Number(this.call("core_scratch_cap"));
  }

  /** The record of the last failure. @throws TypeError when its message is not UTF-8 */
  get error(): { code: number; message: string } {
    const record = Number(this.call("core_err")) >>> 0;
    const view = new DataView(this.memory.buffer);
    const from = record + 8;
    const text = this.bytes.subarray(from, from + view.getUint32(record + 4, true));
    return { code: view.getUint32(record, true), message: utf8Decoder.decode(text) };
  }

  #imports(): Record<string, (...args: number[]) => number | undefined> {
    const read = (ptr = 0, len = 0) => this.bytes.slice(ptr >>> 0, (ptr >>> 0) + (len >>> 0));
    return {
      get: (key, keyLen, out, cap) => {
        this.calls.get++;
        return this.#answer(this.store.get(read(key, keyLen)), out, cap);
      },
      set: (key, keyLen, value, valueLen) => {
        this.calls.set++;
        this.store.set(read(key, keyLen), read(value, valueLen));
        return undefined;
      },
      delete: (key, keyLen) => {
        this.calls.delete++;
        this.store.delete(read(key, keyLen));
        return undefined;
      },
      seek: (start, startLen, end, endLen, out, cap) => {
        this.calls.seek++;
        const last = endLen === 0 ? undefined : read(end, endLen);
        for (const [key, value] of this.store.iterate({ start: read(start, startLen), end: last })) {
          return this.#answer(frame(key, value), out, cap);
        }
        return -ABSENT;
      },
    };
  }

  #answer(bytes: Uint8Array | undefined, out = 0, cap = 0): number {
    if (!bytes) return -ABSENT;
    if (bytes.length <= cap >>> 0) this.bytes.set(bytes, out >>> 0);
    return bytes.length;
  }
}

/** A pair as `kv.seek` answers it. */
export function frame(key: Uint8Array, value: Uint8Array): Uint8Array {
  const head = new Uint8Array(8);
  writeU32(head, 0, key.length);
  writeU32(head, 4, value.length);
  return concatBytes(head, key, value);
}
