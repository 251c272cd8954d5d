/** What is committed: it speaks of the project alone, and holds nothing that somebody built. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "./sources.js";

const tracked = execFileSync("git", ["ls-files"], { cwd: ROOT, encoding: "utf8" })
  .split("\n")
  .filter((path) => path !== "" && existsSync(join(ROOT, path)));

test("speaks of the project alone: no machine paths, no registry hosts", () => {
  const texts = tracked.filter((path) => /\.(ts|mjs|json|md|proto|yaml|toml|py|go|rs|clj|h|c)$/.test(path));
  const forbidden = /(^|[^A-Za-z0-9_.])\/(work|farm|root|home\/\w+)\/|registry\.npmjs|registry\.\w+\.\w+/;
  const found = texts.filter(
    (path) => path !== "test/house/repository.test.ts" && forbidden.test(readFileSync(join(ROOT, path), "utf8")),
  );
  expect(found).toEqual([]);
});

test("no program or other large file that somebody built was committed", () => {
  const bytesMax = 512 * 1_024;
  expect(tracked.filter((path) => statSync(join(ROOT, path)).size > bytesMax)).toEqual([]);
});
