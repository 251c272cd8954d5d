/** Doc blocks of what the package exports: each value has an example, and each example runs and prints what it says. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { format } from "node:util";
import ts from "typescript";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { auth, bank, defineChain, gov, runChain, staking, upgrade } from "../../host/node.js";
import { apiPages, isPublic, publicNamesOnce, withImports } from "./api-document.js";
import { docOf, ENTRIES, type Entry } from "./public-names.js";
import { ROOT } from "./sources.js";

const host = ENTRIES.filter(({ source }) => source.startsWith("host/"));
const kit = ENTRIES.filter((entry) => !host.includes(entry));

mkdirSync(join(ROOT, "build/run"), { recursive: true });
/** Inside the repository, where its packages are found; the messages of the chain that examples speak of are beside it. */
const folder = mkdtempSync(join(ROOT, "build/run/examples-"));
cpSync(join(ROOT, "examples/notes-chain/gen"), join(folder, "gen"), { recursive: true });

interface Example {
  readonly title: string;
  readonly file: string;
  readonly code: string;
  /** What it says that it prints, a line each. */
  readonly output: readonly string[];
}

const valuesOf = (entry: Entry) => publicNamesOnce(entry).filter(({ isValue }) => isValue);

const examples = host.flatMap((entry) =>
  valuesOf(entry).flatMap(({ name, doc }) =>
    doc.examples.map((code, at) => exampleOf(entry, `${name} ${at + 1}`, code)),
  ),
);

function exampleOf(entry: Entry, title: string, code: string): Example {
  const file = join(folder, `${entry.page}-${title}.ts`.replaceAll(" ", "-").replace(".md", ""));
  const output = [...code.matchAll(/ \/\/ → (.*)$/gm)].map(([, line]) => line as string);
  // A module of its own, whatever it imports; its name says nothing to the examples that are the same in two entries.
  writeFileSync(file, `${withImports(entry, code)}\nexport {};\n`);
  return { title: `${entry.specifier} ${title}`, file, code, output };
}

/** A home as `init` makes it, with a validator; the handler that examples read. */
const prepared = mkdtempSync(join(tmpdir(), "chain-upgrade-examples-"));
const start = process.cwd();
beforeAll(async () => {
  const chain = defineChain({ name: "notesd", modules: [auth(), bank(), staking(), gov(), upgrade()] });
  const home = join(prepared, "home");
  const { argv, exitCode } = process;
  const quiet = [vi.spyOn(process.stdout, "write"), vi.spyOn(process.stderr, "write")];
  for (const spy of quiet) spy.mockReturnValue(true);
  const commands = [
    ["init", "example", "--chain-id", "example-1"],
    ["keys", "add", "alice", "--keyring-backend", "test"],
    ["genesis", "add-account", "alice", "1000ustake", "--validator", "--keyring-backend", "test"],
  ];
  for (const command of commands) {
    process.argv = ["node", "notesd", ...command, "--home", home];
    await runChain(chain);
    expect(process.exitCode).toBe(0);
  }
  Object.assign(process, { argv, exitCode });
  for (const spy of quiet) spy.mockRestore();
  cpSync(join(ROOT, "build/examples/split-balances.wasm"), join(prepared, "handler.wasm"));
});
afterEach(() => process.chdir(start));
afterAll(() => {
  for (const path of [folder, prepared]) rmSync(path, { recursive: true, force: true });
});

describe("doc blocks", () => {
  test.each(host)("every value of $specifier has an example, of at most a dozen lines", (entry) => {
    const values = valuesOf(entry);
    expect(values.filter(({ doc }) => doc.examples.length === 0).map(({ name }) => name)).toEqual([]);
    const long = values.filter(({ doc }) => doc.examples.some((code) => code.split("\n").length > 13));
    expect(long.map(({ name }) => name)).toEqual([]);
  });

  test("no two examples are the same, and most say what they print", () => {
    const codes = new Map(examples.map(({ code, title }) => [code, title.split(" ")[1]]));
    expect(new Set(codes.values()).size).toBe(codes.size);
    expect(examples.filter(({ output }) => output.length > 0).length).toBeGreaterThan(0.9 * examples.length);
  });

  test.each(kit)("every name of $specifier says what it is", (entry) => {
    const silent = publicNamesOnce(entry).filter(({ doc }) => doc.text === "");
    expect(silent.map(({ name }) => name)).toEqual([]);
  });

  test.each(kit)("every member of the classes of $specifier that are ours says what it is", (entry) => {
    const silent = publicNamesOnce(entry).flatMap(({ name, declaration }) =>
      ts.isClassDeclaration(declaration) && !declaration.getSourceFile().fileName.includes("node_modules")
        ? declaration.members
            .filter((member) => isPublic(member) && docOf(member).text === "")
            .map((member) => `${name}.${member.name?.getText() ?? "constructor"}`)
        : [],
    );
    expect(silent).toEqual([]);
  });

  test.each(ENTRIES)("no text of $specifier begins with a star of its comment", (entry) => {
    const starred = publicNamesOnce(entry).filter(({ doc }) => doc.text.startsWith("*"));
    expect(starred.map(({ name }) => name)).toEqual([]);
  });

  test("docs/api/ has what the sources say (npm run generate:docs)", () => {
    for (const [page, text] of apiPages()) expect(readFileSync(join(ROOT, "docs/api", page), "utf8"), page).toBe(text);
  });
});

describe("examples of doc blocks", () => {
  test("compile under strict", () => {
    const options: ts.CompilerOptions = {
      ...{ target: ts.ScriptTarget.ES2023, lib: ["lib.es2024.d.ts"], types: ["node"], rootDir: ROOT },
      ...{ module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext },
      ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, verbatimModuleSyntax: true },
      ...{ skipLibCheck: true, noEmit: true },
      paths: Object.fromEntries(host.map(({ specifier, source }) => [specifier, [join(ROOT, source)]])),
    };
    const program = ts.createProgram(
      examples.map(({ file }) => file),
      options,
    );
    const problems = examples.flatMap(({ title, file }) => {
      const source = program.getSourceFile(file);
      const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
      return found.map(({ messageText }) => `${title}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`);
    });
    expect(problems).toEqual([]);
  });

  test.each(examples)("$title runs and prints what it says", async ({ file, output }) => {
    const place = mkdtempSync(join(prepared, "run-"));
    for (const name of ["home", "handler.wasm"]) cpSync(join(prepared, name), join(place, name), { recursive: true });
    process.chdir(place);
    const { argv, exitCode } = process;
    const lines: string[] = [];
    const log = vi.spyOn(console, "log").mockImplementation((...values) => void lines.push(format(...values)));
    const written = vi.spyOn(process.stdout, "write").mockReturnValue(true);
    try {
      await import(file);
      expect(process.exitCode ?? 0).toBe(0);
    } finally {
      for (const spy of [log, written]) spy.mockRestore();
      Object.assign(process, { argv, exitCode });
    }
    expect(lines).toEqual(output);
  });
});
