/** What the program says of itself: completion, help, version, unknown words. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { DIST } from "../../e2e/chaind.js";
import { CommandLine } from "../../e2e/command-line.js";

describe("the program", () => {
  test("completion and help are on stdout", async () => {
    const line = new CommandLine();
    for (const shell of ["bash", "zsh", "fish", "powershell"]) {
      expect((await line.run(["completion", shell])).stdout).toContain("__complete");
    }
    expect((await line.run(["__complete", "--", "query", "upgrade", "pl"])).stdout).toBe(
      "plan\tQuery the upgrade plan (if one exists)\n",
    );
    const help = await line.run(["help", "tx", "upgrade"]);
    expect(help.stdout).toBe((await line.run(["tx", "upgrade", "--help"])).stdout);
    expect(help.stdout).toBe((await line.run(["tx", "upgrade"])).stdout);
  });

  test("version, --version and -v; unknown words and flags → exit 2", async () => {
    const line = new CommandLine();
    const { version } = await line.json("version");
    for (const words of [["version"], ["--version"], ["-v"]])
      expect((await line.run(words)).stdout).toBe(`${version}\n`);
    expect(await line.json("version", "--long")).toMatchObject({
      version,
      page_sha256: pageHashes(),
      app_versions: [{ version: "1" }, { version: "2", plan: "v2" }],
    });
    for (const words of [["nope"], ["--nope"], ["version", "x"], ["help", "nope"]]) {
      const { exit, stdout } = await line.run(words);
      expect([exit, stdout], words.join(" ")).toEqual([2, ""]);
    }
    expect((await line.run(["strat"])).stderr).toContain('did you mean "start"?');
  });
});

/** Of the files that the build wrote, by the paths at which a node serves them. */
function pageHashes(): Record<string, string> {
  const listed = JSON.parse(readFileSync(join(DIST, "web/files.json"), "utf8")) as { path: string; file: string }[];
  const hash = (file: string) =>
    createHash("sha256")
      .update(readFileSync(join(DIST, "web", file)))
      .digest("hex");
  return Object.fromEntries(listed.map(({ path, file }) => [path, hash(file)]));
}
