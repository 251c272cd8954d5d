/** What the rehearsal that a home keeps says against a handler. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { failedRehearsal } from "../../../../host/node/home/failed-rehearsal.js";

const folder = mkdtempSync(join(tmpdir(), "failed-rehearsal-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const HASH = "ab".repeat(32);
let files = 0;

function reportFile(report: object): string {
  const file = join(folder, `${++files}.json`);
  writeFileSync(
    file,
    JSON.stringify({ verdict: "would apply", message: "it would", handler: { sha256: HASH }, ...report }),
  );
  return file;
}

const finding = (check: string) => ({ check, detail: "an item", millis: 1 });

test("exit 0 without findings, also without the list → none; exit 1 and 20 → their own words, and what to do", () => {
  expect(failedRehearsal(reportFile({ exit: 0 }), HASH)).toBeUndefined();
  expect(failedRehearsal(reportFile({ exit: 0, findings: [] }), HASH)).toBeUndefined();
  expect(failedRehearsal(reportFile({ exit: 1, findings: [finding("queries")] }), HASH)).toMatch(
    /^would apply: it would\. To fix it, /,
  );
  expect(failedRehearsal(reportFile({ exit: 20, verdict: "would fail" }), HASH)).toMatch(
    /^would fail: it would\. To fix it, correct /,
  );
});
