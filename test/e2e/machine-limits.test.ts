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

test.skipIf(process.platform === "win32")("20 files at most → 30 and which limit to raise", () => {
  const { status, lines } = run("sh", "-c", `ulimit -n 20; exec "${process.execPath}" "${CHAIND}" status`);
  expect(lines).toEqual([expect.stringMatching(/^Error: too many open files .*`ulimit -Hn`.* \[UPG_STORE_IO\]$/)]);
  expect(status).toBe(30);
});
