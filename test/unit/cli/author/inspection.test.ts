/** What `chaind handler inspect` lists, compared with a module that was written by hand. */
import { describe, expect, test } from "vitest";
import { concatBytes } from "../../../../host/base/text/bytes.js";
import { inspectHandler } from "../../../../host/cli/author/inspection.js";
import { assemble, build } from "../../../guest/build.js";

const WAT = `(module
  (import "chain" "log" (func $log (param i32 i32 i32)))
  (memory (export "memory") 2 5)
  (table 1 funcref) (elem (i32.const 0) $run)
  (global i64 (i64.const 3))
  (func $run (export "handler_run") (param i32) (result i32) (i32.const 0))
  (data (i32.const 0) "abc"))`;

describe("inspectHandler()", () => {
  test("a module → imports and exports with their types, functions by name, pages of memory", () => {
    const { imports, exports, functions, memory, manifest } = inspectHandler(assemble(WAT));
    expect(imports).toEqual([{ name: "chain.log", type: "(i32, i32, i32) -> ()" }]);
    expect(exports).toEqual([
      { name: "memory", kind: "memory" },
      { name: "handler_run", kind: "function", type: "(i32) -> i32" },
    ]);
    expect(functions).toEqual([
      expect.objectContaining({ index: 1, name: "run", type: "(i32) -> i32", bytes: expect.any(Number) }),
    ]);
    expect(memory).toEqual({ pages: 2, pages_max: 5 });
    expect(manifest).toBe(null);
  });

  test("its sections → named, custom ones by their own names, with their sizes; together they are the file", () => {
    const bytes = build(WAT, { name: "v2" });
    const { sections, manifest } = inspectHandler(bytes);
    const names = sections.map(({ name }) => name);
    const known = ["type", "import", "function", "table", "memory", "global", "export", "element", "code", "data"];
    expect(names.filter((name) => !name.startsWith("custom"))).toEqual(known);
    expect(names).toContain('custom "chain-upgrade.manifest"');
    expect(manifest).toMatchObject({ name: "v2" });
    const heads = 8 + sections.length * 2;
    const sum = sections.reduce((total, section) => total + section.bytes, heads);
    expect(bytes.length - sum).toBeLessThan(sections.length);
  });

  test("bytes that are no module → findings, all else empty", () => {
    const { findings, sections, functions, memory } = inspectHandler(
      concatBytes(Uint8Array.of(0, 97), new Uint8Array(20)),
    );
    expect(findings.length).toBeGreaterThan(0);
    expect({ sections, functions, memory }).toEqual({ sections: [], functions: [], memory: null });
  });
});
