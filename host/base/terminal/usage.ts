/** A mistake of the caller: on a command line, or in an argument. */
import { UpgradeError } from "../errors/errors.js";

export function usage(message: string): UpgradeError {
  return new UpgradeError("UPG_INVALID_ARGUMENT", message);
}
