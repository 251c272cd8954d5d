/**
 * The only file that touches the memory of core.wasm: instantiates it, moves bytes in and out, and turns an answer
 * below 0 into an UpgradeError. A trap poisons the instance: it is dropped and the next call gets a fresh one.
 */

import { instantiateSync } from "@assemblyscript/loader";
import { ABSENT, assert, ERROR_KINDS, isUpgradeError, UpgradeError } from "../../base/errors/errors.js";
import { machineProblem } from "../../base/errors/machine.js";
import { decodeLossy } from "../../base/text/text.js";
import { FRAME_HEADER_BYTES } from "../../base/types/limits.js";
import type { KVReader, KVStore } from "../../base/types/types.js";
import { errorCodeOf } from "./error-number.js";

const ABI_MAJOR = 1;
const IMPORTS = ["get", "set", "delete", "seek"];
/** What every operation needs; the others are looked up when they are called. */
const SYSTEM = ["core_abi", "core_scratch", "core_scratch_cap", "core_alloc", "core_reset", "core_err"] as const;
const CORE_TRAP = ERROR_KINDS.UPG_BUG_CORE_TRAP.number;
const ERROR_HEADER_BYTES = 8;

type Export = (...args: (number | bigint)[]) => number | bigint | undefined;
type SystemExport = (typeof SYSTEM)[number];

interface Live {
  readonly memory: Uint8Array;
  readonly view: DataView;
  readonly system: Readonly<Record<SystemExport, Export>>;
  readonly exports: Readonly<Record<string, Export>>;
  readonly scratch: number;
  readonly scratchCap: number;
}

/** Where a call's input bytes went. */
export interface Span {
  readonly ptr: number;
  readonly len: number;
}

/** A machine that has no memory for the core says nothing about its bytes. */
function unusable(what: string, cause: unknown): UpgradeError {
  const problem = machineProblem(cause);
  return new UpgradeError(problem ? "UPG_STORE_IO" : "UPG_BUG_CORE_ABI", problem ?? what, { cause });
}

export class CoreInstance {
  readonly #module: WebAssembly.Module;
  #live: Live | undefined;
  #store: KVReader | undefined;
  #isRunning = false;
  #scratchUsed = 0;

  /** @throws UpgradeError UPG_BUG_CORE_ABI when the bytes are not a core of this interface; UPG_STORE_IO without memory for it */
  constructor(bytes: Uint8Array) {
    try {
      this.#module = new WebAssembly.Module(bytes as Uint8Array<ArrayBuffer>);
    } catch (cause) {
      throw unusable("core.wasm is not a valid WebAssembly module", cause);
    }
    const imports = WebAssembly.Module.imports(this.#module);
    const known = imports.every((i) => i.module === "kv" && i.kind === "function" && IMPORTS.includes(i.name));
    if (!known) throw new UpgradeError("UPG_BUG_CORE_ABI", "core.wasm imports more than kv.get, set, delete and seek");
    this.#live = this.#instantiate();
  }

  /** Runs one operation on `store`; everything a call gives back must be copied before `run` returns. */
  run<T>(store: KVReader | undefined, operation: () => T): T {
    assert(!this.#isRunning, "a store called the core that was just reading or writing it");
    const live = this.#alive();
    live.system.core_reset();
    this.#store = store;
    this.#scratchUsed = 0;
    this.#isRunning = true;
    try {
      return operation();
    } finally {
      this.#store = undefined;
      this.#isRunning = false;
    }
  }

  /** Puts input bytes where the core can read them. */
  put(bytes: Uint8Array): Span {
    const { memory } = this.#alive();
    const ptr = this.#room(bytes.length);
    memory.set(bytes, ptr);
    return { ptr, len: bytes.length };
  }

  /** Calls an export. @throws UpgradeError for an answer below 0, except -ABSENT. */
  call(name: string, ...args: (number | bigint)[]): number | bigint {
    const answer = this.#invoke(name, args);
    if (answer < 0 && Number(answer) !== -ABSENT) throw this.#failure(-Number(answer));
    return answer;
  }

  /** Calls an export whose last two parameters are `out, cap`; undefined for -ABSENT. */
  fetch(name: string, ...args: (number | bigint)[]): Uint8Array | undefined {
    // What the inputs left of the scratch area is nearly always enough, and asking twice would read the store twice.
    let cap = this.#alive().scratchCap - this.#scratchUsed;
    let out = this.#room(cap);
    let size = Number(this.call(name, ...args, out, cap));
    if (size < 0) return undefined;
    if (size > cap) {
      cap = size;
      out = this.#room(cap);
      size = Number(this.call(name, ...args, out, cap));
    }
    return this.#alive().memory.slice(out, out + size);
  }

  #room(len: number): number {
    const live = this.#alive();
    if (this.#scratchUsed + len <= live.scratchCap) {
      const ptr = live.scratch + this.#scratchUsed;
      this.#scratchUsed += (len + 15) & ~15;
      return ptr;
    }
    const ptr = Number(live.system.core_alloc(len)) >>> 0;
    if (ptr === 0) throw new UpgradeError("UPG_INVALID_ARGUMENT", `core.wasm has no room for ${len} more bytes`);
    return ptr;
  }

  #invoke(name: string, args: (number | bigint)[]): number | bigint {
    const entry = exportOf(this.#alive().exports, name);
    try {
      return entry(...args) ?? 0;
    } catch (cause) {
      const message = this.#message(CORE_TRAP);
      this.#live = undefined;
      // What the host's own store threw goes on as it is; anything else is a trap of the core.
      if (isUpgradeError(cause) || !(cause instanceof WebAssembly.RuntimeError)) throw cause;
      throw new UpgradeError("UPG_BUG_CORE_TRAP", `core.wasm trapped in ${name}: ${message ?? cause.message}`, {
        cause,
      });
    }
  }

  #failure(number: number): UpgradeError {
    const code = errorCodeOf(number);
    if (!code) return new UpgradeError("UPG_BUG_CORE_ABI", `core.wasm returned the unknown code ${number}`);
    return new UpgradeError(code, this.#message(number) ?? `core.wasm returned ${code} without a message`);
  }

  /** The record of the last failure; undefined when it is of another one, left by an earlier call. */
  #message(number: number): string | undefined {
    const { memory, view, system } = this.#alive();
    const record = Number(system.core_err()) >>> 0;
    if (view.getUint32(record, true) !== number) return undefined;
    const len = view.getUint32(record + 4, true);
    return decodeLossy(memory.subarray(record + ERROR_HEADER_BYTES, record + ERROR_HEADER_BYTES + len));
  }

