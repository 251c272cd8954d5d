/** The TypeScript of README.md and docs/, as users copy it: every block with what the page says that it prints. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./sources.js";

export interface CodeBlock {
  /** From the root. */
  readonly page: string;
  /** Line of its first line of code, from 1. */
  readonly line: number;
  readonly code: string;
  /** The text block that follows at once: what it prints. */
  readonly output: string | undefined;
}

/** Handlers are AssemblyScript in ts blocks: the compiler of `chaind handler build` reads them, in tests of their own. */
export const isHandler = ({ code }: CodeBlock) => code.includes('from "chain-upgrade/handler"');

export function codeBlocks(): CodeBlock[] {
  const docs = readdirSync(join(ROOT, "docs")).filter((name) => name.endsWith(".md"));
  return ["README.md", ...docs.map((name) => `docs/${name}`)].flatMap(blocksOf);
}

function blocksOf(page: string): CodeBlock[] {
  const text = readFileSync(join(ROOT, page), "utf8");
  const blocks = text.matchAll(/^```(?:ts|typescript)\n([\s\S]*?)^```$(?:\n\n```text\n([\s\S]*?)^```$)?/gm);
  // A file of a project that imports others of it is compiled among them, by the test of its page.
  const isPart = ({ index, 1: code = "" }: RegExpExecArray) =>
    /<!-- file: \S+ -->\n$/.test(text.slice(0, index)) && code.includes('from "./');
  const own = [...blocks].filter((block) => !isPart(block));
  return Array.from(own, ({ index, 1: code = "", 2: output }) => {
    const line = text.slice(0, index).split("\n").length + 1;
    return { page, line, code, output };
  });
}
