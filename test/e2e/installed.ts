/** The package as npm installs it from its tarball, with the packages of this checkout beside it. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packInto } from "./packed.js";

const ROOT = join(import.meta.dirname, "../..");

/** Folder of the package in `folder/node_modules`. npm's record there says that it came from the tarball, which is kept. */
export function installPackage(folder: string): string {
  const tarball = packInto(folder);
  const packages = join(folder, "node_modules");
  const installed = join(packages, "chain-upgrade");
  mkdirSync(installed, { recursive: true });
  execFileSync("tar", ["-xzf", tarball, "--strip-components=1", "-C", installed]);
  for (const name of readdirSync(join(ROOT, "node_modules"))) {
    if (!name.startsWith(".")) symlinkSync(join(ROOT, "node_modules", name), join(packages, name));
  }
  return installed;
}

/** As npm writes it where the package was installed from its tarball. */
export function recordTarball(folder: string): void {
  const [filename] = readdirSync(folder).filter((name) => name.endsWith(".tgz"));
  const lock = { packages: { "node_modules/chain-upgrade": { resolved: `file:${filename}` } } };
  writeFileSync(join(folder, "node_modules/.package-lock.json"), JSON.stringify(lock));
}
