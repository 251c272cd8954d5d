/** The error table: code, docs and the core's twin say the same. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ERROR_KINDS, type ErrorCode } from "../../host/base/errors/errors.js";
import { errorCodeOf } from "../../host/upgrade/core/error-number.js";
import { ROOT, sourcesUnder } from "./sources.js";

const codes = Object.keys(ERROR_KINDS) as ErrorCode[];

/** The rows of docs/errors.md, as they must be on the page. */
export function errorRows(): string[] {
  return codes.map((code) => {
    const { number, exit, http, grpc, cause, means } = ERROR_KINDS[code];
    return `| <a id="${code.toLowerCase()}"></a>\`${code}\` | ${number} | ${exit} | ${http} | ${grpc} | ${cause} | ${means} |`;
  });
}

describe("error table", () => {
  test("numbers are below 256, used once, and lead back to their code; 1 is ABSENT", () => {
    const numbers = codes.map((code) => ERROR_KINDS[code].number);
    const isUsedBefore = (at: number) => numbers.indexOf(numbers[at] as number) < at;
    expect(codes.filter((_code, at) => isUsedBefore(at))).toEqual([]);
    for (const code of codes) {
      const { number } = ERROR_KINDS[code];
      expect(number).toBeGreaterThan(1);
      expect(number).toBeLessThan(256);
      expect(errorCodeOf(number)).toBe(code);
    }
  });

  test("docs/errors.md has every code, in order, and no other", () => {
    const page = readFileSync(join(ROOT, "docs/errors.md"), "utf8");
    const rows = page.split("\n").filter((line) => line.startsWith("| <a id="));
    expect(rows).toEqual(errorRows());
  });

  test("each exit status has a row in docs/errors.md, and is named by rule 4.2 of the specification", () => {
    const exits = [...new Set(codes.map((code) => ERROR_KINDS[code].exit))];
    const read = (page: string) => readFileSync(join(ROOT, "docs", page), "utf8");
    const rows = [...read("errors.md").matchAll(/^\| (\d+) \| /gm)].map(([, exit]) => Number(exit));
    expect(exits.filter((exit) => !rows.includes(exit))).toEqual([]);
    const [, rule = ""] = /^\| 4\.2 \|(.*)$/m.exec(read("specification.md")) ?? [];
    const named = [...rule.matchAll(/\b(\d+)(?: to (\d+))?\b/g)].map(([, from, to = from]) => [
      Number(from),
      Number(to),
    ]);
    const isNamed = (exit: number) => named.some(([from = 0, to = 0]) => from <= exit && exit <= to);
    expect(exits.filter((exit) => !isNamed(exit))).toEqual([]);
  });

  test("assembly/core/codes.ts has the same numbers", () => {
    const twin = readFileSync(join(ROOT, "assembly/core/codes.ts"), "utf8");
    const constants = [...twin.matchAll(/^export const (\w+): i32 = (\d+);$/gm)];
    expect(constants.length).toBeGreaterThan(10);
    for (const [, name = "", number] of constants) {
      if (name === "ABSENT") expect(number).toBe("1");
      else expect(ERROR_KINDS[name as ErrorCode]?.number, name).toBe(Number(number));
    }
  });

  test("embed/rust/src/code.rs has every code with the same number, exit status and meaning", () => {
    const twin = readFileSync(join(ROOT, "embed/rust/src/code.rs"), "utf8");
    const rows = [...twin.matchAll(/\/\/\/ (.*)\n +\w+ = (\d+), "(UPG_\w+)", (\d+);/g)].map(
      ([, means, number, code, exit]) => `${code} ${number} ${exit} ${means}`,
    );
    const expected = codes.map((code) => {
      const { number, exit, means } = ERROR_KINDS[code];
      return `${code} ${number} ${exit} ${means}`;
    });
    expect(rows.sort()).toEqual(expected.sort());
  });

  test("every code is raised somewhere, and only codes of the table are", () => {
    const own = [...sourcesUnder("host"), ...sourcesUnder("assembly")].filter(
      ({ path }) => path !== "host/base/errors/errors.ts",
    );
    const text = own.map((source) => source.text).join("\n");
    const used = new Set(text.match(/\bUPG_[A-Z]+(?:_[A-Z]+)*\b/g) ?? []);
    const isFamily = (name: string) => codes.some((code) => code.startsWith(`${name}_`)) || name.endsWith("_");
    expect([...used].filter((name) => !(name in ERROR_KINDS) && !isFamily(name))).toEqual([]);
    expect(codes.filter((code) => !used.has(code) && !LATER.has(code))).toEqual([]);
  });
});

test("documents name only codes of the table", () => {
  const pages = execFileSync("git", ["ls-files", "*.md"], { cwd: ROOT, encoding: "utf8" }).trim().split("\n");
  const isKnown = (name: string) =>
    name in ERROR_KINDS || /_$/.test(name) || codes.some((code) => code.startsWith(`${name}_`));
  const unknown = pages.flatMap((page) => {
    const text = readFileSync(join(ROOT, page), "utf8");
    return [...text.matchAll(/\bUPG_[A-Za-z0-9_]+/g)]
      .map(([name]) => name)
      .filter((name) => !isKnown(name))
      .map((name) => `${page}: ${name}`);
  });
  expect(unknown).toEqual([]);
});

/** Codes of interfaces that are not built yet. An interface that is built takes its code off this list. */
const LATER = new Set<ErrorCode>(["UPG_NOT_FOUND_PLAN"]);
