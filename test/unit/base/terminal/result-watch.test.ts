/** A process that ends before its command returned. */
import { afterEach, describe, expect, test } from "vitest";
import { FailureReporter } from "../../../../host/base/terminal/fail.js";
import { watchForResult } from "../../../../host/base/terminal/result-watch.js";
import { testIo } from "../../../example-context.js";

const before = process.exitCode;
afterEach(() => {
  process.exitCode = before;
});

/** The status that a process has which exits with `status` now, and what it wrote. */
function exitWith(status: number, watched: Parameters<typeof watchForResult>[2]) {
  const known = new Set(process.listeners("exit"));
  const io = testIo();
  process.exitCode = status;
  const hasResult = watchForResult(new FailureReporter("chaind", io), false, watched);
  const [added] = process.listeners("exit").filter((listener) => !known.has(listener));
  added?.(status);
  hasResult();
  const isGone = !process.listeners("exit").includes(added as NodeJS.ExitListener);
  return [Number(process.exitCode), io.stderr.text, isGone];
}

const LINE = expect.stringMatching(/^Error: the command ended before its result.*\[UPG_BUG_NO_RESULT\]\n$/);

describe("watchForResult()", () => {
  test.each([0, 13])("the process exits with %i → 70 and one line", (status) => {
    expect(exitWith(status, { isOwn: false })).toEqual([70, LINE, true]);
  });

  test("of a command with a status of its own for failures → that one", () => {
    expect(exitWith(0, { isOwn: false, exit: 30 })).toEqual([30, LINE, true]);
  });

  test("another status, or a command of the chain's own → as it is", () => {
    expect(exitWith(21, { isOwn: false })).toEqual([21, "", true]);
    expect(exitWith(0, { isOwn: true })).toEqual([0, "", true]);
  });
});
