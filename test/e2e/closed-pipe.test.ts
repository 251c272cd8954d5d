/** `chaind … | head`: the reader of a program's output goes away, and the program ends quietly with 0. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { DIST, TestHome } from "./chaind.js";

const home = new TestHome().schedule({ name: "v2", height: 40n }, 3n);

/** The reader has gone before the program writes. */
async function piped(script: string, args: readonly string[]): Promise<string> {
  const words = [process.execPath, join(DIST, script), ...args].map((word) => `'${word}'`).join(" ");
  const { stderr } = await promisify(execFile)("/bin/sh", ["-c", `{ ${words}; echo "exit $?" >&2; } | true`]);
  return stderr;
}

describe.each<[string, readonly string[][]]>([
  [
    "chaind.js",
    [
      ["--help"],
      ["version", "--long"],
      ["help", "start"],
      ["completion", "bash"],
      ["export", "--home", home.path],
      ["verify", "--home", home.path, "-o", "json"],
    ],
  ],
  [
    "chainvisor.js",
    [
      ["--help"],

      ["help", "run"],
      ["completion", "bash"],
      ["help", "doctor"],
    ],
  ],
])("%s", (script, commands) => {
  test.each(commands.map((words) => words.join(" ")))(
    "%s, into a closed pipe → 0, and no error on stderr",
    async (line) => {
      const stderr = await piped(script, line.split(" "));
      expect(stderr).toMatch(/exit 0\n$/);
      expect(stderr).not.toMatch(/EPIPE|Error|node:/);
    },
  );
});

test("chaind start --help | head -1 → the first line, and no error", async () => {
  const { stdout, stderr } = await promisify(execFile)("sh", [
    "-c",
    `"${process.execPath}" "${join(DIST, "chaind.js")}" start --help | head -1`,
  ]);
  expect([stdout.split("\n").length, stderr]).toEqual([2, ""]);
});
