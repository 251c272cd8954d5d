/** What the entries of the package export, with doc blocks: for the pages of docs/api/ and the tests of examples. */
import { join, relative } from "node:path";
import ts from "typescript";
import { ROOT } from "./sources.js";

export interface Entry {
  /** As it is imported. */
  readonly specifier: string;
  /** Source of the entry, from the root. */
  readonly source: string;
  readonly config: string;
  /** Page of docs/api/. */
  readonly page: string;
}

export const ENTRIES: readonly Entry[] = [
  { specifier: "chain-upgrade", source: "host/index.ts", config: "tsconfig.json", page: "index.md" },
  { specifier: "chain-upgrade/node", source: "host/node.ts", config: "tsconfig.json", page: "node.md" },
  {
    specifier: "chain-upgrade/test",
    source: "host/upgrade/test-kit/index.ts",
    config: "tsconfig.json",
    page: "test.md",
  },
  { specifier: "chain-upgrade/verify", source: "host/verify/index.ts", config: "tsconfig.json", page: "verify.md" },
  {
    specifier: "chain-upgrade/handler",
    source: "assembly/handler/index.ts",
    config: "assembly/tsconfig.json",
    page: "handler.md",
  },
];

export interface PublicName {
  readonly name: string;
  readonly isValue: boolean;
  readonly declaration: ts.Declaration;
  /** From the root. */
  readonly file: string;
  readonly doc: Doc;
  /** Of a constant: its type, as the compiler writes it. */
  readonly type: string;
}

export interface Doc {
  readonly text: string;
  readonly params: readonly (readonly [name: string, text: string])[];
  readonly throws: readonly string[];
  readonly examples: readonly string[];
}

/** In the order of the entry's file. */
export function publicNames(entry: Entry): PublicName[] {
  const path = join(ROOT, entry.source);
  const program = programOf(entry.config);
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(path) as ts.SourceFile;
  const exported = checker.getExportsOfModule(checker.getSymbolAtLocation(source) as ts.Symbol);
  return exported.map((symbol) => {
    const isTypeOnly = symbol.declarations?.some((at) => ts.isExportSpecifier(at) && isTypeExport(at)) ?? false;
    const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    const declaration = target.declarations?.[0] as ts.Declaration;
    return {
      name: symbol.name,
      isValue: !isTypeOnly && (target.flags & ts.SymbolFlags.Value) !== 0,
      declaration,
      file: relative(ROOT, declaration.getSourceFile().fileName).replaceAll("\\", "/"),
      doc: withHeader(docOf(declaration), symbol.name, declaration),
      type: checker.typeToString(checker.getTypeOfSymbol(target)),
    };
  });
}

const isTypeExport = (specifier: ts.ExportSpecifier) => specifier.isTypeOnly || specifier.parent.parent.isTypeOnly;

const programs = new Map<string, ts.Program>();

/** One for all entries with these options: a compiler takes seconds. */
function programOf(config: string): ts.Program {
  const entries = ENTRIES.filter((entry) => entry.config === config).map(({ source }) => join(ROOT, source));
  const program = programs.get(config) ?? ts.createProgram(entries, optionsOf(config));
  programs.set(config, program);
  return program;
}

function optionsOf(config: string): ts.CompilerOptions {
  const { config: json } = ts.readConfigFile(join(ROOT, config), ts.sys.readFile) as { config: unknown };
  return ts.parseJsonConfigFileContent(json, ts.sys, join(ROOT, config, "..")).options;
}

/**
 * The kit's sources begin with a comment on their class, and their lines may not move: a handler's bytes, whose hash is in
 * receipts, hold line numbers. So what has no doc block of its own has that comment.
 */
function withHeader(doc: Doc, name: string, declaration: ts.Node): Doc {
  const source = declaration.getSourceFile();
  if (doc.text !== "" || !source.fileName.includes("/assembly/")) return doc;
  const [header = ""] = /^(?:\/\/.*\n)+/.exec(source.text) ?? [];
  return { ...doc, text: U128[name] ?? header.replace(/^\/\/ ?/gm, "").trim() };
}

const U128: Readonly<Record<string, string>> = {
  u128: "A number of 128 bits, of the package as-bignum. Divide with `divideU128`.",
  toU128: "A 128-bit number from one of 64 bits.",
  addU128: "The sum; what passes 128 bits wraps around.",
  subU128: "The difference; below 0 it wraps around.",
  mulU128: "The product; what passes 128 bits wraps around.",
  isLessU128: "Is the first number below the second?",
};

/** The doc block that is right before a declaration; of a constant, before its statement. */
export function docOf(declaration: ts.Node): Doc {
  const owner = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
  const blocks = ts.getJSDocCommentsAndTags(owner).filter(ts.isJSDoc);
  const tags = blocks.flatMap(({ tags: found }) => [...(found ?? [])]);
  const named = (name: string) => tags.filter(({ tagName }) => tagName.text === name).map(textOf);
  return {
    text: blocks.map(textOf).join("\n").trim(),
    params: tags.filter(ts.isJSDocParameterTag).map((tag) => [tag.name.getText(), textOf(tag)] as const),
    throws: tags.filter(ts.isJSDocThrowsTag).map(throwsText),
    examples: named("example").map((text) => text.replace(/^```ts\n|\n?```$/g, "")),
  };
}

const textOf = ({ comment }: ts.JSDoc | ts.JSDocTag): string =>
  (ts.getTextOfJSDocComment(comment) ?? "").replace(/\{@link ([^}\s]+)\s*\}/g, "`$1`").trim();

/** As it is written: the compiler takes the first word for a type in braces only. */
const throwsText = (tag: ts.JSDocThrowsTag): string =>
  [tag.typeExpression?.getText() ?? "", textOf(tag)].join(" ").trim();
