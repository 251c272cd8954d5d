/**
 * embed/go/sdk: what its Go tests read is made of the sources beside them. They compile the Cosmos SDK, which takes longer than all
 * other tests together: `npm run embed:sdk` runs them, and the example chain.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { buildHandler } from "../embed-sdk/build-handler.js";
import { ROOT } from "../house/sources.js";

const SOURCES = join(ROOT, "embed/go/sdk/example/handlers");
const BUILT = join(ROOT, "embed/go/sdk/testdata");

describe("embed/go/sdk", () => {
  // The others are compared by `npm run embed:sdk`: each is compiled twice.
  test("handler v2.ts, built again → the bytes that the Go tests read", async () => {
    const kept = readFileSync(join(BUILT, "v2.wasm"));
    expect(kept.equals(await buildHandler(SOURCES, "v2.ts")), "npm run embed:sdk:handlers writes them").toBe(true);
  });
});
