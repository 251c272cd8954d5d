/** Where npm installed this program from, so that a handler project asks for the same bytes. */
import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

/**
 * What a project writes in its package.json to depend on the package at `packageRoot`: the tarball or the commit that it
 * was installed from. Undefined for a registry, and where npm left no record of it or the tarball is gone.
 */
export function installedFrom(packageRoot: string): string | undefined {
  const packages = dirname(packageRoot);
  const from = resolvedIn(join(packages, ".package-lock.json"), `node_modules/${basename(packageRoot)}`);
  if (from?.startsWith("git")) return from;
  if (!from?.startsWith("file:")) return undefined;
  // npm writes it relative to the folder that holds node_modules.
  const tarball = resolve(dirname(packages), from.slice("file:".length));
  return existsSync(tarball) ? `file:${tarball}` : undefined;
}

function resolvedIn(lockfile: string, name: string): string | undefined {
  try {
    const lock = JSON.parse(readFileSync(lockfile, "utf8")) as {
      packages?: Record<string, { resolved?: unknown } | undefined>;
    } | null;
    const resolved = lock?.packages?.[name]?.resolved;
    return typeof resolved === "string" ? resolved : undefined;
  } catch {
    // Another package manager, or none: the version is the best that is known.
    return undefined;
  }
}
