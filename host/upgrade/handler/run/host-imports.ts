/**
 * What a guest may call (docs/abi.md, imports). Arguments are i32, read unsigned; each is checked before it is used, and
 * everything is paid for (docs/gas.md) before it is done.
 */
import { ABSENT } from "../../../base/errors/errors.js";
import { bestEffort } from "../../../base/errors/synchronous.js";
import {
  BATCH_BYTES,
  FAIL_MESSAGE_BYTES_MAX,
  KEY_BYTES_MAX,
  LOG_BYTES_MAX,
  LOG_LINES_MAX,
  VALUE_BYTES_MAX,
} from "../../../base/types/limits.js";
import type { FrameScan } from "../../../base/types/types.js";
import { readU32 } from "../../../base/wire/u32.js";
import { OP_DELETE, OP_PUT } from "../../../state/branch/kv/frames.js";
import { guestLine, guestText, guestText16 } from "../../wasm/guest-text.js";
import { pairsPrice } from "../meter/pairs-price.js";
import { HOST_PRICES, longPrice } from "../meter/schedule.js";
import { failed, trap } from "./failures.js";
import type { GasCounter } from "./gas-counter.js";
import type { GuestMemory } from "./guest-memory.js";
import { applyFrames } from "./output-frames.js";
import type { StoreHandle, StoreHandles } from "./store-handles.js";

type GuestLogLevel = "debug" | "info" | "warn" | "error";

/** Where a guest's messages go. They have no effect on results: what a callback throws is dropped. */
export interface GuestReports {
  /** `text` is one line without control characters, at most 4 KiB. */
  readonly log?: ((level: GuestLogLevel, text: string) => void) | undefined;
  /** In units of the handler's choice. */
  readonly progress?: ((done: bigint, total: bigint) => void) | undefined;
}

interface ScanRange {
  readonly start: Uint8Array;
  /** Undefined: open. */
  readonly end: Uint8Array | undefined;
}

/** Level 0 to 3 of `chain.log`; a greater one is an error too. */
const LOG_LEVELS: readonly GuestLogLevel[] = ["debug", "info", "warn", "error"];
/** Where a scan goes on after the longest key. */
const RANGE_BOUND_BYTES_MAX = KEY_BYTES_MAX + 1;

export class HostImports {
  #scanBuffer = new Uint8Array(0);
  #logLines = 0;

  constructor(
    private readonly memory: GuestMemory,
    private readonly handles: StoreHandles,
    private readonly gas: GasCounter,
    private readonly reports: GuestReports,
  ) {}

  /** @internal two modules and nothing inherited: no name reaches anything else */
  object(): WebAssembly.Imports {
    const chain: WebAssembly.ModuleImports = Object.assign(Object.create(null), {
      store_get: (store: number, key: number, keyLen: number, out: number, cap: number) =>
        this.#get(store, key, keyLen, out, cap),
      store_set: (store: number, key: number, keyLen: number, value: number, valueLen: number) =>
        this.#set(store, key, keyLen, value, valueLen),
      store_delete: (store: number, key: number, keyLen: number) => this.#delete(store, key, keyLen),
      store_write: (ops: number, len: number) => this.#write(ops, len),
      store_scan: (
        s: number,
        start: number,
        startLen: number,
        end: number,
        endLen: number,
        out: number,
        cap: number,
      ) => {
        this.gas.charge(HOST_PRICES.store_scan, "store_scan");
        const range = this.#range(start, startLen, end, endLen);
        return this.#scan(s, range, this.memory.range(out, cap, "out of store_scan"));
      },
      log: (level: number, ptr: number, len: number) => this.#log(level, ptr, len),
      progress: (done: bigint, total: bigint) => {
        this.gas.charge(HOST_PRICES.progress, "progress");
        bestEffort(() => this.reports.progress?.(done, total));
      },
      fail: (code: number, ptr: number, len: number) => this.#fail(code, ptr, len),
    });
    const env: WebAssembly.ModuleImports = Object.assign(Object.create(null), {
      abort: (message: number, file: number, line: number, column: number) => this.#abort(message, file, line, column),
    });
    const imports: WebAssembly.Imports = Object.create(null);
    imports["chain"] = Object.freeze(chain);
    imports["env"] = Object.freeze(env);
    return Object.freeze(imports);
  }

