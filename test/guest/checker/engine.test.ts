/** check.wasm on an engine or a machine that cannot run it, and another file in its place. */
import { afterEach, expect, test, vi } from "vitest";
import { fromHex } from "../../../host/base/text/bytes.js";
import { checkWasmHex } from "../../../host/upgrade/handler/check/check-wasm.js";
import { Checker, compileChecker } from "../../../host/upgrade/handler/check/checker.js";
import { assemble, build, guest } from "../build.js";
import { failure } from "../running.js";

afterEach(() => vi.restoreAllMocks());

const FILE = build(guest());

/** In the place of check.wasm: its functions do nothing but what is given. */
function standIn({ abi = "(i32.const 0x10000)", checkFile = "(i32.const 0)" }): WebAssembly.Module {
  const wat = `(module (memory (export "memory") 1)
    (func (export "_initialize"))
    (func (export "check_abi") (result i32) ${abi})
    (func (export "check_input") (param i32) (result i32) (i32.const 0))
    (func (export "check_file") (param i32 i32) (result i32) ${checkFile}))`;
  return new WebAssembly.Module(new Uint8Array(assemble(wat)));
}

test("bytes with another hash than that of abi.json → UPG_BUG_CORE_ABI, with both hashes", () => {
  const bytes = fromHex(checkWasmHex());
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
  expect(() => compileChecker(bytes)).toThrow(failure("UPG_BUG_CORE_ABI", "check.wasm has SHA-256"));
});

test("another interface → UPG_BUG_CORE_ABI", () => {
  const other = standIn({ abi: "(i32.const 0x20001)" });
  expect(() => new Checker(other)).toThrow(failure("UPG_BUG_CORE_ABI", "speaks interface 2, this host 1"));
});

test("a trap, of a memory that cannot grow for one → UPG_HANDLER_ENGINE, which is no result", () => {
  const checker = new Checker(standIn({ checkFile: "(unreachable)" }));
  const error = failure("UPG_HANDLER_ENGINE", "the engine could not run check.wasm");
  expect(() => checker.file(FILE)).toThrow(error);
  expect(() => checker.file(FILE)).toThrow(failure("UPG_HANDLER_ENGINE", "not a result of the handler"));
});

test("no memory for an instance → UPG_HANDLER_ENGINE; afterwards it works", () => {
  class NoMemory {
    constructor() {
      throw new RangeError("WebAssembly.Instance(): Out of memory");
    }
  }
  const spy = vi.spyOn(WebAssembly, "Instance").mockImplementation(NoMemory as never);
  expect(() => new Checker()).toThrow(failure("UPG_HANDLER_ENGINE", "Out of memory"));
  spy.mockRestore();
  expect(new Checker().file(FILE).findings).toEqual([]);
});
