/** Where the report of a rehearsal is kept, and when it is not. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { keepReport } from "../../../../host/cli/rehearsal/report/keep-report.js";
import type { Report } from "../../../../host/cli/rehearsal/report/report.js";

const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-keep-report-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("keepReport()", () => {
  const report = (path: string, change: object = {}) =>
    ({ home: path, plan: { name: "v2", height: "5", info: "" }, exit: 0, ...change }) as unknown as Report;

  test("a file in the way of the folder, no plan, too long → words and no file", () => {
    const path = mkdtempSync(join(folder, "home-"));
    expect(keepReport(report(path, { plan: null }), false).file).toBeUndefined();
    expect(keepReport(report(path, { message: "m".repeat(5_000_000) }), false).words).toContain("longer than");
    expect(keepReport(report(path), true).words).toContain("not kept");
    writeFileSync(join(path, "data"), "");
    expect(keepReport(report(path), false)).toMatchObject({
      file: undefined,
      words: expect.stringContaining("not kept"),
    });
    rmSync(join(path, "data"));
    const { file: written } = keepReport(report(path), false);
    expect(readdirSync(join(path, "data", "rehearsals"))).toEqual(["v2.json"]);
    expect(JSON.parse(readFileSync(written ?? "", "utf8"))).toMatchObject({ exit: 0 });
  });
});
