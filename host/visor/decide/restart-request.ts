/** An operator asks the sidecar that runs to start the application again, by a file that the sidecar takes. */

import { messageOf, UpgradeError } from "../../base/errors/errors.js";
import type { Files } from "../../base/files/files.js";
import { writeWhole } from "../../base/files/whole-file.js";
import { utf8 } from "../../base/text/bytes.js";

const FILE_MODE = 0o600;

/** @throws UpgradeError UPG_STORE_IO */
export function requestRestart(files: Files, path: string): void {
  try {
    writeWhole(files, path, utf8("{}\n"), FILE_MODE);
  } catch (cause) {
    throw new UpgradeError("UPG_STORE_IO", `cannot write ${path}: ${messageOf(cause)}`, { cause });
  }
}

/** True once for each request. @throws what the system says */
export function takeRestartRequest(files: Files, path: string): boolean {
  if (!files.linkFacts(path)) return false;
  files.remove(path);
  return true;
}
