/** Stacks of other sizes, in processes of their own. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../../../..");
const DEFAULT_KIB = 984;

function onStack(kib: number): { refused?: string; left: number[] } {
  const program = ["scripts/run.mjs", "test/recursion/stack-process.ts"];
  const { stdout, stderr } = spawnSync(process.execPath, [`--stack-size=${kib}`, ...program], {
    cwd: ROOT,
    encoding: "utf8",
  });
  expect(stderr).toBe("");
  return JSON.parse(stdout) as ReturnType<typeof onStack>;
}

describe.each([500, DEFAULT_KIB, 4_000])("with a stack of %s KiB", (kib) => {
  const { refused, left } = onStack(kib);

  test("withStackLeft(68) → 68 KiB are left, cold and warm, and 500 calls deeper", () => {
    for (const each of left) expect(Math.abs(each - 68)).toBeLessThanOrEqual(5);
  });

  test("requireStack() → refuses a smaller stack than V8's default, with what to do", () => {
    if (kib < DEFAULT_KIB) expect(refused).toContain("blocks need a stack of 984 KiB, and this thread has less");
    else expect(refused).toBeUndefined();
  });
});
