/** docs/recovery.md: its commands, word by word and in the page's order, on the home of a chain that has come over an upgrade. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { govHome } from "../unit/cli/offline/gov-home.js";
import { DIST } from "./chaind.js";
import { blocksOf, pageText } from "./page-session.js";

const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-recovery-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What a person types is `y`; the page's own places are those of this machine. */
const REPLACED = new Map([
  ["--to 41 --home node ", "--to 41 --home node --yes "],
  ["/var/backups/node-1", "backup-1"],
  ["/opt/chaind-2", join(DIST, "chaind.js")],
]);

test("docs/recovery.md typed into a shell → every command ends with 0 and says what the page says", () => {
  const home = govHome(44n);
  symlinkSync(home.path, join(folder, "node"));
  writeFileSync(join(folder, "node.log"), "INF block made\n");
  const lines = blocksOf(pageText("docs/recovery.md"), "sh").flatMap((block) => block.trim().split("\n"));
  const said = lines.map((line) => {
    let typed = line;
    for (const [from, to] of REPLACED) typed = typed.replace(from, to);
    const script = `chaind() { "${process.execPath}" "${join(DIST, "chaind.js")}" "$@"; }\n${typed}`;
    const { status, stdout, stderr } = spawnSync("sh", ["-c", script], { cwd: folder, encoding: "utf8" });
    expect(status, `${typed}\n${stdout}${stderr}`).toBe(0);
    return [
      line.replace(/ .*?(?=upgrade|snapshot|rollback|backup|verify|compact|replay|rescue)/, " "),
      stdout,
    ] as const;
  });
  const output = (words: string) => said.find(([line]) => line.startsWith(words))?.[1] ?? "";
  expect(lines.length).toBeGreaterThan(8);
  expect(output("chaind rollback --to 41 --dry-run")).toContain("from height 44 back to 41");
  expect(output("chaind backup")).toContain("height 41");
  expect(output("chaind verify")).toContain("41");
  expect(output("chaind replay")).toContain("41");
  expect(output("chaind rescue")).toContain("report.json");
}, 120_000);
