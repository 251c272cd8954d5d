/** Texts of a project: a file of it may be a pipe or a device, and reading it must end all the same. */
import { closeSync, readFileSync } from "node:fs";
import { openRegularFile } from "../../base/files/open-file.js";

/** @throws what the system says, and an Error for what is no regular file */
export function readTextFile(path: string): string {
  const file = openRegularFile(path);
  try {
    return readFileSync(file, "utf8");
  } finally {
    closeSync(file);
  }
}
