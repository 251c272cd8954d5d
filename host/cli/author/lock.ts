/** `handler.lock.json`: what a handler was built from, so that anyone can build the same bytes and see that they are. */

import { messageOf, UpgradeError } from "../../base/errors/errors.js";
import { VERSION } from "../../base/terminal/version.js";
import { utf8 } from "../../base/text/bytes.js";
import { HANDLER_FLAGS } from "./compile.js";
import { writeOutFile } from "./out-file.js";
import { readTextFile } from "./text-file.js";

export interface HandlerLock {
  readonly lock: 1;
  readonly compiler: string;
  readonly kit: string;
  readonly flags: string;
  /** The file carries its metered module; absent in locks from before there was one: it does not. */
  readonly metered?: boolean;
  /** SHA-256 of every file that the compiler read. */
  readonly sources: Readonly<Record<string, string>>;
  readonly sha256: string;
  readonly size: number;
}

export function makeLock(
  compilerVersion: string,
  sources: ReadonlyMap<string, string>,
  file: { metered: boolean; sha256: string; size: number },
): HandlerLock {
  return {
    lock: 1,
    compiler: `assemblyscript ${compilerVersion}`,
    kit: `chain-upgrade ${VERSION}`,
    flags: HANDLER_FLAGS.join(" "),
    metered: file.metered,
    sources: Object.fromEntries(sources),
    sha256: file.sha256,
    size: file.size,
  };
}

export function writeLock(path: string, lock: HandlerLock): void {
  writeOutFile(path, utf8(`${JSON.stringify(lock, null, 2)}\n`));
}

/** Whether the locked file carries its metered module. @throws UpgradeError UPG_INVALID_CONFIG */
export const isMeteredByLock = (path: string): boolean => readLock(path).metered === true;

/** @throws UpgradeError UPG_HANDLER_HASH, with everything that is not as in the lock */
export function requireLock(path: string, built: HandlerLock): void {
  const lock = readLock(path);
  if (lock.sha256 === built.sha256) return;
  const names = [...new Set([...Object.keys(lock.sources), ...Object.keys(built.sources)])].sort();
  const changed = [
    ...(["compiler", "kit", "flags"] as const)
      .filter((name) => lock[name] !== built[name])
      .map((name) => `${name} was "${lock[name]}", is "${built[name]}"`),
    ...((lock.metered === true) === built.metered
      ? []
      : [`the metered module was ${lock.metered ? "in" : "out"}, is ${built.metered ? "in" : "out"}`]),
    ...names.filter((name) => lock.sources[name] !== built.sources[name]).map((name) => `${name} changed`),
  ];
  throw new UpgradeError(
    "UPG_HANDLER_HASH",
    `built ${built.sha256}, the lock has ${lock.sha256}: ${changed.join("; ") || "nothing that the lock names changed"}`,
    { details: { built: built.sha256, locked: lock.sha256 } },
  );
}

export function readLock(path: string): HandlerLock {
  try {
    const lock = JSON.parse(readTextFile(path)) as Partial<HandlerLock>;
    if (lock.lock !== 1 || typeof lock.sha256 !== "string" || typeof lock.sources !== "object") {
      throw new Error("it is not a lock of version 1");
    }
    return lock as HandlerLock;
  } catch (cause) {
    const message = messageOf(cause);
    throw new UpgradeError("UPG_INVALID_CONFIG", `cannot read ${path}: ${message}; build without --locked first`, {
      cause,
    });
  }
}
