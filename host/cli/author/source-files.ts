/** Finds the file of each source that handler.lock.json names. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { locate } from "./compile.js";
import type { HandlerProject } from "./project.js";

/** Of the project, of the kit, or of a package; undefined where this program has no kit. */
export function sourceFile(name: string, folder: string, packageRoot: string | undefined): string | undefined {
  const own = join(folder, name);
  if (existsSync(own)) return own;
  if (packageRoot === undefined) return undefined;
  return locate(`node_modules/${name}`, folder, packageRoot).file;
}

/** All of a build. */
export const sourceFiles = (
  sources: ReadonlyMap<string, string>,
  { folder }: HandlerProject,
  packageRoot: string,
): string[] => [...sources.keys()].flatMap((name) => sourceFile(name, folder, packageRoot) ?? []);
