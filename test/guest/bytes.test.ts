/** Bytes that no compiler made: cut, changed, grown. Whatever they are, there is an answer. */
import { describe, expect, test } from "vitest";
import { isUpgradeError } from "../../host/base/errors/errors.js";
import { concatBytes, utf8 } from "../../host/base/text/bytes.js";
import { checkHandler } from "../../host/upgrade/handler/check/check.js";
import { loadHandler } from "../../host/upgrade/handler/handler.js";
import {
  assemble,
  build,
  customSection,
  guest,
  leb,
  MINIMAL_MANIFEST,
  manifestSection,
  section,
  sha256,
} from "./build.js";

/** A module with something of everything that is allowed. */
const RICH = guest({
  imports: '(import "chain" "log" (func $log (param i32 i32 i32)))',
  run: `(local $i i32) (local $sum i64)
    (block $done (loop $again
      (br_if $done (i32.ge_u (local.get $i) (local.get $len)))
      (local.set $sum (i64.add (local.get $sum) (i64.load8_u (i32.add (local.get $i) (i32.const 65536)))))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br $again)))
    (global.set $seen (local.get $sum))
    (if (i64.eqz (local.get $sum)) (then (call $log (i32.const 0) (i32.const 0) (i32.const 0))) (else (nop)))
    (drop (call_indirect (type $f) (i32.const 0)))
    (block (block (br_table 0 1 0 (local.get $i))))
    (memory.fill (i32.const 0) (i32.const 1) (i32.const 2))
    (memory.init $bytes (i32.const 0) (i32.const 0) (i32.const 1))
    (data.drop $bytes)
    (drop (memory.grow (i32.const 0)))
    (i32.wrap_i64 (i64.extend8_s (i64.const -1)))
    drop (i32.const 0)`,
  more: `(type $f (func (result i32))) (table 2 2 funcref) (elem (i32.const 0) $one) (func $one (result i32) (i32.const 1))
    (global $seen (mut i64) (i64.const 0)) (data (i32.const 8) "hello") (data $bytes "passive")`,
});
const GOOD = build(RICH);

const header = Uint8Array.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);
const module = (...sections: Uint8Array[]) => concatBytes(header, ...sections);
const types = section(1, [1, 0x60, 0, 0]);
const functions = section(3, [1, 0]);
const code = (...body: number[]) => section(10, [1, body.length, ...body]);

