/** Files and folders of the repository that its documents name between backquotes: they exist, where they are said to be. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT, sourcesUnder } from "./sources.js";

/** Pages about this repository; those about a reader's own project name files of that. */
const PAGES = [
  ...["architecture", "abi", "dependencies", "gas", "release", "specification"].map((page) => `docs/${page}.md`),
  ...["CONTRIBUTING.md", "SECURITY.md", "README.md", "test/README.md"],
];
/** Where a path may begin. */
const ROOTS = ["", "host", "docs", "test", "assembly", "assembly/hash"];

const sources = ["host", "assembly", "test", "bench"].flatMap((folder) => sourcesUnder(folder));
const names = new Set(sources.map(({ path }) => path.split("/").at(-1)));

/** Source files by any name, and whatever is named from one of the repository's folders on. */
const NAMED =
  /(?<![\w./-])(?:[\w./-]+\.(?:ts|mjs)\b|(?:host|assembly|test|bench|scripts|examples|proto|docs)\/[\w./-]*[\w-])(?![\w*<])/g;

function exists(named: string): boolean {
  if (!named.includes("/")) return names.has(named);
  return ROOTS.some((root) => existsSync(join(ROOT, root, named)));
}

test.each(PAGES)("%s → each source file that it names exists", (page) => {
  const text = readFileSync(join(ROOT, page), "utf8").replaceAll(/^```[\s\S]*?^```/gm, "");
  const quoted = [...text.matchAll(/`([^`\n]+)`/g)].map(([, code = ""]) => code);
  const named = quoted.flatMap((code) => code.match(NAMED) ?? []);
  expect(named.filter((file) => file !== "FILE.ts" && !exists(file))).toEqual([]);
});
