/** Every TypeScript block of README.md and docs/ is whole: it compiles under strict, and prints what the page says. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type CodeBlock, codeBlocks, isHandler } from "./code-blocks.js";
import { ROOT } from "./sources.js";

/** Blocks that need more than themselves are run by a test of their page. */
const RUN_ELSEWHERE: Readonly<Record<string, string>> = {
  "docs/integrate.md": "test/e2e/integrate.test.ts",
  "docs/build-a-chain.md": "test/e2e/build-a-chain.test.ts",
};

mkdirSync(join(ROOT, "build/run"), { recursive: true });
/** Inside the repository, where its packages are found. */
const folder = mkdtempSync(join(ROOT, "build/run/blocks-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const nameOf = ({ page, line }: CodeBlock) => `${page}:${line}`;

function fileOf(block: CodeBlock): string {
  const file = join(folder, `${nameOf(block).replace(/\W/g, "_")}.mts`);
  writeFileSync(file, block.code);
  return file;
}

/** One compilation for all blocks: it reads all of host/. What is wrong, by the block's file. */
function problemsOf(files: readonly string[]): Map<string, string[]> {
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2023,
    lib: ["lib.es2024.d.ts"],
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    types: ["node"],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: true,
    noEmit: true,
    rootDir: ROOT,
    paths: {
      "chain-upgrade": [join(ROOT, "host/index.ts")],
      "chain-upgrade/node": [join(ROOT, "host/node.ts")],
      "chain-upgrade/test": [join(ROOT, "host/upgrade/test-kit/index.ts")],
      "chain-upgrade/verify": [join(ROOT, "host/verify/index.ts")],
    },
  };
  const program = ts.createProgram(files, options);
  const problems = files.map((file) => {
    const source = program.getSourceFile(file);
    const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
    const lines = found.map(({ messageText, start = 0 }) => {
      const line = (source?.getLineAndCharacterOfPosition(start).line ?? 0) + 1;
      return `line ${line}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
    });
    return [file, lines] as const;
  });
  return new Map(problems);
}

const blocks = codeBlocks();
const programs = blocks.filter((block) => !isHandler(block));
const files = new Map(programs.map((block) => [block, fileOf(block)] as const));
let problems = new Map<string, string[]>();
beforeAll(() => {
  problems = problemsOf([...files.values()]);
});

describe("TypeScript blocks of README.md and docs/", () => {
  test("are found; those that are handlers are in the page for authors, whose test runs them", () => {
    expect(programs.map(({ page }) => page)).toEqual(expect.arrayContaining(["README.md", "docs/embed.md"]));
    const pages = new Set(blocks.filter(isHandler).map(({ page }) => page));
    expect([...pages]).toEqual(["docs/write-a-handler.md"]);
  });

  test.each(programs.map((block) => [nameOf(block), block] as const))("%s compiles under strict", (_, block) => {
    expect(problems.get(files.get(block) as string)).toEqual([]);
  });

  const here = programs.filter(({ page }) => !(page in RUN_ELSEWHERE));
  test.each(here.map((block) => [nameOf(block), block] as const))(
    "%s runs and prints what the page says",
    (_, block) => {
      const args = [join(ROOT, "scripts/run.mjs"), files.get(block) as string];
      const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: "utf8" });
      expect(status, stderr).toBe(0);
      expect(stdout).toBe(block.output ?? "");
    },
  );

  test("a page whose blocks need more has a test that names it", () => {
    for (const [page, file] of Object.entries(RUN_ELSEWHERE)) {
      if (!programs.some((block) => block.page === page)) continue;
      expect(existsSync(join(ROOT, file)), file).toBe(true);
      expect(readFileSync(join(ROOT, file), "utf8")).toContain(page.replace("docs/", ""));
    }
  });
});
