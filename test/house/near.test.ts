/** Which tests `npm run near` runs for a change. */
import { describe, expect, test } from "vitest";
import { testsNear } from "../../scripts/near/tests.mjs";

describe("npm run near", () => {
  test("a source → the tests that import it, the nearest first", () => {
    const { quick } = testsNear(["host/visor/stage/doctor/unit-text.ts"]);
    expect(quick[0]).toBe("test/house/layers.test.ts");
    expect(quick[1]).toBe("test/unit/visor/doctor-unit-text.test.ts");
  });

  test.each([
    ["docs/operate.md", "test/house/words.test.ts"],
    ["proto/cosmos/bank/v1beta1/tx.proto", "test/house/messages.test.ts"],
    ["assembly/core/plan.ts", "test/core/plan-rules.test.ts"],
    ["assembly/handler/index.ts", "test/guest/run.test.ts"],
    ["test/vectors/plan.json.gz", "test/vectors/plan.test.ts"],
    ["embed/rust/src/code.rs", "test/house/errors.test.ts"],
    ["guests/c/README.md", "test/guest/languages/languages.test.ts"],
  ])("%s, which no test imports → %s", (changed, expected) => {
    expect(testsNear([changed]).quick).toContain(expected);
  });

  test("a test that was changed → itself alone", () => {
    const changed = "test/unit/visor/doctor-unit-text.test.ts";
    expect(testsNear([changed])).toMatchObject({ quick: [changed], slow: [], unknown: [], needsBuild: false });
  });

  test("a file that was removed, and one that no test reads → no test, and the second is named", () => {
    expect(testsNear(["test/unit/gone.test.ts"]).quick).toEqual([]);
    expect(testsNear(["LICENSE"])).toMatchObject({ quick: [], slow: [], unknown: ["LICENSE"] });
  });

  test("a source of assembly/ → it is built first", () => {
    expect(testsNear(["assembly/core/plan.ts"]).needsBuild).toBe(true);
  });
});