/** The same numbers each time. */
function random(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Findings and no exception, or a handler that loads; and no word about form when the engine finds the form good. */
function settle(bytes: Uint8Array): "refused" | "loads" {
  const { findings } = checkHandler(bytes);
  if (WebAssembly.validate(Uint8Array.from(bytes))) {
    expect(findings.filter((finding) => finding.code === "UPG_HANDLER_FORMAT")).toEqual([]);
  }
  try {
    loadHandler(bytes, { sha256 });
  } catch (error) {
    expect(isUpgradeError(error) && error.code).toBe(findings[0]?.code);
    return "refused";
  }
  expect(findings).toEqual([]);
  return "loads";
}

describe("checkHandler() of bytes that no compiler made", () => {
  test("every truncation of a good module → refused, and never a crash", () => {
    expect(settle(GOOD)).toBe("loads");
    for (let length = 0; length < GOOD.length; length++) {
      const { findings } = checkHandler(GOOD.subarray(0, length));
      expect(findings.length).toBeGreaterThan(0);
      // What lies after the cut is not said to be missing.
      if (findings[0]?.message.startsWith("cut short")) expect(findings).toHaveLength(1);
      expect(["UPG_HANDLER_FORMAT", "UPG_HANDLER_MANIFEST", "UPG_HANDLER_EXPORT", "UPG_HANDLER_MEMORY"]).toContain(
        findings[0]?.code,
      );
    }
  });

  test("3,000 mutants of a good module → each refused or loaded", () => {
    const pick = random(20_261_121);
    const counts = { refused: 0, loads: 0 };
    for (let round = 0; round < 3_000; round++) {
      let bytes: Uint8Array = GOOD.slice();
      for (let changes = 1 + pick(3); changes > 0; changes--) {
        const at = pick(bytes.length);
        const kind = pick(5);
        if (kind === 0) bytes[at] = (bytes[at] ?? 0) ^ (1 << pick(8));
        else if (kind === 1) bytes[at] = pick(256);
        else if (kind === 2) bytes[at] = [0x00, 0x7f, 0x80, 0xff, 0x0b, 0x40, 0xfc, 0xfd][pick(8)] ?? 0;
        else if (kind === 3) bytes = concatBytes(bytes.subarray(0, at), bytes.subarray(at + 1 + pick(4)));
        else bytes = concatBytes(bytes.subarray(0, at), bytes.subarray(at, at + 1 + pick(8)), bytes.subarray(at));
      }
      counts[settle(bytes)]++;
    }
    expect(counts.refused).toBeGreaterThan(1_000);
    expect(counts.loads).toBeGreaterThan(100);
  });

  test.each<[what: string, bytes: Uint8Array, message: string]>([
    ["nothing", new Uint8Array(0), "does not begin with \\0asm"],
    ["text", utf8("(module)"), "does not begin with \\0asm"],
    ["no version", header.subarray(0, 6), "not a core WebAssembly module"],
    ["a section longer than the file", module(Uint8Array.of(1, 100, 1)), "section 1 needs 100 bytes"],
    ["a section size of 4 GiB", module(Uint8Array.of(1, 0xff, 0xff, 0xff, 0xff, 0x0f)), "needs 4294967295 bytes"],
    [
      "a section size past 32 bits",
      module(Uint8Array.of(1, 0xff, 0xff, 0xff, 0xff, 0x1f)),
      "not an unsigned 32-bit LEB128",
    ],
    ["a section that goes on", module(section(1, [0, 0])), "section 1 goes on after its content"],
    ["an unknown section", module(section(14, [])), "unknown section 14"],
    ["a section twice", module(types, types), "occurs twice or in the wrong order"],
    ["sections out of order", module(functions, types), "occurs twice or in the wrong order"],
    ["data count behind code", module(types, functions, code(0, 0x0b), section(12, [0])), "in the wrong order"],
    ["functions without code", module(types, functions), "0 function bodies for 1 functions"],
    ["code without functions", module(types, code(0, 0x0b)), "1 function bodies for 0 functions"],
    [
      "another number of bodies",
      module(types, functions, section(10, [2, 2, 0, 0x0b, 2, 0, 0x0b])),
      "2 function bodies for 1 functions",
    ],
    [
      "a body longer than its section",
      module(types, functions, section(10, [1, 9, 0, 0x0b])),
      "a function body needs 9 bytes",
    ],
    ["a body without end", module(types, functions, code(0, 0x01)), "an instruction is missing"],
    ["a body that goes on", module(types, functions, code(0, 0x0b, 0x01)), "bytes follow the function's last end"],
    ["an unknown opcode", module(types, functions, code(0, 0xff, 0x0b)), "unknown opcode 0xff"],
    ["an unknown prefixed opcode", module(types, functions, code(0, 0xfc, 0x80, 0x01, 0x0b)), "unknown opcode 0xfc80"],
    [
      "a prefixed opcode of two bytes",
      module(types, functions, code(0, 0xfc, 0x8b, 0x00, 0x00, 0x0b)),
      "unknown opcode 0xfc8b: the number after 0xfc has one byte",
    ],
    ["a label that is not there", module(types, functions, code(0, 0x0c, 1, 0x0b)), "br: there is no label 1"],
    [
      "a local that is not there",
      module(types, functions, code(0, 0x20, 0, 0x1a, 0x0b)),
      "local.get: there is no local 0",
    ],
    ["a function that is not there", module(types, functions, code(0, 0x10, 1, 0x0b)), "call: there is no function 1"],
    ["an else alone", module(types, functions, code(0, 0x05, 0x0b)), "else without its if"],
    ["operands that are not there", module(types, functions, code(0, 0x1a, 0x0b)), "more operands than there are"],
    ["operands left over", module(types, functions, code(0, 0x41, 0, 0x0b)), "another number of operands"],
    [
      "memory that is not there",
      module(types, functions, code(0, 0x41, 0, 0x28, 2, 0, 0x1a, 0x0b)),
      "i32.load without a memory",
    ],
    [
      "four billion locals",
      module(types, functions, code(1, 0xff, 0xff, 0xff, 0xff, 0x0f, 0x7f, 0x0b)),
      "4294967295 locals",
    ],
    ["four billion types", module(section(1, [0xff, 0xff, 0xff, 0xff, 0x0f])), "4294967295 types, at most 2000"],
    [
      "a br_table of four billion labels",
      module(types, functions, code(0, 0x41, 0, 0x0e, 0xff, 0xff, 0xff, 0xff, 0x0f, 0x0b)),
      "labels of a br_table, at most 1024",
    ],
    ["a type that is no type", module(section(1, [1, 0x60, 1, 0x10, 0])), "0x10 is not a type of values"],
    ["a name that is not UTF-8", module(section(7, [1, 1, 0xff, 0, 0])), "an export's name is not UTF-8"],
    ["a custom section without a name", module(section(0, [])), "name of a custom section is missing"],
    ["a data count that lies", module(section(5, [1, 0, 1]), section(12, [1])), "the data count says 1, there are 0"],
    [
      "an export twice",
      module(section(5, [1, 0, 1]), section(7, [2, 1, 0x61, 2, 0, 1, 0x61, 2, 0])),
      'two exports are named "a"',
    ],
  ])("%s → refused", (_, bytes, message) => {
    const { findings } = checkHandler(bytes);
    expect(findings[0]?.code).toMatch(/^UPG_HANDLER_(FORMAT|LIMIT)$/);
    expect(findings[0]?.message).toContain(message);
    expect(findings[0]?.offset).toBeGreaterThanOrEqual(0);
  });

  test("an access with more than its natural alignment, or to a second memory → refused where it is", () => {
    const load = (...memoryAccess: number[]) =>
      module(types, functions, section(5, [1, 0, 1]), code(0, 0x41, 0, 0x28, ...memoryAccess, 0x1a, 0x0b));
    const first = (bytes: Uint8Array) => checkHandler(bytes).findings[0];
    expect(first(load(2, 0))).toMatchObject({ code: "UPG_HANDLER_MANIFEST" });
    expect(first(load(3, 0))).toMatchObject({ code: "UPG_HANDLER_FORMAT", function: "func[0]", offset: 30 });
    expect(first(load(0x42, 0, 0))).toMatchObject({ code: "UPG_HANDLER_MEMORY", function: "func[0]", offset: 30 });
  });

  test("a name section that lies → names are left out, nothing else happens", () => {
    const floats = "(func $f (drop (f32.const 1)))";
    const named = assemble(guest({ more: floats }));
    const names = customSection("name", Uint8Array.from([1, 200, 5, 5]));
    const at = named.findIndex(
      (byte, i) => byte === 4 && String.fromCharCode(...named.subarray(i + 1, i + 5)) === "name",
    );
    const plain = named.slice(0, at - 2 - (leb(named.length - at).length - 1));
    const { findings } = checkHandler(concatBytes(plain, names, manifestSection(MINIMAL_MANIFEST)));
    expect(findings.map((finding) => [finding.code, finding.function])).toEqual([["UPG_HANDLER_OPCODE", "func[4]"]]);
  });
});
