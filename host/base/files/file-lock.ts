/**
 * Locks of the kernel on open files (OFD locks on Linux, their like elsewhere). They know nothing of process ids, so they
 * hold between containers, and the kernel drops them with the process, however it ends.
 */
import { createRequire } from "node:module";

interface Native {
  tryLock(file: number, options: { readonly shared: boolean }): boolean;
}

const require = createRequire(import.meta.url);

let native: Native | undefined | null;

/** Undefined where the package has no build for this platform: the lock file and the fence of commits must do there. */
function loaded(): Native | undefined {
  if (native === undefined) {
    try {
      native = require("fs-native-extensions") as Native;
    } catch {
      native = null;
    }
  }
  return native ?? undefined;
}

/** Has this platform locks of the kernel for us? */
export function hasFileLocks(): boolean {
  return loaded() !== undefined;
}

/**
 * Locks an open file until it is closed; exclusive locks need one that is open for writing. False: another one has it.
 * @throws what the system says, for a file system without locks
 */
export function tryFileLock(file: number, kind: "exclusive" | "shared"): boolean {
  return loaded()?.tryLock(file, { shared: kind === "shared" }) ?? true;
}
