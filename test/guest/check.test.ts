/** What a check says as a whole: the manifest section, the list of findings, the engine's word. */
import { describe, expect, test } from "vitest";
import { concatBytes, utf8 } from "../../host/base/text/bytes.js";
import { checkHandler } from "../../host/upgrade/handler/check/check.js";
import { assemble, build, customSection, guest, MINIMAL_MANIFEST, manifestSection } from "./build.js";

function firstFinding(bytes: Uint8Array) {
  const [first] = checkHandler(bytes).findings;
  return first;
}

describe("checkHandler() of the manifest section", () => {
  const module = assemble(guest());
  const manifest = manifestSection(MINIMAL_MANIFEST);

  test("no manifest, two manifests, a manifest that is wrong → UPG_HANDLER_MANIFEST", () => {
    expect(checkHandler(module)).toMatchObject({ name: null, gasLimit: null });
    expect(firstFinding(module)).toMatchObject({ code: "UPG_HANDLER_MANIFEST", offset: null });
    const twice = firstFinding(concatBytes(module, manifest, manifest));
    expect(twice).toMatchObject({ code: "UPG_HANDLER_MANIFEST", offset: module.length + manifest.length });
    expect(twice?.message).toContain("there are 2 custom sections");
    const wrong = checkHandler(build(guest(), { gasLimit: "0" })).findings;
    expect(wrong).toEqual([
      {
        code: "UPG_HANDLER_MANIFEST",
        function: null,
        offset: expect.any(Number),
        message: "manifest: $.gasLimit: must be at least 1; docs/abi.md describes the manifest",
      },
    ]);
  });

  test("a manifest of 16,384 bytes → taken, one byte more → UPG_HANDLER_MANIFEST", () => {
    const text = (bytes: number) => JSON.stringify(MINIMAL_MANIFEST).padEnd(bytes, " ");
    expect(checkHandler(build(guest(), text(16_384))).findings).toEqual([]);
    expect(firstFinding(build(guest(), text(16_385)))?.message).toContain("at most 16384 are allowed");
    expect(firstFinding(build(guest(), text(500_000)))?.code).toBe("UPG_HANDLER_MANIFEST");
  });

  test("the manifest anywhere among the sections, next to other custom sections → taken", () => {
    const header = module.subarray(0, 8);
    const rest = module.subarray(8);
    const noise = customSection("producers", utf8("anything"));
    expect(checkHandler(concatBytes(header, manifest, noise, rest, noise)).findings).toEqual([]);
  });
});

describe("checkHandler()", () => {
  test("checkHandler() lists all that is wrong, functions by name, in the order of the file", () => {
    const module = guest({
      imports: '(import "env" "seed" (func $seed (result i64)))',
      memory: '(memory (export "memory") 1) (memory 1)',
      more: `(func $pure (drop (f64.add (f64.const 1) (f64.const 2))) (drop (f64.const 3)))
        (func (export "by export") (drop (f32.const 1)))
        (func (drop (f32.const 1)))
        (start $pure)`,
    });
    const { findings } = checkHandler(build(module, { abi: 3 }));
    expect(findings.map((finding) => [finding.code, finding.function, finding.message.split(":")[0]])).toEqual([
      [
        "UPG_HANDLER_MEMORY",
        null,
        "more than one memory is not allowed; define one memory of wasm32 that all data fits in, and export it as memory",
      ],
      [
        "UPG_HANDLER_OPCODE",
        "pure",
        "a start section is not allowed, it would run before gas is counted; export the function as _initialize instead",
      ],
      ["UPG_HANDLER_OPCODE", "pure", "f64.const"],
      ["UPG_HANDLER_OPCODE", "pure", "f64.add"],
      ["UPG_HANDLER_OPCODE", "by export", "f32.const"],
      ["UPG_HANDLER_OPCODE", "func[7]", "f32.const"],
      ["UPG_HANDLER_MANIFEST", null, "manifest"],
      ["UPG_HANDLER_IMPORT", null, 'import "env.seed" is not offered; random numbers differ between nodes'],
    ]);
  });

  test("checkHandler() of globals that are floats → each is named, and what follows is read where it begins", () => {
    const module = guest({
      more: "(global f32 (f32.const 1)) (global f64 (f64.const 2)) (global $last f64 (f64.const 3))",
    });
    const { findings } = checkHandler(build(module));
    const [single, first, last] = [...new Set(findings.map(({ message }) => /global \d+/.exec(message)?.[0]))];
    expect(new Set([single, first, last]).size).toBe(3);
    expect(findings.every(({ code, message }) => code === "UPG_HANDLER_OPCODE" && message.includes("global "))).toBe(
      true,
    );
  });

  test("checkHandler() lists 100 findings and counts the rest", () => {
    const functions = Array.from({ length: 150 }, (_, i) => `(func $f${i} (drop (f32.const 1)))`).join("");
    const { findings } = checkHandler(build(guest({ more: functions })));
    expect(findings).toHaveLength(101);
    expect(findings[99]?.function).toBe("f99");
    expect(findings[100]?.message).toContain("50 further findings are not listed");
  });

  test("checkHandler() of operands of the wrong type → UPG_HANDLER_FORMAT, by WebAssembly.validate", () => {
    const wrong = build(guest({ run: "(i32.const 7)" }));
    const constant = wrong.findIndex((byte, i) => byte === 0x41 && wrong[i + 1] === 7);
    wrong[constant] = 0x42; // i64.const
    expect(WebAssembly.validate(Uint8Array.from(wrong))).toBe(false);
    expect(checkHandler(wrong).findings).toEqual([
      {
        code: "UPG_HANDLER_FORMAT",
        function: null,
        offset: null,
        message: expect.stringContaining("the engine refuses the module"),
      },
    ]);
  });

  test("checkHandler() of a module that would name a global the host may add → refused as it came", () => {
    const forged = build(
      guest({ run: "(global.set 0 (i64.const 7)) (i32.const 0)", more: "(global (mut i64) (i64.const 0))" }),
    );
    const globals = forged.findIndex((byte, i) => byte === 6 && forged[i + 2] === 1 && forged[i + 3] === 0x7e);
    const without = concatBytes(forged.subarray(0, globals), forged.subarray(globals + 2 + (forged[globals + 1] ?? 0)));
    expect(firstFinding(without)).toMatchObject({ code: "UPG_HANDLER_FORMAT", function: "run" });
    expect(firstFinding(without)?.message).toContain("there is no global 0");
  });
});
