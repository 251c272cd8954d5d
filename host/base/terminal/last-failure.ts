/** The last error of a program that a sidecar runs, kept in a file: the sidecar shares stderr and does not read it. */
import { writeFileSync } from "node:fs";
import type { Io } from "./io.js";

/** Environment variable with the path of the file. */
export const LAST_FAILURE_FILE = "CHAINVISOR_APP_FAILURE";

export interface LastFailure {
  /** Exit status of the program. */
  readonly exit: number;
  readonly code: string;
  readonly message: string;
}

/** Does nothing where no sidecar asks for it. Best effort: the same line is in the log. */
export function keepFailure(env: Io["env"], failure: LastFailure): void {
  const file = env[LAST_FAILURE_FILE];
  if (!file) return;
  try {
    writeFileSync(file, `${JSON.stringify({ v: 1, ...failure })}\n`);
  } catch {
    // A full disk, for example.
  }
}
