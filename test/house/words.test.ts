/** The documents and comments use the words of the Cosmos SDK's documentation: none of those that we retired. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import { ROOT, sourcesUnder } from "./sources.js";

/** What is not written any more, and what is written in its place. */
const RETIRED: readonly (readonly [word: RegExp, instead: string])[] = [
  [
    /\bthe field(?:'s)?\b(?! (?:as it|in hand|in its|that is|that names|of a|number))/i,
    "the Cosmos SDK, IAVL, CometBFT",
  ],
  [/\bstands?\b|\bstood\b/i, "is, are"],
  [/\bbehind\b/i, "after, below"],
  [/(?:^|[.;:] |\b(?:and|it|which|that) )answers (?:the|a|an|its|what|where|how|with|false|true)\b/i, "returns"],
  [/\banswered\b/i, "returned, served"],
  [/\b(?:tells?|told)\b/i, "reports, shows, prints"],
  [/\banew\b/i, "again"],
  [/\bdoors?\b/i, "server, interface, entry point"],
  [/\bnews\b/i, "event, notification"],
  [/\bput aside\b/i, "spilled"],
  [/\bwhoever\b/i, "users, authors, operators"],
  [/\bgo(?:es)? along\b/i, "is included"],
  [/\bwhat comes of it\b|\bwhat came of it\b/i, "the result"],
  [/\b(?:is|are|was|were) not there\b/i, "is absent"],
  [/\bhome that is held\b|\bheld home\b/i, "locked home"],
  [/\bsentences?\b/i, "message, line"],
];

/** Where such a word is right: "what a process leaves behind"; names in code are not looked at (they are in backquotes). */
const ALLOWED: readonly RegExp[] = [/\b(?:leaves?|leaving|left)\b[^.;:]{0,70}\bbehind\b/gi];

/** Whose comments are read. */
const FOLDERS = ["assembly", "bench", "examples", "host", "scripts", "test", "web"];

interface Found {
  readonly where: string;
  readonly text: string;
}

/** Retired words in a text. `line`: of its beginning. */
function retiredIn(file: string, text: string, line = 1): string[] {
  let rest = text;
  for (const allowed of ALLOWED) rest = rest.replace(allowed, (whole) => whole.replace(/behind/gi, "······"));
  return RETIRED.flatMap(([word, instead]) =>
    [...rest.matchAll(new RegExp(word, `${word.flags}gm`))].map((match) => {
      const at = line + rest.slice(0, match.index).split("\n").length - 1;
      return `${file}:${at}: "${match[0].trim()}" (write: ${instead})`;
    }),
  );
}

/** Blank in place of what is quoted: blocks of code, code in a line, texts of others in quotation marks, addresses of links. */
function proseOf(page: string): string {
  const blank = (text: string) => text.replace(/[^\n]/g, " ");
  return page
    .replace(/^```[\s\S]*?^```/gm, blank)
    .replace(/<!--[\s\S]*?-->/g, blank)
    .replace(/`[^`\n]*`/g, blank)
    .replace(/\]\([^)\n]*\)/g, blank);
}

/** The comments of a source, without code in backquotes and texts in quotation marks. */
function commentsOf(path: string, text: string): Found[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const ranges = new Map<number, number>();
  const visit = (node: ts.Node): void => {
    if (node.kind >= ts.SyntaxKind.FirstJSDocNode && node.kind <= ts.SyntaxKind.LastJSDocNode) return;
    const around = [ts.getLeadingCommentRanges(text, node.pos), ts.getTrailingCommentRanges(text, node.end)];
    for (const { pos, end } of around.flatMap((found) => found ?? [])) ranges.set(pos, end);
    node.getChildren(source).forEach(visit);
  };
  visit(source);
  return [...ranges].map(([pos, end]) => ({
    where: String(source.getLineAndCharacterOfPosition(pos).line + 1),
    text: text
      .slice(pos, end)
      .replace(/`[^`\n]*`|"[^"\n]*"/g, "")
      .replace(/^\s*(?:\/\*\*?|\*\/?|\/\/)\s?/gm, ""),
  }));
}