  #alive(): Live {
    this.#live ??= this.#instantiate();
    return this.#live;
  }

  #instantiate(): Live {
    const exports = this.#start();
    const memory = exports["memory"];
    if (!(memory instanceof WebAssembly.Memory)) throw new UpgradeError("UPG_BUG_CORE_ABI", "core.wasm has no memory");
    const calls: Record<string, Export> = {};
    for (const [name, value] of Object.entries(exports)) if (typeof value === "function") calls[name] = value as Export;
    const system = Object.fromEntries(SYSTEM.map((name) => [name, exportOf(calls, name)])) as Live["system"];
    const abi = Number(system.core_abi());
    if (abi >> 16 !== ABI_MAJOR) {
      throw new UpgradeError("UPG_BUG_CORE_ABI", `core.wasm speaks interface ${abi >> 16}, this host ${ABI_MAJOR}`);
    }
    return {
      memory: new Uint8Array(memory.buffer),
      view: new DataView(memory.buffer),
      system,
      exports: calls,
      scratch: Number(system.core_scratch()) >>> 0,
      scratchCap: Number(system.core_scratch_cap()),
    };
  }

  #start(): WebAssembly.Exports {
    try {
      const { exports } = instantiateSync(this.#module, { kv: this.#imports() }).instance;
      if (typeof exports["_initialize"] === "function") exports["_initialize"]();
      return exports;
    } catch (cause) {
      throw unusable("core.wasm cannot be instantiated", cause);
    }
  }

  /** The four imports. The core's memory never grows, so its views stay valid. */
  #imports(): Record<string, (...args: number[]) => number | undefined> {
    return {
      get: (key, keyLen, out, cap) => this.#answer(this.#reader().get(this.#read(key, keyLen)), out, cap),
      set: (key, keyLen, value, valueLen) =>
        void this.#writer().set(this.#read(key, keyLen), this.#read(value, valueLen)),
      delete: (key, keyLen) => void this.#writer().delete(this.#read(key, keyLen)),
      seek: (start, startLen, end, endLen, out, cap) =>
        this.#seek(this.#read(start, startLen), this.#read(end, endLen), out, cap),
    };
  }

  #seek(start: Uint8Array, end: Uint8Array, out = 0, cap = 0): number {
    for (const [key, value] of this.#reader().iterate({ start, end: end.length > 0 ? end : undefined })) {
      const frame = new Uint8Array(FRAME_HEADER_BYTES + key.length + value.length);
      const view = new DataView(frame.buffer);
      view.setUint32(0, key.length, true);
      view.setUint32(4, value.length, true);
      frame.set(key, FRAME_HEADER_BYTES);
      frame.set(value, FRAME_HEADER_BYTES + key.length);
      return this.#answer(frame, out, cap);
    }
    return -ABSENT;
  }

  #answer(bytes: Uint8Array | undefined, out = 0, cap = 0): number {
    if (!bytes) return -ABSENT;
    if (bytes.length <= cap >>> 0) this.#alive().memory.set(bytes, out >>> 0);
    return bytes.length;
  }

  /** A copy: the store may keep what it is given. */
  #read(ptr = 0, len = 0): Uint8Array {
    return this.#alive().memory.slice(ptr >>> 0, (ptr >>> 0) + (len >>> 0));
  }

  #reader(): KVReader {
    if (!this.#store) throw new UpgradeError("UPG_BUG_CORE_ABI", "a pure call of core.wasm reached for the store");
    return this.#store;
  }

  #writer(): KVStore {
    return this.#reader() as KVStore;
  }
}

function exportOf(exports: Readonly<Record<string, Export>>, name: string): Export {
  const entry = exports[name];
  if (!entry) throw new UpgradeError("UPG_BUG_CORE_ABI", `core.wasm has no function ${name}`);
  return entry;
}
