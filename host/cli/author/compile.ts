/**
 * Compiles a handler that is written with the kit: once to hear its declaration, once for use, then the manifest goes
 * in. The bytes depend on the sources, the compiler's version and the flags; not on folders, clocks or machines.
 */
import { createHash } from "node:crypto";
import { join, posix, resolve } from "node:path";
import { UpgradeError } from "../../base/errors/errors.js";
import { concatBytes, toHex, utf8 } from "../../base/text/bytes.js";
import { MANIFEST_SECTION } from "../../upgrade/handler/manifest/manifest-types.js";
import { customSection } from "../../upgrade/wasm/custom-section.js";
import { type Compiler, packageFolder } from "./compiler.js";
import { type ManifestDocument, runDeclaration } from "./declaration.js";
import { readTextFile } from "./text-file.js";

/** No garbage collector, no start section, memory bounded: what the sandbox asks for. */
export const HANDLER_FLAGS: readonly string[] = [
  ...["--config", "none", "--runtime", "stub", "--exportStart", "_initialize"],
  ...["--initialMemory", "16", "--maximumMemory", "512"],
  ...["--optimizeLevel", "3", "--shrinkLevel", "1", "--converge"],
];
const DECLARATION_FLAGS = [
  ...["--config", "none", "--runtime", "stub", "--exportStart", "_initialize"],
  ...["--use", "DESCRIBE=1"],
  // Unoptimised code takes more locals and bytes than the limits of handlers give.
  ...["--optimizeLevel", "1"],
];

/** What is compiled: the author's file for its declaration, and the exports of the interface. */
const ENTRY = "handler-entry.ts";
const EXPORTS = "handler_abi_1, handler_in, handler_out, handler_run, handler_batch, handler_check";
const entryText = (file: string) =>
  `import "./${file.replace(/\.ts$/, "")}";\nexport { ${EXPORTS} } from "chain-upgrade/assembly/handler/exports";\n`;

export interface CompileOptions {
  readonly compiler: Compiler;
  /** Folder of the author's project. */
  readonly project: string;
  /** The author's file, relative to the project. */
  readonly entry: string;
  /** Folder of the package chain-upgrade. */
  readonly packageRoot: string;
}

export interface CompiledHandler {
  readonly bytes: Uint8Array;
  readonly manifest: ManifestDocument;
  /** SHA-256 of every file that the compiler read, by its name in the project or in a package; names ascending. */
  readonly sources: ReadonlyMap<string, string>;
}

/**
 * @throws UpgradeError UPG_INVALID_ARGUMENT when it does not compile (`details.compiler` is what the compiler says), or
 *   declares what cannot be
 */
export async function compileHandler(options: CompileOptions): Promise<CompiledHandler> {
  const sources = new Map<string, string>();
  const manifest = runDeclaration((await compile(options, DECLARATION_FLAGS, sources)).wasm);
  const { wasm } = await compile(options, HANDLER_FLAGS, sources);
  const names = [...sources.keys()].sort();
  return {
    bytes: withManifest(wasm, manifest),
    manifest,
    sources: new Map(names.map((name) => [name, sources.get(name) as string])),
  };
}

/** The same code with the names of its functions, and the compiler's source map; and its text before it was optimised. */
export async function compileMapped(options: CompileOptions): Promise<Output & { readonly text: string }> {
  let text = "";
  const afterCompile: Transform["afterCompile"] = (module) => {
    text = module.emitText();
  };
  const output = await compile(options, [...HANDLER_FLAGS, "--debug", "--sourceMap"], new Map(), [{ afterCompile }]);
  return { ...output, text };
}

type CompilerOptions = NonNullable<Parameters<Compiler["main"]>[1]>;

/** What the compiler calls in between. */
interface Transform {
  /** Nothing is optimised yet: each call of the sources is there. */
  readonly afterCompile: (module: { emitText(): string }) => void;
}

export interface Output {
  readonly wasm: Uint8Array<ArrayBuffer>;
  /** JSON; "" when none was asked for. */
  readonly sourceMap: string;
}

async function compile(
  { compiler, project, entry, packageRoot }: CompileOptions,
  flags: readonly string[],
  sources: Map<string, string>,
  transforms: readonly Transform[] = [],
): Promise<Output> {
  let wasm: Uint8Array | undefined;
  let sourceMap = "";
  const { error, stderr } = await compiler.main([ENTRY, ...flags, "--outFile", "handler.wasm"], {
    readFile: (name) => {
      const path = posix.normalize(name.replaceAll("\\", "/"));
      if (path === ENTRY) return entryText(entry);
      const { label, file } = locate(path, project, packageRoot);
      const text = readText(file);
      if (text !== null) sources.set(label, toHex(createHash("sha256").update(text).digest()));
      return text;
    },
    writeFile: (_name, contents) => {
      if (typeof contents === "string") sourceMap = contents;
      else wasm = contents;
    },
    listFiles: () => [],
    // The compiler wants instances of a class that it does not export; it calls these methods, and nothing else of one.
    transforms: [...transforms] as unknown as NonNullable<CompilerOptions["transforms"]>,
  });
  if (error || !wasm) {
    const said = `${stderr.toString()}`.trim();
    const compilerText = said || error?.message || "";
    throw new UpgradeError("UPG_INVALID_ARGUMENT", `${entry} does not compile`, {
      details: { compiler: compilerText },
    });
  }
  return { wasm: new Uint8Array(wasm), sourceMap };
}

/** The kit and its one dependency come from where this program is; everything else from the project. */
export function locate(path: string, project: string, packageRoot: string): { label: string; file: string } {
  const found = /(?:^|.*\/)node_modules\/(.+)$/.exec(path)?.[1];
  if (found?.startsWith("chain-upgrade/")) return { label: found, file: join(packageRoot, found.slice(14)) };
  if (found?.startsWith("as-bignum/")) {
    return { label: found, file: join(packageFolder("as-bignum", packageRoot) ?? packageRoot, found.slice(10)) };
  }
  return { label: found ?? path, file: resolve(project, path) };
}

function readText(file: string): string | null {
  try {
    return readTextFile(file);
  } catch {
    return null; // the compiler looks in several places
  }
}

export const withManifest = (wasm: Uint8Array, manifest: ManifestDocument) =>
  concatBytes(wasm, customSection(MANIFEST_SECTION, utf8(JSON.stringify(manifest))));
