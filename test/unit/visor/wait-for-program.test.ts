/** The log while it waits for a program. */
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { waitForProgram } from "../../../host/visor/decide/wait-for-program.js";

const REMINDER_MILLIS = 15_000;

/** A clock whose time passes when the test says so. */
function testClock() {
  let now = 0;
  const sleepers = new Set<{ readonly until: number; readonly wake: () => void }>();
  const sleep = (millis: number, signal?: AbortSignal) =>
    new Promise<void>((resolve) => {
      const sleeper = { until: now + millis, wake: () => sleepers.delete(sleeper) && resolve() };
      sleepers.add(sleeper);
      signal?.addEventListener("abort", sleeper.wake, { once: true });
    });
  const pass = async (millis: number) => {
    for (const end = now + millis; now < end; now += 1_000) {
      for (const { until, wake } of [...sleepers]) if (until <= now + 1_000) wake();
      await setImmediate();
    }
  };
  return { clock: { sleep }, pass, sleepers };
}

test("waitForProgram() work that takes 40 s → reports it after 15 and 30 s, and not after its end", async () => {
  const { clock, pass, sleepers } = testClock();
  const said: number[] = [];
  let finish: (value: number) => void = () => undefined;
  const work = new Promise<number>((resolve) => {
    finish = resolve;
  });
  const onReminder = (passed: number) => void said.push(passed);
  const waited = waitForProgram(work, { clock, reminderMillis: REMINDER_MILLIS, onReminder });
  await pass(40_000);
  expect(said).toEqual([15_000, 30_000]);
  finish(7);
  expect(await waited).toBe(7);
  await pass(10 * REMINDER_MILLIS);
  expect([said.length, sleepers.size]).toEqual([2, 0]);
});

test("waitForProgram() work that fails → its error", async () => {
  const { clock } = testClock();
  const waited = waitForProgram(Promise.reject(new Error("no")), {
    ...{ clock, reminderMillis: REMINDER_MILLIS, onReminder: () => undefined },
  });
  await expect(waited).rejects.toThrow("no");
});

test("waitForProgram() with a file that cannot be looked at → the work's result, and no other file is seen", async () => {
  const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-patience-"));
  const file = join(folder, "circle");
  symlinkSync(file, file);
  const unhandled = vi.fn();
  process.once("unhandledRejection", unhandled);
  const onReplaced = vi.fn();
  const { clock } = testClock();
  const options = { clock, reminderMillis: REMINDER_MILLIS, onReminder: () => undefined };
  expect(await waitForProgram(Promise.resolve(7), { ...options, replacement: { file, onReplaced } })).toBe(7);
  await setImmediate();
  process.off("unhandledRejection", unhandled);
  expect([unhandled.mock.calls, onReplaced.mock.calls]).toEqual([[], []]);
  rmSync(folder, { recursive: true });
});
