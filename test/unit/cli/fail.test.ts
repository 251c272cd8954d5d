/** How a command ends badly. */

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { UpgradeError } from "../../../host/base/errors/errors.js";
import { FailureReporter } from "../../../host/base/terminal/fail.js";
import { testIo } from "../../example-context.js";
import { thrownBy } from "../../thrown-by.js";

/** What people read and scripts get. */
function reported(error: unknown, isJson = false): { exit: number; line: string } {
  const io = testIo();
  const exit = new FailureReporter("chaind", io).report(error, { isJson, isTraced: false });
  return { exit, line: io.stderr.text };
}

describe("report()", () => {
  test("an error with a code → its line and its exit status", () => {
    const error = new UpgradeError("UPG_NOT_FOUND_KEY", "there is\n no key");
    expect(reported(error)).toEqual({ exit: 3, line: "Error: there is; no key [UPG_NOT_FOUND_KEY]\n" });
  });

  test("memory that the system does not give → UPG_STORE_IO, 30, and what to look at", () => {
    for (const error of [
      new RangeError("WebAssembly.Instance(): Out of memory: Cannot allocate Wasm memory for new instance"),
      new RangeError("WebAssembly.Memory(): could not allocate memory"),
      new RangeError("Array buffer allocation failed"),
    ]) {
      const { exit, line } = reported(error);
      expect(exit).toBe(30);
      expect(line).toContain("`ulimit -v`");
      expect(line).toContain("[UPG_STORE_IO]");
    }
    expect(reported(new RangeError("Maximum call stack size exceeded")).exit).toBe(70);
  });

  test("files that the system does not let it open → UPG_STORE_IO, 30, and what to raise", () => {
    const error = Object.assign(new Error("EMFILE: too many open files, open '/x'"), {
      code: "EMFILE",
      syscall: "open",
    });
    const { exit, line } = reported(error);
    expect(exit).toBe(30);
    expect(line).toContain("`ulimit -Hn` (LimitNOFILE= of a service");
    expect(line).toContain("open '/x'");
  });

  test("what the system refuses → UPG_STORE_IO, 30; anything else → UPG_BUG_ASSERT, 70", () => {
    const refused = reported(thrownBy(() => readFileSync("/nowhere/at/all")));
    expect(refused).toMatchObject({ exit: 30, line: expect.stringContaining("[UPG_STORE_IO]") });
    const bug = reported(new TypeError("undefined is not a function"), true);
    expect(bug.exit).toBe(70);
    expect(JSON.parse(bug.line)).toEqual({ error: "undefined is not a function", code: "UPG_BUG_ASSERT" });
  });
});
