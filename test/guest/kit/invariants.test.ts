/** Results of invariants that do not fit where the host reads them. */
import { expect, test, vi } from "vitest";
import { runScene } from "../../../host/upgrade/test-kit/index.js";
import { handlerOf } from "./author.js";

// Compilers share the machine with everything else.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

test("handler_check() with more results than its buffer holds → UPG_MIGRATION_FAILED in words, nothing is overwritten", async () => {
  const of = (length: number) =>
    handlerOf(`plan("p", 100_000_000_000);
      invariant("holds", (): bool => false, "x".repeat(${length}));`);
  const [fits, tooLong] = [await of(200_000), await of(262_144)];
  expect(runScene(fits, {}).error).toMatchObject({ code: "UPG_MIGRATION_INVARIANT" });
  expect(runScene(tooLong, {}).error).toMatchObject({
    code: "UPG_MIGRATION_FAILED",
    message: expect.stringContaining("at most 262,144 bytes together"),
  });
});
