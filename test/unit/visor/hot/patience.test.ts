/** The log of somebody who waits for a program. */
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { SAY_MILLIS, withPatience } from "../../../../host/visor/hot/pre-upgrade-wait.js";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] }));
afterEach(() => void vi.useRealTimers());

test("withPatience() of work that takes 40 s → says so after 15 and 30 s, and not after its end", async () => {
  const said: string[] = [];
  let finish: (value: number) => void = () => undefined;
  const work = new Promise<number>((resolve) => {
    finish = resolve;
  });
  const waited = withPatience(work, { file: "/none", say: (passed) => said.push(passed), replaced: () => undefined });
  vi.advanceTimersByTime(40_000);
  expect(said).toEqual(["15 s", "30 s"]);
  finish(7);
  expect(await waited).toBe(7);
  vi.advanceTimersByTime(10 * SAY_MILLIS);
  expect(said).toHaveLength(2);
});

test("withPatience() of work that fails → its error", async () => {
  const failed = Promise.reject(new Error("no"));
  await expect(
    withPatience(failed, { file: "/none", say: () => undefined, replaced: () => undefined }),
  ).rejects.toThrow("no");
});

test("withPatience() with a file that cannot be looked at → the work's result, and no other file is seen", async () => {
  const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-patience-"));
  const file = join(folder, "circle");
  symlinkSync(file, file);
  const unhandled = vi.fn();
  process.once("unhandledRejection", unhandled);
  const replaced = vi.fn();
  expect(await withPatience(Promise.resolve(7), { file, say: () => undefined, replaced })).toBe(7);
  await setImmediate();
  process.off("unhandledRejection", unhandled);
  expect([unhandled.mock.calls, replaced.mock.calls]).toEqual([[], []]);
  rmSync(folder, { recursive: true });
});
