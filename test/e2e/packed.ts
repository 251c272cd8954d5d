/** The package as the registry would have it, packed once for all test files of a run. */
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { inject } from "vitest";
import "./packed-folder.js";

const ROOT = join(import.meta.dirname, "../..");
const LOOK_MILLIS = 50;
const PACKED_MILLIS_MAX = 120_000;

/** Puts the tarball into `folder` and returns its path. */
export function packInto(folder: string): string {
  const tarball = packedOnce(inject("packedFolder"));
  const own = join(folder, basename(tarball));
  copyFileSync(tarball, own);
  return own;
}

/** The test file that makes the folder `packing` packs; the others wait until the name of the tarball is written. */
function packedOnce(shared: string): string {
  const done = join(shared, "name");
  if (isFirst(join(shared, "packing"))) {
    const args = ["pack", "--json", "--ignore-scripts", "--pack-destination", shared];
    const json = execFileSync("npm", args, { cwd: ROOT, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
    const [{ filename = "" } = {}] = JSON.parse(json) as { filename: string }[];
    writeFileSync(done, filename);
  }
  for (const until = Date.now() + PACKED_MILLIS_MAX; !existsSync(done) || readFileSync(done, "utf8") === ""; ) {
    if (Date.now() > until) throw new Error("another test file packs the package, and does not end");
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_MILLIS);
  }
  return join(shared, readFileSync(done, "utf8"));
}

function isFirst(lock: string): boolean {
  try {
    mkdirSync(lock);
    return true;
  } catch {
    return false;
  }
}
