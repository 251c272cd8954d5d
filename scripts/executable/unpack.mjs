/**
 * Runs first in a single executable, in each of its threads: what an operating system loads from files only (the native
 * parts of the database and of file locks) and the handlers are written to a folder of this user's cache, which is named by
 * their content. What is there already is compared byte for byte.
 */
import { createHash, randomBytes } from "node:crypto";
import { lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { homedir, tmpdir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { getRawAsset } from "node:sea";
import { pathToFileURL } from "node:url";

const NAME_DIGITS = 32;
/** Exit status of UPG_STORE_IO (docs/errors.md). */
const STORE_IO_EXIT = 30;

const asset = (name) => Buffer.from(getRawAsset(name));

/** `url` is that of a file in the folder, from which `require` finds the packages in it. */
export function unpack() {
  const list = asset("files.json");
  const name = createHash("sha256").update(list).digest("hex").slice(0, NAME_DIGITS);
  const problems = [];
  for (const root of roots()) {
    const folder = join(root, name);
    try {
      requireOwn(root);
      for (const [path] of JSON.parse(list.toString())) place(join(folder, path), asset(path));
      const url = pathToFileURL(join(folder, "program.cjs")).href;
      return { url, require: createRequire(url) };
    } catch (error) {
      problems.push(`${folder}: ${error.message}`);
    }
  }
  const what = `the native parts of this executable cannot be written to a folder: ${problems.join("; ")}`;
  process.stderr.write(`Error: ${what}; set XDG_CACHE_HOME to a folder that this user may write to [UPG_STORE_IO]\n`);
  process.exit(STORE_IO_EXIT);
}

/** The user's cache, and where it cannot be written to, a folder of this user among those that are temporary. */
function roots() {
  const temporary = join(tmpdir(), `chain-upgrade-${process.getuid?.() ?? "cache"}`);
  const user = userCache();
  return user === undefined ? [temporary] : [join(user, "chain-upgrade"), temporary];
}

/** Undefined: the system does not know this user, as in a container, and HOME is not set. */
function userCache() {
  const { XDG_CACHE_HOME: cache = "" } = process.env;
  if (isAbsolute(cache)) return cache;
  try {
    return join(homedir(), ".cache");
  } catch {
    return undefined;
  }
}

/** What another user may write to is not loaded. */
function requireOwn(root) {
  makeFolder(root);
  const found = lstatSync(root);
  if (!found.isDirectory()) throw new Error(`${root} is no folder`);
  if (process.getuid === undefined) return;
  if (found.uid !== process.getuid() || (found.mode & 0o022) !== 0) throw new Error(`${root} is open to other users`);
}

/** One by one: Node's own way with parents never ends where nobody can make a folder, as in /proc. */
function makeFolder(path) {
  if (lstatSync(path, { throwIfNoEntry: false })) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
  }
}

/** Written under another name and renamed: two processes that begin at once both find it whole. */
function place(file, bytes) {
  if (holds(file, bytes)) return;
  makeFolder(dirname(file));
  const temporary = `${file}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    writeFileSync(temporary, bytes, { mode: 0o700, flag: "wx" });
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    // Windows lets nobody replace what another process has loaded.
    if (!holds(file, bytes)) throw error;
  }
}

function holds(file, bytes) {
  try {
    return lstatSync(file).isFile() && readFileSync(file).equals(bytes);
  } catch {
    return false;
  }
}
