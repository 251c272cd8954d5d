/** `chaind` on a machine that does not give it what it needs: a message with the cause and the remedy, no stack. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { DIST } from "./chaind.js";

const CHAIND = join(DIST, "chaind.js");

function run(command: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: "utf8" });
  return {
    status,
    stdout,
    lines: stderr
      .trim()
      .split("\n")
      .filter((line) => !line.startsWith("Warning: ")),
  };
}

describe("Node without WebAssembly", () => {
  test.each(["start", "start --help", "query upgrade plan", "demo"])("%s → 2 and which flag", (command) => {
    const { status, lines } = run(process.execPath, "--jitless", CHAIND, ...command.split(" "));
    expect(lines).toEqual([
      expect.stringMatching(/^Error: this Node runs without WebAssembly, .*--jitless.* \[UPG_INVALID_CONFIG\]$/),
    ]);
    expect(status).toBe(2);
  });

  test("version → works", () => {
    expect(run(process.execPath, "--jitless", CHAIND, "version")).toMatchObject({ status: 0, lines: [] });
  });
});

/** How many files Node.js itself needs depends on its version. With fewer than this none starts; with the last all is well. */
const LIMITS = Array.from({ length: 14 }, (_, at) => 16 + at);

describe.skipIf(process.platform === "win32")("few open files", () => {
  const ends = (command: string) =>
    LIMITS.map((limit) => run("sh", "-c", `ulimit -n ${limit}; exec "${process.execPath}" "${CHAIND}" ${command}`))
      // Node.js did not start.
      .filter(({ lines }) => lines.some((line) => line.includes("UPG_")))
      .map(({ status, lines }) => `${status} ${lines.at(-1)}`);

  test.each([
    ["status", /^30 Error: .*too many open files.* \[UPG_STORE_IO\]$/, /^1 .*UPG_REMOTE_UNAVAILABLE/],
    [
      `start --home "${DIST}/no-home"`,
      /^30 .*EMFILE.*(`ulimit -Hn`.*code=UPG_STORE_IO|\[UPG_STORE_IO\]$)/,
      /^2 .*genesis/,
    ],
  ])("%s → 30 and which limit to raise", (command, refused, enough) => {
    const found = ends(command);
    expect(found.filter((end) => !refused.test(end) && !enough.test(end))).toEqual([]);
    expect(found.some((end) => refused.test(end))).toBe(true);
  });
});
