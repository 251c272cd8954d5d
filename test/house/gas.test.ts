/** docs/gas.md is what the code says. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { gasDocument } from "./gas-document.js";
import { ROOT } from "./sources.js";

test("docs/gas.md is made from the schedule (node scripts/run.mjs test/house/write-gas-document.ts)", () => {
  expect(readFileSync(join(ROOT, "docs/gas.md"), "utf8")).toBe(gasDocument());
});
