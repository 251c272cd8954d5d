/** Is a built handler still what the sources make? handler.lock.json names what they were when it was built. */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { UpgradeError } from "../../../base/errors/errors.js";
import { toHex } from "../../../base/text/bytes.js";
import { PROGRAM } from "../../../base/text/program-text.js";
import { readLock } from "../lock.js";
import type { HandlerProject } from "../project.js";
import { sourceFile } from "../source-files.js";
import { readTextFile } from "../text-file.js";

const SHOWN_MAX = 3;

/**
 * A project without a lock is not built by `handler build`: nothing is known of its sources.
 *
 * @param hash of the built handler
 * @param packageRoot folder of the package chain-upgrade; undefined in a program that is one file
 * @throws UpgradeError UPG_HANDLER_HASH when it is stale, UPG_INVALID_CONFIG when the lock cannot be read
 */
export function requireFresh(project: HandlerProject, hash: string, packageRoot: string | undefined): void {
  if (!existsSync(project.lockFile)) return;
  const lock = readLock(project.lockFile);
  const changed = Object.entries(lock.sources)
    .filter(([name, sha256]) => {
      const file = sourceFile(name, project.folder, packageRoot);
      return file !== undefined && hashOf(file) !== sha256;
    })
    .map(([name]) => name);
  const build = `run \`${PROGRAM} handler build\``;
  if (changed.length > 0) {
    const more = changed.length > SHOWN_MAX ? ` and ${changed.length - SHOWN_MAX} more` : "";
    const what = `${changed.slice(0, SHOWN_MAX).join(", ")}${more} changed since it was built`;
    throw stale(project, `${what}: ${build}`, hash);
  }
  if (lock.sha256 !== hash) throw stale(project, `its SHA-256 is not the one in ${project.lockName}: ${build}`, hash);
}

function stale({ wasmName }: HandlerProject, why: string, hash: string): UpgradeError {
  return new UpgradeError("UPG_HANDLER_HASH", `${wasmName} is not what the sources make: ${why}`, {
    details: { built: hash },
  });
}

function hashOf(file: string): string {
  try {
    return toHex(createHash("sha256").update(readTextFile(file)).digest());
  } catch {
    return ""; // gone
  }
}
