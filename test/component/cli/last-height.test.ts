/** The last height that a home can count, 2^53 - 1: its block is made and kept; after it the chain ends, and says so. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import type { HaltRecord } from "../../../host/upgrade/module/halt.js";
import { TestHome } from "../../e2e/chaind.js";
import { CommandLine } from "../../e2e/command-line.js";
import { genesisWith } from "../../scenario/genesis-text.js";

vi.setConfig({ testTimeout: 60_000 });

const LAST = "9007199254740991";
const BEHIND = "9007199254740992";

test("a chain that begins at 2^53 - 1 → one block, then exit 13 at each start; what is on disk is sound, and begins a new chain", async () => {
  const home = new TestHome(genesisWith("initial_height", LAST));
  const first = await home.startHere("--max-blocks", "2");
  expect(first.stderr).toContain(`"height":"${LAST}","app_hash":`);
  const again = await home.startHere("--max-blocks", "1");
  for (const end of [first, again]) {
    expect(end.exit, end.stderr).toBe(13);
    expect(end.stderr).toContain(`the chain has made block ${LAST}, the last one that this program can count`);
    expect(end.stderr).not.toContain("bug");
  }
  const record = JSON.parse(readFileSync(home.data("halt.json"), "utf8")) as HaltRecord;
  expect(record).toMatchObject({ code: "UPG_HALT_HEIGHT", height: BEHIND, last_committed_height: LAST });
  const [exporting = "", beginning = ""] = record.commands;
  const line = new CommandLine();
  expect(await line.json("verify", "--home", home.path)).toMatchObject({ height: LAST });
  const document = join(home.path, "next.json");
  expect((await line.run(words(exporting, { "next.json": document }))).exit).toBe(0);
  expect((await line.run(words(beginning, { "next.json": document, next: line.home }))).exit).toBe(0);
  const next = await line.runNode("--max-blocks", "2");
  expect(next.exit, next.stderr).toBe(0);
});

/** A pasted command without the program's name; its files go elsewhere. */
function words(command: string, instead: Readonly<Record<string, string>>): string[] {
  const [program, ...rest] = command.split(" ");
  expect(program).toBe("chaind");
  return rest.map((word) => instead[word] ?? word);
}
