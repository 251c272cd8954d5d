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

/** Module → version that a go.mod requires itself. */
const requires = (module: string): Record<string, string> =>
  Object.fromEntries(
    [...readFileSync(join(ROOT, module, "go.mod"), "utf8").matchAll(/^\t(\S+) (v\S+)$/gm)].map(([, name, version]) => [
      name,
      version,
    ]),
  );

/** A chain that adds the modules gets at least these: higher ones would move it to another version of the SDK. */
const LOWEST = {
  "cosmossdk.io/log": "v1.2.1",
  "cosmossdk.io/store": "v1.0.0",
  "cosmossdk.io/x/upgrade": "v0.1.0",
  "github.com/cosmos/cosmos-db": "v1.0.0",
  "github.com/cosmos/cosmos-sdk": "v0.50.1",
};

describe("embed/go/sdk", () => {
  test.each(["embed/go/sdk", "embed/go/sdk/rehearse"])(
    "%s → requires the lowest versions that its tests pass with",
    (module) => {
      expect(requires(module)).toMatchObject(LOWEST);
    },
  );

  // The others are compared by `npm run embed:sdk`: each is compiled twice.
  test("handler v2.ts, built again → the bytes that the Go tests read", async () => {
    const kept = readFileSync(join(BUILT, "v2.wasm"));
    expect(kept.equals(await buildHandler(SOURCES, "v2.ts")), "npm run embed:sdk:handlers writes them").toBe(true);
  });
});
