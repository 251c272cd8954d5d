/**
 * Runs a script with V8's code cache: what V8 compiled is kept in the user's cache folder, and later starts load it instead of
 * compiling again. The cache is best effort. Without one, or with one that is damaged, foreign or made by another Node.js, the
 * script is compiled as usual, and no problem with it is an error.
 */
import { createHash, randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { cachedDataVersionTag, getHeapCodeStatistics } from "node:v8";
import { Script } from "node:vm";
import { isMainThread } from "node:worker_threads";
import { toHex } from "../text/bytes.js";

/** Set it to `off`, and no cache is read or written. */
const SWITCH = "CHAIN_UPGRADE_CODE_CACHE";

const NAME_DIGITS = 32;
const HASH_BYTES = 32;
/** The hash, then the size of the compiled functions. */
const HEADER_BYTES = HASH_BYTES + 8;
const CACHE_BYTES_MAX = 64 << 20;
/** Later commands compile other functions. A cache is replaced by one that has so many more. */
const GROWTH = 1.1;
/** Caches of other versions of Node.js and of the program that stay in the folder. */
const FILES_KEPT = 8;
const OTHERS_MAY_WRITE = 0o022;
const STICKY = 0o1000;

/**
 * Compiles the script, with the cache in `folder` where that is possible, and returns its value.
 *
 * @param asScript makes the script of the file's text
 * @param folder `undefined`: no cache
 */
export function runScript(file: string, asScript = (text: string) => text, folder = cacheFolder()): unknown {
  const bytes = readFileSync(file);
  const source = asScript(bytes.toString());
  if (folder === undefined) return new Script(source, { filename: file }).runInThisContext();
  const cache = join(folder, nameOf(bytes, file));
  const found = readCache(cache);
  const script = new Script(source, { filename: file, ...(found ? { cachedData: found.data } : {}) });
  const compiled = found && script.cachedDataRejected !== true ? found.compiled : 0;
  if (isMainThread) process.once("exit", () => writeIfGrown(cache, script, compiled));
  return script.runInThisContext();
}

/** The user's cache folder, or `undefined` on Windows, for an unknown user, and where the cache is off. */
export function cacheFolder(env = process.env, platform: string = process.platform): string | undefined {
  // A profile of coverage misses functions that were not compiled in this process.
  if (platform === "win32" || env[SWITCH] === "off" || env["NODE_V8_COVERAGE"]) return undefined;
  const { XDG_CACHE_HOME: named = "" } = env;
  if (isAbsolute(named)) return join(named, "chain-upgrade");
  try {
    const home = env["HOME"] || homedir();
    return isAbsolute(home)
      ? join(home, platform === "darwin" ? "Library/Caches" : ".cache", "chain-upgrade")
      : undefined;
  } catch {
    return undefined;
  }
}

/** V8's tag depends on its version, its flags and the processor. The file's path is in the cache, for stacks. */
function nameOf(script: Uint8Array, file: string): string {
  const hash = createHash("sha256")
    .update(script)
    .update(`${process.version} ${process.arch} ${cachedDataVersionTag()} ${file}`);
  return `${toHex(hash.digest()).slice(0, NAME_DIGITS)}.code`;
}

interface Cache {
  readonly data: Buffer;
  /** Bytes of compiled functions in the process that wrote it. */
  readonly compiled: number;
}

/** Undefined when the file is missing, damaged, or could have been written by another user. */
function readCache(path: string): Cache | undefined {
  try {
    if (!isOurs(dirname(path))) return undefined;
    const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const { uid, mode, size } = fstatSync(file);
      const isRegular = (mode & constants.S_IFMT) === constants.S_IFREG;
      if (!isRegular || uid !== process.getuid?.() || (mode & OTHERS_MAY_WRITE) !== 0) return undefined;
      if (size <= HEADER_BYTES || size > CACHE_BYTES_MAX) return undefined;
      const bytes = readFileSync(file);
      const rest = bytes.subarray(HASH_BYTES);
      if (!createHash("sha256").update(rest).digest().equals(bytes.subarray(0, HASH_BYTES))) return undefined;
      return { data: bytes.subarray(HEADER_BYTES), compiled: bytes.readDoubleLE(HASH_BYTES) };
    } finally {
      closeSync(file);
    }
  } catch {
    return undefined;
  }
}

/** As ssh checks its files: the folder is this user's, and nobody but this user and root can write to it or replace a parent. */
function isOurs(folder: string): boolean {
  const user = process.getuid?.();
  if (lstatSync(folder).uid !== user) return false;
  const real = realpathSync(folder);
  for (let at = real; ; at = dirname(at)) {
    const { uid, mode } = lstatSync(at);
    // In a sticky folder such as /tmp, others cannot rename or remove what is not theirs.
    const isWritable = (mode & OTHERS_MAY_WRITE) !== 0 && (at === real || (mode & STICKY) === 0);
    if (isWritable || (uid !== user && uid !== 0)) return false;
    if (at === dirname(at)) return true;
  }
}

function writeIfGrown(path: string, script: Script, before: number): void {
  try {
    const compiled = getHeapCodeStatistics().bytecode_and_metadata_size;
    if (compiled <= before * GROWTH || !makeFolder(dirname(path))) return;
    const size = Buffer.alloc(HEADER_BYTES - HASH_BYTES);
    size.writeDoubleLE(compiled);
    const rest = Buffer.concat([size, script.createCachedData()]);
    place(path, Buffer.concat([createHash("sha256").update(rest).digest(), rest]));
    removeOld(dirname(path));
  } catch {
    // A folder that cannot be written to, a full disk: the next start compiles again.
  }
}

/** Makes the folder and at most one parent, but none in another user's folder. False when others may write to it. */
function makeFolder(folder: string): boolean {
  for (const each of [dirname(folder), folder]) {
    if (lstatSync(each, { throwIfNoEntry: false })) continue;
    // Root with the HOME of another user would leave folders that he cannot use.
    if (![process.getuid?.(), 0].includes(lstatSync(dirname(each)).uid)) return false;
    mkdirSync(each, { mode: 0o700 });
  }
  return isOurs(folder);
}

/** Renames a finished file: a process that starts meanwhile reads the old cache or the new one. */
function place(path: string, bytes: Uint8Array): void {
  const temporary = `${path}.${toHex(randomBytes(6))}.tmp`;
  try {
    writeFileSync(temporary, bytes, { mode: 0o600, flag: "wx" });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** Also removes the temporary files of processes that were killed, once they are old. */
function removeOld(folder: string): void {
  const files = readdirSync(folder)
    .filter((name) => /^[0-9a-f]+\.code(\.[0-9a-f]+\.tmp)?$/.test(name))
    .map((name) => join(folder, name))
    .map((path) => ({ path, time: lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .sort((a, b) => b.time - a.time);
  for (const { path } of files.slice(FILES_KEPT)) rmSync(path, { force: true });
}