  #get(store: number, ptr: number, len: number, out: number, cap: number): number {
    this.gas.charge(HOST_PRICES.store_get, "store_get");
    const handle = this.handles.readable(store);
    const key = this.#key(handle, ptr, len);
    const room = this.memory.range(out, cap, "out of store_get");
    const value = handle.store.get(key);
    if (!value) return -ABSENT;
    this.gas.chargeBytes(value.length, "store_get");
    if (value.length <= room.length) room.set(value);
    return value.length;
  }

  #set(store: number, ptr: number, len: number, valuePtr: number, valueLen: number): number {
    this.gas.charge(this.handles.nextWritePrice(OP_PUT), "store_set");
    const handle = this.handles.writable(store);
    const key = this.#key(handle, ptr, len);
    const value = this.memory.copy(valuePtr, valueLen, "a value", VALUE_BYTES_MAX);
    this.gas.chargeBytes(value.length, "store_set");
    this.gas.charge(longPrice(value.length), "store_set");
    handle.store.set(key, value);
    handle.written++;
    handle.bytes += key.length + value.length;
    return 0;
  }

  #delete(store: number, ptr: number, len: number): number {
    this.gas.charge(this.handles.nextWritePrice(OP_DELETE), "store_delete");
    const handle = this.handles.writable(store);
    const key = this.#key(handle, ptr, len);
    handle.store.delete(key);
    handle.deleted++;
    handle.bytes += key.length;
    return 0;
  }

  #write(ptr: number, len: number): number {
    this.gas.charge(HOST_PRICES.store_write, "store_write");
    const frames = this.memory.range(ptr, len, "ops of store_write");
    this.gas.chargeBytes(frames.length, "store_write");
    applyFrames(this.handles, frames);
    return 0;
  }

  #range(start: number, startLen: number, end: number, endLen: number): ScanRange {
    const from = this.memory.copy(start, startLen, "the start of a scan", RANGE_BOUND_BYTES_MAX);
    const to = this.memory.copy(end, endLen, "the end of a scan", RANGE_BOUND_BYTES_MAX);
    this.gas.chargeBytes(from.length + to.length, "store_scan");
    return { start: from, end: to.length > 0 ? to : undefined };
  }

  #scan(store: number, range: ScanRange, out: Uint8Array): number {
    const handle = this.handles.readable(store);
    handle.requireRange(range.start, range.end);
    // By way of a buffer: what a store has after its last frame must not reach the guest.
    // It doubles at least: a guest that asks for a byte more each time must not have all of it made again each time.
    const room = this.#scanBuffer.length;
    if (room < out.length) this.#scanBuffer = new Uint8Array(Math.max(out.length, 2 * room));
    const filled = this.#fill(handle.store.scan(range), this.#scanBuffer.subarray(0, out.length));
    if (filled <= out.length) out.set(this.#scanBuffer.subarray(0, filled));
    return filled;
  }

  /** By parts, each paid for before the next is read: so little is read that cannot be paid, whatever the room. */
  #fill(scan: FrameScan, room: Uint8Array): number {
    let filled = 0;
    let paid = 0;
    for (let part = BATCH_BYTES; ; ) {
      const end = Math.min(filled + part, room.length);
      const read = scan.read(room.subarray(filled, end));
      // Else a handler that deleted much could make the host walk over it again and again for the price of a call.
      const passed = scan.passed * HOST_PRICES.scanPassed + scan.passedBytes * HOST_PRICES.scanPassedByte;
      this.gas.charge(passed - paid, "store_scan");
      paid = passed;
      if (read < 0 && filled - read > room.length) return filled > 0 ? filled : -read;
      if (read === 0) return filled;
      if (read > 0) this.gas.charge(pairsPrice(room.subarray(filled, filled + read)), "store_scan");
      if (read > 0 && end === room.length) return filled + read;
      filled += Math.max(read, 0);
      part = Math.max(-read, BATCH_BYTES);
    }
  }

  #key(handle: StoreHandle, ptr: number, len: number): Uint8Array {
    if (len === 0) throw trap("an empty key");
    const key = this.memory.copy(ptr, len, "a key", KEY_BYTES_MAX);
    this.gas.chargeBytes(key.length, "a key");
    this.gas.charge(longPrice(key.length), "a key");
    handle.requireKey(key, 0, key.length);
    return key;
  }

  #log(level: number, ptr: number, len: number): void {
    const line = this.memory.range(ptr, len, "a log line");
    this.gas.charge(HOST_PRICES.log + Math.min(line.length, LOG_BYTES_MAX) * HOST_PRICES.logByte, "log");
    if (this.#logLines > LOG_LINES_MAX) return;
    if (++this.#logLines > LOG_LINES_MAX) {
      const rest = `the handler logged ${LOG_LINES_MAX} lines; what it logs from here on is left out`;
      bestEffort(() => this.reports.log?.("warn", rest));
      return;
    }
    const name = LOG_LEVELS[Math.min(level >>> 0, LOG_LEVELS.length - 1)] ?? "error";
    const text = guestLine(line, LOG_BYTES_MAX);
    bestEffort(() => this.reports.log?.(name, text));
  }

  #fail(code: number, ptr: number, len: number): never {
    const message = guestText(this.memory.range(ptr, len, "the message of fail"), FAIL_MESSAGE_BYTES_MAX);
    throw failed(`code ${code}: ${message}`, { code: String(code), message });
  }

  #abort(message: number, file: number, line: number, column: number): never {
    const text = this.#string(message) || "abort";
    const place = `${this.#string(file) || "unknown"}:${line >>> 0}:${column >>> 0}`;
    throw failed(`${text} at ${place}`, { message: text, place });
  }

  /** A string of AssemblyScript: its length in bytes is before it. The run ends anyway, so nothing here is a trap. */
  #string(ptr: number): string {
    const { bytes } = this.memory;
    const at = ptr >>> 0;
    if (at < 4 || at > bytes.length) return "";
    const length = Math.min(readU32(bytes, at - 4), FAIL_MESSAGE_BYTES_MAX);
    return guestText16(bytes.subarray(at, at + length));
  }
}
