/** A command or a family of flags that no document names cannot be found by who needs it. */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import type { Command } from "./commands-document.js";
import { ROOT } from "./sources.js";

const GENERATED = "commands.md";
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");
/** README.md and the pages of docs/ that are written by hand. */
const handWritten = ["README.md", ...readdirSync(join(ROOT, "docs")).map((name) => `docs/${name}`)]
  .filter((path) => path.endsWith(".md") && !path.endsWith(GENERATED))
  .map(read)
  .join("\n");

let page: string;
let commands: readonly Command[];

/** In a process of its own: a bundle of all commands takes a fifth of the time that their modules take here. */
beforeAll(() => {
  const printed = execFileSync(process.execPath, ["scripts/run.mjs", "test/house/print-commands.ts"], { cwd: ROOT });
  ({ page, commands } = JSON.parse(printed.toString()));
}, 180_000);

test("docs/commands.md lists every command; when it differs: npm run generate:docs", () => {
  expect(read(`docs/${GENERATED}`)).toBe(page);
});

test("a page that is written by hand names each command of the first level and each group", () => {
  const wanted = commands.filter(({ words, isGroup }) => isGroup || !words.includes(" "));
  expect(wanted.length).toBeGreaterThan(40);
  const missing = wanted.filter(({ words }) => !new RegExp(`\\b${words}\\b`).test(handWritten));
  expect(missing.map(({ words }) => `describe \`${words}\` in a page of docs/`)).toEqual([]);
});

test("every command has a summary", () => {
  const silent = commands.filter(({ summary }) => summary === "");
  expect(silent.map(({ words }) => `give \`${words}\` a summary`)).toEqual([]);
});

test("a page that is written by hand names each family of flags, such as --api.*", () => {
  const flags = commands.flatMap((command) => command.flags);
  const families = new Set(flags.flatMap((flag) => /^--([\w-]+)\./.exec(flag)?.[1] ?? []));
  expect(families.size).toBeGreaterThan(5);
  const isNamed = (name: string) => new RegExp(`(?:--|\`)${name}\\.[a-z]|\\[${name}\\]`).test(handWritten);
  const missing = [...families].filter((name) => !isNamed(name));
  expect(missing.map((name) => `describe the flags --${name}.* in a page of docs/`)).toEqual([]);
});
