/** Calls check.wasm (docs/abi.md), which decides what a handler is and makes the module that runs. Nothing else touches its memory. */
import { sha256 } from "@noble/hashes/sha2.js";
import { isUpgradeError, UpgradeError } from "../../../base/errors/errors.js";
import { fromHex, toHex } from "../../../base/text/bytes.js";
import { HANDLER_BYTES_MAX } from "../../../base/types/limits.js";
import { engineFailure } from "../run/failures.js";
import { CHECK_SHA256 } from "./check-hash.js";
import { checkWasmHex } from "./check-wasm.js";
import { decodeFileCheck, type FileCheck } from "./file-check.js";

const MAJOR = 1;
const FLAG_INVALID = 1;

interface CheckExports {
  readonly memory: WebAssembly.Memory;
  _initialize(): void;
  check_abi(): number;
  check_input(length: number): number;
  check_file(length: number, flags: number): number;
  check_result(): number;
  check_result_len(): number;
  check_metered(): number;
  check_metered_len(): number;
  receipt_encode(length: number): number;
  receipt_decode(length: number): number;
}

/** A file that was checked. */
export interface CheckedFile extends FileCheck {
  /** The file with gas and stack counted in it; undefined with findings. */
  readonly metered: Uint8Array<ArrayBuffer> | undefined;
}

let compiled: WebAssembly.Module | undefined;

/** Compiled when a process checks its first file. It stays, since it is small and has no memory of its own. */
function checkModule(): WebAssembly.Module {
  compiled ??= compileChecker(fromHex(checkWasmHex()));
  return compiled;
}

/**
 * @throws UpgradeError UPG_BUG_CORE_ABI for other bytes than those whose hash is in assembly/abi.json; UPG_HANDLER_ENGINE
 *
 * @internal for tests, which give other bytes
 */
export function compileChecker(bytes: Uint8Array): WebAssembly.Module {
  const hash = toHex(sha256(bytes));
  if (hash !== CHECK_SHA256)
    throw unusable(`check.wasm has SHA-256 ${hash}, and this host was built for ${CHECK_SHA256}`);
  return onThisEngine(() => new WebAssembly.Module(bytes as Uint8Array<ArrayBuffer>));
}

/**
 * One instance. Its memory begins with 2 MiB, can grow to 64 MiB and never shrinks: one that has grown should be dropped.
 *
 * @throws UpgradeError from every call: UPG_HANDLER_ENGINE when the engine gives it no memory, or ends it
 */
export class Checker {
  readonly #exports: CheckExports;
  readonly #bytesAtFirst: number;

  /** @param module check.wasm */
  constructor(module: WebAssembly.Module = checkModule()) {
    // The hash of the bytes was compared, so these are the exports of docs/abi.md; the type of an instance names none.
    this.#exports = onThisEngine(() => new WebAssembly.Instance(module).exports as unknown as CheckExports);
    this.#bytesAtFirst = this.#exports.memory.buffer.byteLength;
    this.#call(({ _initialize }) => _initialize());
    const abi = this.#call(({ check_abi }) => check_abi());
    if (abi >> 16 !== MAJOR) throw unusable(`check.wasm speaks interface ${abi >> 16}, this host ${MAJOR}`);
  }

  get hasGrown(): boolean {
    return this.#exports.memory.buffer.byteLength > this.#bytesAtFirst;
  }

  /** Checks a file. It need not be a copy. */
  file(bytes: Uint8Array): CheckedFile {
    const checked = this.#check(bytes, 0);
    const isRefused = checked.findings.some(({ code }) => code !== "UPG_HANDLER_METERED");
    if (isRefused || WebAssembly.validate(bytes as Uint8Array<ArrayBuffer>)) return checked;
    return this.#check(bytes, FLAG_INVALID);
  }

  /**
   * The receipt's message, of a flat receipt; undefined where it is none.
   *
   * @internal for tests: this host has the codec in TypeScript (receipt.ts), since pages read receipts that never check a handler
   */
  encodeReceipt(flat: Uint8Array): Uint8Array | undefined {
    return this.#call((exports) => {
      this.#input(flat);
      return exports.receipt_encode(flat.length) < 0 ? undefined : this.#result();
    });
  }

  /** @internal the reverse */
  decodeReceipt(bytes: Uint8Array): Uint8Array | undefined {
    return this.#call((exports) => {
      this.#input(bytes);
      return exports.receipt_decode(bytes.length) < 0 ? undefined : this.#result();
    });
  }

  #check(bytes: Uint8Array, flags: number): CheckedFile {
    return this.#call((exports) => {
      this.#input(bytes);
      exports.check_file(Math.min(bytes.length, HANDLER_BYTES_MAX + 1), flags);
      const length = exports.check_metered_len();
      const metered = length > 0 ? this.#copy(exports.check_metered(), length) : undefined;
      return { ...decodeFileCheck(this.#result()), metered };
    });
  }

  /** A longer file is refused by its length alone. */
  #input(bytes: Uint8Array): void {
    if (bytes.length > HANDLER_BYTES_MAX) return;
    const at = this.#exports.check_input(bytes.length);
    new Uint8Array(this.#exports.memory.buffer).set(bytes, at);
  }

  #result(): Uint8Array<ArrayBuffer> {
    return this.#copy(this.#exports.check_result(), this.#exports.check_result_len());
  }

  #copy(at: number, length: number): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.#exports.memory.buffer, at, length).slice();
  }

  #call<T>(work: (exports: CheckExports) => T): T {
    return onThisEngine(() => work(this.#exports));
  }
}

/** check.wasm has no result that traps: whatever is thrown, the engine or the machine could not go on. */
function onThisEngine<T>(work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw isUpgradeError(cause)
      ? cause
      : engineFailure("the engine could not run check.wasm, which checks handlers", cause);
  }
}

function unusable(what: string): UpgradeError {
  return new UpgradeError("UPG_BUG_CORE_ABI", `${what}: install this version again`);
}
