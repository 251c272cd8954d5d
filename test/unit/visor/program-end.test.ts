import { describe, expect, test } from "vitest";
import { ERROR_KINDS, type ErrorCode } from "../../../host/base/errors/errors.js";
import { NO_RESTART, programEnd } from "../../../host/visor/decide/program-end.js";

const ENDING = (Object.keys(ERROR_KINDS) as ErrorCode[]).filter((code) =>
  /^UPG_(INVALID|HALT|MIGRATION|HANDLER|STORE|BUG)_/.test(code),
);

describe("programEnd()", () => {
  test("each code, recorded → its own cause; a code of state or a bug is never started again", () => {
    for (const code of ENDING) {
      const { exit, cause } = ERROR_KINDS[code];
      const end = programEnd(exit, code);
      expect(end, code).toMatchObject({ cause, code });
      if (cause !== "local") expect(end?.remedy, code).toBe("person");
    }
  });

  test("a record of another exit status, or unknown → the status alone counts", () => {
    for (const recorded of ["UPG_HALT_RESTART", "UPG_NOT_FOUND_FILE", "x", "", undefined]) {
      expect(programEnd(21, recorded)).toEqual({ cause: "local", remedy: "person", isRefusal: true, code: undefined });
      expect(programEnd(20, recorded)).toMatchObject({ cause: "state", remedy: "person", isRefusal: true });
    }
  });

  test.each([
    [14, "again"],
    [13, "done"],
    [16, "retry"],
    [17, "retry"],
  ])("exit %d → %s", (exit, remedy) => {
    expect(programEnd(exit, undefined)).toMatchObject({ cause: "local", remedy, isRefusal: false });
  });

  test("statuses that no code has, or that answer requests → crashes", () => {
    for (const exit of [1, 3, 4, 15, 31, 40, 99, 137]) expect(programEnd(exit, undefined), `${exit}`).toBeUndefined();
  });

  test("systemd keeps from starting again what is not started again here", () => {
    expect(NO_RESTART).toEqual([2, 10, 11, 12, 13, 18, 20, 21, 30, 70]);
  });
});
