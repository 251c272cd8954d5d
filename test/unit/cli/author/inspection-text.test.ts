/** What people read of a handler: a screen of lines, manifest first; and what two handlers differ in, by the same names. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { compareHandlers } from "../../../../host/cli/author/comparison.js";
import { inspectFile, inspectHandler } from "../../../../host/cli/author/inspection.js";
import { inspectionText } from "../../../../host/cli/author/inspection-text.js";
import { withoutSections } from "../../../../host/upgrade/wasm/custom-section.js";
import { build, guest } from "../../../guest/build.js";

const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-inspection-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const functions = (count: number) =>
  Array.from({ length: count }, (_, i) => `(func (result i64) (i64.const ${i}))`).join("");
const MANIFEST = {
  stores: [{ name: "bank", access: "rw", prefixes: ["02"] }],
  scans: [{ store: "bank", prefix: "02" }],
};
/** Without names, as compilers of releases make them. */
const bytesOf = (more: string) => withoutSections(build(guest({ more, batch: "(i32.const 4)" }), MANIFEST), ["name"]);

function text(bytes: Uint8Array, all: boolean): string {
  const file = join(folder, "handler.wasm");
  writeFileSync(file, bytes);
  return inspectionText(inspectFile(file), all);
}

describe("inspectionText()", () => {
  test("of a handler with hundreds of functions → at most 40 lines, the manifest first; with all, each function", () => {
    const bytes = bytesOf(functions(300));
    const lines = text(bytes, false).split("\n");
    expect(lines.length).toBeLessThanOrEqual(40);
    expect(lines[2]).toBe('manifest  plan "v2", at most 10000000000 gas');
    expect(lines).toContain("  writes stores    bank (keys 02…)");
    expect(lines).toContain("  scans            bank 02…");
    expect(lines.filter((line) => / bytes at \d+$/.test(line))).toHaveLength(5);
    const all = text(bytes, true).split("\n");
    for (const { name } of inspectHandler(bytes).functions) {
      expect(all.filter((line) => line.startsWith(`  ${name} `)).length).toBeGreaterThan(0);
    }
  });

  test("of a file that nodes refuse for hundreds of reasons → at most 40 lines, and how many more there are", () => {
    const floats = Array.from({ length: 60 }, (_, i) => `(func $f${i} (drop (f32.const 1)))`).join("");
    const lines = text(build(guest({ more: floats }), MANIFEST), false).split("\n");
    expect(lines[0]).toMatch(/handler\.wasm {2}\d+ bytes, refused$/);
    expect(lines.length).toBe(40);
    expect(lines.at(-1)).toMatch(/… \d+ more lines: --all/);
  });
});

describe("compareHandlers()", () => {
  test("one more function before others → that it was added, by the name that inspect gives it, and nothing else", () => {
    const [a, b] = [bytesOf(functions(3)), bytesOf(`(func (result i64) (i64.const 99))${functions(3)}`)];
    const names = inspectHandler(b).functions.map(({ name }) => name);
    const { functions: changed } = compareHandlers(a, b);
    expect(changed).toHaveLength(1);
    expect(changed[0]).toMatchObject({ change: "added", a: null });
    expect(names).toContain(changed[0]?.name);
    expect(changed[0]?.name).toMatch(/^func\[\d+\]$/);
  });

  test("a function that changed after one that is new → both names where they differ", () => {
    const a = bytesOf("(func (result i64) (i64.const 7))");
    const b = bytesOf("(func (param i32)) (func (result i64) (i64.const 7))");
    expect(compareHandlers(a, b).functions).toMatchObject([{ change: "added" }]);
    const changed = bytesOf("(func (result i64) (i64.const 8))");
    const [only] = compareHandlers(a, changed).functions;
    expect(only).toMatchObject({ change: "changed" });
    expect(inspectHandler(a).functions.map(({ name }) => name)).toContain(only?.name);
  });
});
