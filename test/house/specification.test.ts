/** docs/specification.md: numbered without a gap, its files exist, and the code cites rules that it has. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ROOT, sourcesUnder } from "./sources.js";

const page = readFileSync(join(ROOT, "docs/specification.md"), "utf8");
/** Numbers of rules, in the page's order: rows of tables, and the state table's title. */
const rules = [...page.matchAll(/^(?:\| |\*\*)(\d+\.\d+)(?: \||\*\*)/gm)].map(([, number]) => number as string);

describe("specification", () => {
  test("sections and rules count up from 1, without a gap", () => {
    const sections = [...page.matchAll(/^## (\d+) /gm)].map(([, number]) => Number(number));
    expect(sections).toEqual(sections.map((_, at) => at + 1));
    const expected = sections.flatMap((section) => {
      const own = rules.filter((rule) => rule.startsWith(`${section}.`));
      return own.map((_, at) => `${section}.${at + 1}`);
    });
    expect(rules).toEqual(expected);
    expect(rules.length).toBeGreaterThan(70);
  });

  test("every rule of a table names the file that decides it and a file of tests; all of them exist", () => {
    const rows = page.split("\n").filter((line) => /^\| \d+\.\d+ \|/.test(line));
    for (const row of rows) {
      const [decided = "", tested = ""] = row.split(" | ").slice(-2);
      expect(decided, row).toMatch(/^`(?:host|assembly)\/[^`]+\.ts`$/);
      expect(tested, row).toMatch(/^`test\/[^`]+\.test\.ts` \|$/);
    }
    const named = [...page.matchAll(/`((?:host|assembly|test)\/[^`]+)`/g)].map(([, file]) => file as string);
    expect(named.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  });

  test("every number that a source cites is a rule", () => {
    const sources = ["host", "assembly", "test", "examples"].flatMap((folder) => sourcesUnder(folder));
    const cited = sources.flatMap(({ path, text }) =>
      [...text.matchAll(/[Ss]pecification (\d+\.\d+(?:(?:, | and | to )\d+\.\d+)*)/g)].flatMap(([, numbers = ""]) =>
        (numbers.match(/\d+\.\d+/g) ?? []).map((number) => ({ path, number })),
      ),
    );
    expect(cited.length).toBeGreaterThan(10);
    expect(cited.filter(({ number }) => !rules.includes(number))).toEqual([]);
  });

  test("each refusal of a guard cites a rule of its own, whose row names its file, and a test that cites it too", () => {
    const refusals = GUARDS.flatMap((file) => refusalsIn(file));
    expect(refusals.length).toBeGreaterThan(10);
    const uncited = refusals.filter(({ cited }) => cited === undefined);
    expect(
      uncited.map(({ at }) => `${at}: add a rule to docs/specification.md, and "// Specification N.M." here`),
    ).toEqual([]);
    const twice = refusals.filter(({ cited }, index) => refusals.findIndex((each) => each.cited === cited) < index);
    expect(twice.map(({ at, cited }) => `${at}: ${cited} is the rule of another refusal, add one`)).toEqual([]);
    const wrong = refusals.flatMap(({ at, file, cited }) => {
      const [row = ""] = new RegExp(`^\\| ${cited?.replace(".", "\\.")} \\|.*$`, "m").exec(page) ?? [];
      const [, decided, tested = ""] = /`([^`]+)` \| `([^`]+)` \|$/.exec(row) ?? [];
      if (decided !== file) return [`${at}: the row of rule ${cited} does not name this file`];
      const cites = new RegExp(`[Ss]pecification (?:[\\d.]+, )*${cited?.replace(".", "\\.")}\\b`);
      return cites.test(readFileSync(join(ROOT, tested), "utf8")) ? [] : [`${tested}: test rule ${cited}, and cite it`];
    });
    expect(wrong).toEqual([]);
  });
});

/** What refuses an upgrade for what it does to versions and stores. */
const GUARDS = ["host/upgrade/module/guards.ts", "assembly/core/version-map.ts"];
const REFUSAL = /\breturn refuse\(|\bthrow refuse\(|\bthrow new UpgradeError\(/;
const CITED = /\/\/ Specification (\d+\.\d+)\.$/;

/** The lines of a file that refuse, each with the rule that its line or the line above cites. */
function refusalsIn(file: string) {
  const lines = readFileSync(join(ROOT, file), "utf8").split("\n");
  return lines.flatMap((line, index) => {
    if (!REFUSAL.test(line)) return [];
    const [, cited] = CITED.exec(line) ?? CITED.exec(lines[index - 1] ?? "") ?? [];
    return [{ file, at: `${file}:${index + 1}`, cited }];
  });
}
