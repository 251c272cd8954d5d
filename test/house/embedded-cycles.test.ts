/** No cycle among the files of embed/rust and of embed/python. Go's compiler refuses cycles of packages by itself. */
import { describe, expect, test } from "vitest";
import { cyclesOf } from "./cycles.js";
import { rustDependencies } from "./rust-modules.js";
import { sourcesUnder } from "./sources.js";

const PYTHON = "embed/python/src/chain_upgrade";

/** What each Python module imports of its package. A module that needs another one only inside a function imports it there. */
function pythonDependencies(): Map<string, string[]> {
  return new Map(
    sourcesUnder(PYTHON, ".py").map(({ path, text }) => {
      const found = [...text.matchAll(/^[ \t]*from \.(\w*) import (\(?[^)\n]*)/gm)];
      const names = found.flatMap(([, module = "", items = ""]) =>
        module === "" ? (items.match(/\w+/g) ?? []) : [module],
      );
      return [path, [...new Set(names)].map((name) => `${PYTHON}/${name}.py`)];
    }),
  );
}

describe("embedded hosts", () => {
  test("embed/rust → no cycle of modules, types included", () => {
    const uses = rustDependencies();
    expect(uses.get("embed/rust/src/run/scan.rs")).toContain("embed/rust/src/writes/merged.rs");
    expect(cyclesOf(uses)).toEqual([]);
  });

  test("embed/python → no cycle of modules", () => {
    const uses = pythonDependencies();
    expect(uses.get(`${PYTHON}/run.py`)).toContain(`${PYTHON}/overlay.py`);
    expect(cyclesOf(uses)).toEqual([]);
  });
});
