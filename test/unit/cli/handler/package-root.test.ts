/** Where the kit's sources are, as seen from a file of the program. */
import { dirname, join, resolve } from "node:path";
import { expect, test } from "vitest";
import { packageRoot } from "../../../../host/cli/author/compiler.js";

const ROOT = resolve(import.meta.dirname, "../../../..");

test.each(["package.json", "dist/chaind.js", "host/cli/author/compiler.ts"])(
  "packageRoot() of %s → the package's folder",
  (file) => {
    expect(packageRoot(join(ROOT, file))).toBe(ROOT);
  },
);

test("packageRoot() of a file beside which no kit is → UPG_INVALID_CONFIG that names the file", () => {
  const file = join(dirname(ROOT), "elsewhere.js");
  expect(() => packageRoot(file)).toThrow(
    expect.objectContaining({ code: "UPG_INVALID_CONFIG", message: expect.stringContaining(file) }),
  );
});
