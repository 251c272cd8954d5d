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
});
