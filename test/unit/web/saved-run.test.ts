import { spawnSync } from "node:child_process";
import { buildSync } from "esbuild";
import { describe, expect, test } from "vitest";
import { toBase64 } from "../../../host/base/text/bytes.js";
import { runParts } from "../../../web/saved-run.js";

describe("runParts()", () => {
  test("a run over several pieces → JSON with the base64 of the whole, without a <", async () => {
    const witness = Uint8Array.from({ length: 2_000_001 }, (_, at) => (at * 7) % 251);
    const run = { witness, handler: Uint8Array.of(1, 2), program: "a </script> b", evidence: { a: "<!--" } };
    const text = await new Blob([...runParts(run)]).text();
    expect(text).not.toContain("<");
    expect(JSON.parse(text)).toEqual({ ...run, witness: toBase64(witness), handler: "AQI=" });
    expect(await new Blob([...runParts(undefined)]).text()).toBe("null");
  });

  test("a witness of 40 MB, in a heap of 32 MiB and without Buffer → its base64 is never in the heap as a whole", () => {
    const { outputFiles } = buildSync({
      stdin: { contents: 'export * from "./web/saved-run.js";', resolveDir: process.cwd(), loader: "ts" },
      ...{ bundle: true, write: false, format: "iife", globalName: "saved", platform: "browser" },
    });
    const program = `${outputFiles[0]?.text}
      globalThis.Buffer = undefined;
      const run = { witness: new Uint8Array(40_000_000), handler: new Uint8Array(9), program: "", evidence: {} };
      console.log(saved.runParts(run).reduce((sum, { size }) => sum + size, 0));`;
    const { stdout, stderr } = spawnSync(process.execPath, ["--max-old-space-size=32", "-"], {
      input: program,
      encoding: "utf8",
    });
    expect(Number(stdout), stderr).toBeGreaterThan(53_333_336);
  });
});
