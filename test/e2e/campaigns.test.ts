/** The campaigns that CI runs samples of start by their commands too, as `npm run` starts them. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../..");

const MILLIS_MAX = 240_000;

const run = (entry: string, args: readonly string[]) =>
  spawnSync(process.execPath, ["scripts/run.mjs", entry, ...args], {
    cwd: ROOT,
    encoding: "utf8",
    timeout: MILLIS_MAX,
  });

describe("npm run", () => {
  test.each([
    ["sim", "test/sim/main.ts", ["--rounds", "1", "--seed", "1", "--json"], /"lost":0,"diverged":0/],
    ["verify:flips", "test/sim/flips-main.ts", ["--rounds", "2", "--seed", "1"], /verify found 2 of 2/],
    ["fuzz:handlers", "test/guest/fuzz/main.ts", ["--rounds", "3", "--json"], /"rounds":3/],
    ["vectors", "test/vectors/main.ts", ["plan", "--json"], /"failed":0/],
    [
      "recursion",
      "test/recursion/main.ts",
      ["--cases", "23", "--seed", "3"],
      /proposed by all and stopped on some 0, different results 0/,
    ],
    ["bench", "bench/main.ts", ["--help"], /Usage:/],
    ["bombs:handlers", "test/guest/bombs/main.ts", ["--help"], /Usage:/],
  ] as const)(
    "%s → its result, exit status 0",
    (_, entry, args, result) => {
      const { status, stdout, stderr } = run(entry, args);
      expect(stderr).toBe("");
      expect(stdout).toMatch(result);
      expect(status).toBe(0);
    },
    MILLIS_MAX,
  );

  test("a bench that starts a node → its rows, exit status 0", () => {
    const { status, stdout, stderr } = run("bench/main.ts", ["upgrade-latency", "--records", "1000", "--json"]);
    expect(status, stderr).toBe(0);
    expect(stdout).toMatch(/"row":"errors","value":0/);
  });
});
