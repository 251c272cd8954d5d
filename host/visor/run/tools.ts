/** What every command of the sidecar is given: its settings, the machine, where results go. Each is made when it is asked for. */
import type { Files } from "../../base/files/files.js";
import type { FailureReporter } from "../../base/terminal/fail.js";
import type { Io } from "../../base/terminal/io.js";
import type { Output } from "../../base/terminal/output.js";
import type { ReadSettings } from "../decide/settings/read.js";
import type { Settings } from "../decide/settings.js";

export interface VisorTools {
  readonly output: Output;
  readonly io: Io;
  readonly env: Io["env"];
  /** Sets the exit status of a command that returns. One that throws exits with the status of its error. */
  setExitStatus(status: number): void;
  readonly reporter: FailureReporter;
  readonly files: Files;
  /** With what is wrong in it. @throws UpgradeError: the file of settings cannot be read */
  readSettings(options?: { readonly areFoldersChecked?: boolean }): ReadSettings;
  /** Warnings go to stderr. @throws UpgradeError UPG_INVALID_CONFIG with all that is wrong */
  settings(): Settings;
}