/** Texts of a source that people read: literals with a space in them, as they are in the source. */
function textsOf(path: string, text: string, isWanted: (node: ts.Node) => boolean = () => true): Found[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const found: Found[] = [];
  const visit = (node: ts.Node): void => {
    const isText = ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node);
    if (isText && node.text.includes(" ") && isWanted(node)) {
      const where = String(source.getLineAndCharacterOfPosition(node.getStart()).line + 1);
      found.push({ where, text: node.text.replace(/`[^`\n]*`|"[^"\n]*"/g, "") });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** Is this literal a title: the first argument of test(), describe() and their like? */
function isTitle(node: ts.Node): boolean {
  const call = ts.isTemplateExpression(node.parent) ? node.parent.parent : node.parent;
  const title = ts.isTemplateExpression(node.parent) ? node.parent : node;
  if (!ts.isCallExpression(call) || call.arguments[0] !== title) return false;
  return /^(?:test|describe|it)\b/.test(call.expression.getText());
}

/** Sources that people wrote. */
const ownSources = (folder: string) =>
  [...sourcesUnder(folder), ...sourcesUnder(folder, ".mjs")].filter(
    ({ path }) => !path.endsWith("-wasm.ts") && !path.includes("/gen/") && path !== "test/house/words.test.ts",
  );

const DOCUMENTS = [
  "README.md",
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  "test/README.md",
  ...readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".md"))
    .map((file) => `docs/${file.replaceAll("\\", "/")}`),
  // A package of another language has its own page; what its tools install beside it has pages of others.
  ...["embed", "guests"].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
      .map((file) => `${folder}/${file.replaceAll("\\", "/")}`)
      .filter((file) => /\/README\.md$/.test(file) && !/\/(?:build|target|node_modules|venv)\//.test(file)),
  ),
];

const read = (file: string) => readFileSync(join(ROOT, file), "utf8");

describe("retired words", () => {
  test.each(DOCUMENTS)("%s has none", (file) => {
    expect(retiredIn(file, proseOf(read(file)))).toEqual([]);
  });

  test.each(FOLDERS)("comments of %s have none", (folder) => {
    const found = ownSources(folder).flatMap(({ path, text }) =>
      commentsOf(path, text).flatMap(({ where, text: comment }) => retiredIn(path, comment, Number(where))),
    );
    expect(found).toEqual([]);
  });

  test.each([
    [".rs", /\/\/[/!]? .*$/gm],
    [".h", /\/\*[\s\S]*?\*\//g],
    [".c", /\/\*[\s\S]*?\*\//g],
  ] as const)("comments of guests in %s files have none", (ending, comments) => {
    const folders = ["guests", "examples", "test/guest"];
    const files = folders.flatMap((folder) => sourcesUnder(folder, ending));
    const found = files
      .filter(({ path }) => !path.includes("/target/"))
      .flatMap(({ path, text }) => [...text.matchAll(comments)].flatMap(([comment]) => retiredIn(path, comment)));
    expect([files.length > 0, found]).toEqual([true, []]);
  });

  test("comments of embed/go have none", () => {
    const own = sourcesUnder("embed/go", ".go").filter(({ path }) => !path.startsWith("embed/go/sdk/"));
    const found = own.flatMap(({ path, text }) =>
      text.split("\n").flatMap((line, index) => {
        const comment = /(?:^|\s)\/\/ (.*)$/.exec(line)?.[1] ?? "";
        return retiredIn(path, comment.replace(/`[^`]*`|"[^"]*"/g, ""), index + 1);
      }),
    );
    expect(found).toEqual([]);
  });

  test("comments and doc blocks of embed/python have none", () => {
    const files = sourcesUnder("embed/python", ".py").filter(({ path }) => !path.includes("/build/"));
    const found = files.flatMap(({ path, text }) => {
      const comments = text.matchAll(/^ *"""[\s\S]*?"""$|(?:^| {2})#:? .*$/gm);
      return [...comments].flatMap(({ 0: comment, index }) => {
        const line = text.slice(0, index).split("\n").length;
        return retiredIn(path, comment.replace(/`[^`\n]*`/g, ""), line);
      });
    });
    expect(found).toEqual([]);
  });

  test("titles of tests have none", () => {
    const found = ownSources("test").flatMap(({ path, text }) =>
      textsOf(path, text, isTitle).flatMap(({ where, text: title }) => retiredIn(path, title, Number(where))),
    );
    expect(found).toEqual([]);
  });

  test.each(["host", "examples", "bench", "scripts"])(
    "messages, help texts and log lines of %s have none",
    (folder) => {
      const found = ownSources(folder).flatMap(({ path, text }) =>
        textsOf(path, text).flatMap(({ where, text: message }) => retiredIn(path, message, Number(where))),
      );
      expect(found).toEqual([]);
    },
  );

  test("retiredIn() finds each of them, in a document and in a comment, and spares code and what is left behind", () => {
    const bad = "It stands behind the door.\nThe field answers; whoever is told begins anew.\n";
    expect(retiredIn("x", proseOf(bad)).map((line) => line.split(" (")[0])).toEqual([
      'x:2: "The field"',
      'x:1: "stands"',
      'x:1: "behind"',
      'x:2: "told"',
      'x:2: "anew"',
      'x:1: "door"',
      'x:2: "whoever"',
    ]);
    const comment = commentsOf("x.ts", "const text = 'it stands'; // it answers the door\n/** Told anew. */\nf();\n");
    expect(comment.flatMap(({ text, where }) => retiredIn("x.ts", text, Number(where)))).toHaveLength(4);
    expect(retiredIn("x", proseOf("What a process leaves behind, and `servers open`."))).toEqual([]);
  });
});

describe("links", () => {
  test.each(DOCUMENTS)("of %s lead to files and headings that exist", (file) => {
    const links = [...read(file).matchAll(/\]\((?!https?:)([^)\s]*)\)/g)].map(([, to]) => to as string);
    const dead = links.filter((to) => {
      const [path = "", heading] = to.split("#");
      const target = path === "" ? file : join(dirname(file), path);
      try {
        if (heading === undefined)
          return readdirSync(join(ROOT, dirname(target))).every((name) => !target.endsWith(name));
        return !anchorsOf(read(target)).includes(heading);
      } catch {
        return true;
      }
    });
    expect(dead).toEqual([]);
  });
});

/** Headings as GitHub makes anchors of them, and anchors that are written out. */
function anchorsOf(page: string): string[] {
  const headings = [...page.matchAll(/^#+ (.*)$/gm)].map(([, text = ""]) =>
    text
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
  const seen = new Map<string, number>();
  const anchors = headings.map((heading) => {
    const before = seen.get(heading) ?? 0;
    seen.set(heading, before + 1);
    return before === 0 ? heading : `${heading}-${before}`;
  });
  return [...anchors, ...[...page.matchAll(/<a id="([^"]+)"/g)].map(([, id]) => id as string)];
}
