/** The project's own sources, as text and by their imports: what the house tests look at. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

export const ROOT = resolve(import.meta.dirname, "../..");

interface Import {
  readonly specifier: string;
  readonly isTypeOnly: boolean;
  /** Path from the root, for imports of the project's own files. */
  readonly file: string | undefined;
}

export interface Source {
  /** Path from the root, with slashes. */
  readonly path: string;
  readonly text: string;
  readonly imports: readonly Import[];
}

const IMPORT = /^\s*(?:import|export)\s+(type\s+)?(?:[^;"']*?\sfrom\s+)?["']([^"']+)["']/gm;

export function sourcesUnder(folder: string, ending = ".ts"): Source[] {
  const files = readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" });
  return files
    .filter((file) => file.endsWith(ending))
    .map((file) => readSource(join(folder, file).replaceAll("\\", "/")))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

function readSource(path: string): Source {
  const text = readFileSync(join(ROOT, path), "utf8");
  const imports = [...text.matchAll(IMPORT)].map(([statement, isType, specifier = ""]) => ({
    specifier,
    isTypeOnly: isType !== undefined || /^\s*(?:import|export)\s*\{(?:\s*type [^,}]+,?)+\s*\}/.test(statement),
    file: specifier.startsWith(".") ? resolveImport(path, specifier) : undefined,
  }));
  return { path, text, imports };
}

function resolveImport(from: string, specifier: string): string {
  const target = resolve(ROOT, dirname(from), specifier.replace(/\.js$/, ".ts"));
  return relative(ROOT, target).replaceAll("\\", "/");
}
