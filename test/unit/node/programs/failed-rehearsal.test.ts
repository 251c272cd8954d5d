/** What the rehearsal that a home keeps says against a handler: also reports of programs whose rehearsals ended with 0 despite findings. */
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

test("exit 0 and findings, as earlier programs wrote it → they speak against the handler, by their checks", () => {
  const old = reportFile({ exit: 0, findings: [finding("queries"), finding("queries"), finding("validators")] });
  expect(failedRehearsal(old, HASH)).toBe(
    "would apply, with findings of queries, validators. To fix it, read the findings, and accept those that are expected with --accept",
  );
  expect(failedRehearsal(old, "cd".repeat(32))).toBeUndefined();
  const carried = reportFile({ exit: 0, findings: [finding("queries")], handler: { sha256: "" } });
  expect(failedRehearsal(carried, undefined)).toContain("findings of queries");
});

test("exit 0 and findings that were all accepted → none; one that was not → that one", () => {
  const findings = [finding("queries"), finding("memory")];
  expect(failedRehearsal(reportFile({ exit: 0, findings, accepted: ["memory", "queries"] }), HASH)).toBeUndefined();
  expect(failedRehearsal(reportFile({ exit: 0, findings, accepted: ["memory"] }), HASH)).toContain(
    "findings of queries",
  );
});

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

test("findings of no known form → they count: what cannot be read is no proof of readiness", () => {
  expect(failedRehearsal(reportFile({ exit: 0, findings: ["queries"] }), HASH)).toContain(
    "findings of an unknown check",
  );
});
