/** Calls check.wasm (docs/abi.md): the rules for handler files, the meter, and the codec of receipts. */
import { UpgradeError } from "../../../host/base/errors/errors.js";
import { HANDLER_BYTES_MAX } from "../../../host/base/types/limits.js";
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

/** One instance. A file is put in and checked, and what was found is copied out. */
export class Checker {
  readonly #exports: CheckExports;

  /** @param wasm the bytes of check.wasm */
  constructor(wasm: Uint8Array<ArrayBuffer>) {
    const instance = new WebAssembly.Instance(new WebAssembly.Module(wasm), {});
    this.#exports = instance.exports as unknown as CheckExports;
    this.#exports._initialize();
    const abi = this.#exports.check_abi();
    if (abi >> 16 === MAJOR) return;
    throw new UpgradeError("UPG_BUG_CORE_ABI", `check.wasm speaks interface ${abi >> 16}, this host ${MAJOR}`);
  }

  /** Checks a file. It need not be a copy. */
  file(bytes: Uint8Array<ArrayBuffer>): CheckedFile {
    const checked = this.#check(bytes, 0);
    const isRefused = checked.findings.some(({ code }) => code !== "UPG_HANDLER_METERED");
    if (isRefused || WebAssembly.validate(bytes)) return checked;
    return this.#check(bytes, FLAG_INVALID);
  }

  encodeReceipt(flat: Uint8Array): Uint8Array | undefined {
    this.#input(flat);
    return this.#exports.receipt_encode(flat.length) < 0 ? undefined : this.#result();
  }

  decodeReceipt(bytes: Uint8Array): Uint8Array | undefined {
    this.#input(bytes);
    return this.#exports.receipt_decode(bytes.length) < 0 ? undefined : this.#result();
  }

  #check(bytes: Uint8Array, flags: number): CheckedFile {
    this.#input(bytes);
    this.#exports.check_file(bytes.length, flags);
    const length = this.#exports.check_metered_len();
    const metered = length > 0 ? this.#copy(this.#exports.check_metered(), length) : undefined;
    return { ...decodeFileCheck(this.#result()), metered };
  }

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
}
