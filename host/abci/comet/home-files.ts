/** What stock CometBFT wants to find in a home, where an older `init` has not made it. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Home } from "../../engine/home/home.js";
import { writeNothingSigned } from "../../engine/home/last-signed.js";

/**
 * Before the first block. Later a record of signatures that is missing is left missing: it was lost then, and nothing keeps
 * the key from signing twice.
 */
export function prepareCometHome(home: Home, isNew: boolean): void {
  const hasBlocks = existsSync(join(home.dataFolder, "blockstore.db"));
  if (isNew && !hasBlocks && existsSync(home.validatorKeyFile)) writeNothingSigned(home.lastSignedFile);
}
