/** The modules of embed/rust, and what each one needs of the others: `use` declarations and paths, types included. */
import { type Source, sourcesUnder } from "./sources.js";

const FOLDER = "embed/rust/src";

interface RustModule {
  readonly file: string;
  /** Without comments, strings and tests. */
  readonly code: string;
  /** Items that it only passes on, by name: the path that each has elsewhere. */
  readonly passedOn: ReadonlyMap<string, readonly string[]>;
}

/** For each file of the crate, the files whose items it uses. A re-export that the file itself does not use counts for nothing. */
export function rustDependencies(): Map<string, string[]> {
  const modules = new Map(sourcesUnder(FOLDER, ".rs").filter(isProduct).map(readModule));
  return new Map(
    [...modules].map(([path, module]) => {
      const files = usedPaths(path, module, modules).map((used) => definer(used, modules)?.file);
      return [
        module.file,
        [...new Set(files)].filter((file) => file !== undefined && file !== module.file) as string[],
      ];
    }),
  );
}

const isProduct = ({ path }: Source) => !/\/tests\.rs$/.test(path);

/** `run/gas.rs` → `run::gas`; `run/mod.rs` → `run`; `lib.rs` → the crate itself, ``. */
function modulePath(file: string): string {
  return file
    .slice(FOLDER.length + 1)
    .replace(/(?:(?:^|\/)mod|^lib)?\.rs$/, "")
    .replaceAll("/", "::");
}

function readModule({ path: file, text }: Source): [string, RustModule] {
  const code = text
    .replace(/^\s*#\[cfg\(test\)\]\nmod \w+ \{[\s\S]*/m, "")
    .replace(/\/\/.*$/gm, "")
    .replace(/"(?:[^"\\]|\\[\s\S])*"/g, '""');
  const path = modulePath(file);
  const passedOn = new Map<string, readonly string[]>();
  for (const { isPublic, paths } of useDeclarations(code)) {
    if (isPublic) for (const each of paths) passedOn.set(each.at(-1) as string, absolute(path, each));
  }
  return [path, { file, code, passedOn }];
}

const USE = /^[ \t]*(pub(?:\([^)]*\))? )?use ([^;]+);/gm;

function useDeclarations(code: string) {
  return [...code.matchAll(USE)].map(([, isPublic, tree = ""]) => ({
    isPublic: isPublic !== undefined,
    paths: expanded(tree.replace(/\s+/g, " ")),
  }));
}

/** `a::{b, c::{self, d}}` → a::b, a::c, a::c::d. */
function expanded(tree: string): string[][] {
  const [, head = "", inner] = /^\s*([^{]*?)(?:\{([\s\S]*)\})?\s*$/.exec(tree) ?? [];
  const segments = head.split("::").flatMap((each) => each.replace(/ as .*/, "").trim() || []);
  if (inner === undefined) return [segments.filter((each) => each !== "self")];
  return branches(inner).flatMap((each) => expanded(each).map((rest) => [...segments, ...rest]));
}

/** The parts between the commas that are in no inner braces. */
function branches(inner: string): string[] {
  const parts = [""];
  let depth = 0;
  for (const character of inner) {
    depth += character === "{" ? 1 : character === "}" ? -1 : 0;
    if (character === "," && depth === 0) parts.push("");
    else parts[parts.length - 1] += character;
  }
  return parts.filter((part) => part.trim() !== "");
}

/** The path from the crate's root. A name that is neither `crate` nor `super` is a module below this one, or another crate's. */
function absolute(from: string, path: readonly string[]): readonly string[] {
  const [first, ...rest] = path;
  if (first === "crate") return rest;
  const own = from === "" ? [] : from.split("::");
  return first === "super" ? absolute(own.slice(0, -1).join("::"), rest) : [...own, ...path];
}

function usedPaths(path: string, { code }: RustModule, modules: ReadonlyMap<string, RustModule>) {
  const body = code.replace(USE, "");
  const isUsed = (name: string) => new RegExp(`\\b${name}\\b`).test(body);
  const declared = useDeclarations(code).flatMap(({ isPublic, paths }) =>
    paths.filter((each) => !isPublic || isUsed(each.at(-1) as string)),
  );
  const children = [...modules.keys()].filter((each) => each.replace(/(?:^|::)\w+$/, "") === path && each !== path);
  const names = ["crate", "super", ...children.map((each) => each.split("::").at(-1))];
  const inline = [...body.matchAll(new RegExp(`(?<![\\w:])(?:${names.join("|")})(?:::\\w+)+`, "g"))];
  return [...declared, ...inline.map(([found]) => found.split("::"))].map((each) => absolute(path, each));
}

/** The module that defines what a path names, also where others pass it on. */
function definer(path: readonly string[], modules: ReadonlyMap<string, RustModule>): RustModule | undefined {
  for (let length = path.length; length >= 0; length--) {
    const module = modules.get(path.slice(0, length).join("::"));
    if (!module) continue;
    const elsewhere = module.passedOn.get(path[length] ?? "");
    return elsewhere ? definer([...elsewhere, ...path.slice(length + 1)], modules) : length === 0 ? undefined : module;
  }
  return undefined;
}
