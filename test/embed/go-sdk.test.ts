/** embed/go/sdk: the Go tests of the module, and the handlers that they read. `npm run embed:sdk` is the whole of it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { buildHandler } from "../embed-sdk/build-handler.js";
import { unitTests, whyNotReady } from "../embed-sdk/steps.js";
import { ROOT } from "../house/sources.js";

const SOURCES = join(ROOT, "embed/go/sdk/example/handlers");
const BUILT = join(ROOT, "embed/go/sdk/testdata");

describe("embed/go/sdk", () => {
  // The others are compared by `npm run embed:sdk`: each is compiled twice.
  test("handler v2.ts, built again → the bytes that the Go tests read", async () => {
    const kept = readFileSync(join(BUILT, "v2.wasm"));
    expect(kept.equals(await buildHandler(SOURCES, "v2.ts")), "npm run embed:sdk:handlers writes them").toBe(true);
  });

  const reason = whyNotReady();
  test.skipIf(reason !== undefined)(
    `go test ./... → ok${reason === undefined ? "" : ` (${reason})`}`,
    () => {
      expect(unitTests()).toContain("ok");
    },
    600_000,
  );
});
