/** The log while it waits for a program. */
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { REMINDER_MILLIS, waitForProgram } from "../../../../host/visor/hot/wait-for-program.js";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] }));
afterEach(() => void vi.useRealTimers());

test("withPatience() of work that takes 40 s → says so after 15 and 30 s, and not after its end", async () => {
  const said: string[] = [];
  let finish: (value: number) => void = () => undefined;
  const work = new Promise<number>((resolve) => {
    finish = resolve;
  });
  const waited = waitForProgram(work, {
    file: "/none",
    onReminder: (passed) => said.push(passed),
    onReplaced: () => undefined,
  });
  vi.advanceTimersByTime(40_000);
  expect(said).toEqual(["15 s", "30 s"]);
  finish(7);
  expect(await waited).toBe(7);
  vi.advanceTimersByTime(10 * REMINDER_MILLIS);
  expect(said).toHaveLength(2);
});

test("withPatience() of work that fails → its error", async () => {
  const failed = Promise.reject(new Error("no"));
  await expect(
    waitForProgram(failed, { file: "/none", onReminder: () => undefined, onReplaced: () => undefined }),
  ).rejects.toThrow("no");
});

test("withPatience() with a file that cannot be looked at → the work's result, and no other file is seen", async () => {
  const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-patience-"));
  const file = join(folder, "circle");
  symlinkSync(file, file);
  const unhandled = vi.fn();
  process.once("unhandledRejection", unhandled);
  const onReplaced = vi.fn();
  expect(await waitForProgram(Promise.resolve(7), { file, onReminder: () => undefined, onReplaced })).toBe(7);
  await setImmediate();
  process.off("unhandledRejection", unhandled);
  expect([unhandled.mock.calls, onReplaced.mock.calls]).toEqual([[], []]);
  rmSync(folder, { recursive: true });
});
