/** The AssemblyScript compiler: the project's own if it has one, else the one beside this program. */
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { UpgradeError } from "../../base/errors/errors.js";
import { importFile } from "../../base/native/import-file.js";

/** Other versions make other bytes. */
export const COMPILER_VERSION = "0.28.20";

type Asc = typeof import("assemblyscript/asc");

export interface Compiler {
  readonly version: string;
  readonly main: Asc["main"];
}

/** @throws UpgradeError UPG_INVALID_CONFIG when there is none, or not the version that this kit is made for */
export async function openCompiler(project: string, packageRoot: string): Promise<Compiler> {
  const folder = packageFolder("assemblyscript", project) ?? packageFolder("assemblyscript", packageRoot);
  if (!folder) {
    throw new UpgradeError(
      "UPG_INVALID_CONFIG",
      `the AssemblyScript compiler is not installed: npm install --save-dev --save-exact assemblyscript@${COMPILER_VERSION}`,
    );
  }
  const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version: string };
  if (version !== COMPILER_VERSION) {
    throw new UpgradeError(
      "UPG_INVALID_CONFIG",
      `assemblyscript is ${version} here, this kit is made for ${COMPILER_VERSION}: another one makes other bytes; ` +
        `npm install --save-dev --save-exact assemblyscript@${COMPILER_VERSION}`,
    );
  }
  const asc = (await importFile(pathToFileURL(join(folder, "dist/asc.js")).href)) as Asc;
  return { version, main: asc.main };
}

/** Folder of a package as seen from `from`; undefined when it is not installed there. */
export function packageFolder(name: string, from: string): string | undefined {
  const paths = createRequire(join(resolve(from), "package.json")).resolve.paths(name) ?? [];
  return paths.map((path) => join(path, name)).find((path) => existsSync(join(path, "package.json")));
}

/** The package that this program is part of, from a file of it. @throws UpgradeError UPG_INVALID_CONFIG */
export function packageRoot(file: string): string {
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder)) {
    if (existsSync(join(folder, "assembly/handler/index.ts"))) return folder;
  }
  throw new UpgradeError("UPG_INVALID_CONFIG", `the sources of the kit are not beside ${file}: install chain-upgrade`);
}
