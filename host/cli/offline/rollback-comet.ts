/** Takes back the last block of a home whose blocks CometBFT decided: the application's, then CometBFT's own state. */
import { execFileSync } from "node:child_process";
import { resolve } from "node:path";
import { messageOf, UpgradeError } from "../../base/errors/errors.js";
import { toUpperHex } from "../../base/text/bytes.js";
import { homeCommand } from "../../base/text/shell-word.js";
import { decodeLossy } from "../../base/text/text.js";
import { LastSigned } from "../../node/blocks/last-signed.js";
import { cometFiles } from "../../node/comet/comet-files.js";
import { findComet } from "../../node/comet/engine/binary.js";
import { databaseHolder } from "../../node/comet/engine/database-holder.js";
import { Home } from "../../node/home/home.js";
import { withDatabase } from "../../node/open/home-database.js";
import { lastVersionOf } from "../../state/store/disk/fenced-database.js";
import { lastEngine } from "../../state/store/versions/commit-record.js";
import { rollbackLastVersion } from "../../state/store/versions/rollback.js";
import type { RolledBackBlock } from "./rollback.js";

interface RollbackOptions {
  /** The block goes too. */
  readonly isHard: boolean;
  /** CometBFT's program, where a flag names it. */
  readonly program: string | undefined;
}

const ROLLBACK_MILLIS_MAX = 120_000;

/**
 * A process that dies between the two leaves an application that is one block behind: CometBFT runs that block again.
 * @throws UpgradeError UPG_INVALID_CONFIG, UPG_STORE_LOCKED, UPG_STORE_SIGNED, UPG_NOT_FOUND_VERSION; nothing is written then
 */
export function rollbackComet(path: string, { isHard, program }: RollbackOptions): RolledBackBlock {
  const comet = findComet(program, process.env);
  const { databases } = cometFiles(new Home(resolve(path)));
  const holder = databaseHolder(databases);
  if (holder !== undefined) {
    throw new UpgradeError(
      "UPG_STORE_LOCKED",
      `process ${holder} has the database in ${databases} open: stop it first`,
    );
  }
  const back = withDatabase(path, (database, home) => {
    if (lastEngine(database) === "") {
      throw new UpgradeError(
        "UPG_INVALID_CONFIG",
        `the blocks of ${path} were made without CometBFT: ${homeCommand("rollback", path)} takes the last one back`,
      );
    }
    if (isHard) requireNotSigned(home.lastSignedFile, BigInt(lastVersionOf(database)));
    return rollbackLastVersion(database);
  });
  try {
    const args = ["rollback", "--home", resolve(path), ...(isHard ? ["--hard"] : [])];
    execFileSync(comet.path, args, { timeout: ROLLBACK_MILLIS_MAX, stdio: ["ignore", "pipe", "pipe"] });
  } catch (cause) {
    const { stderr } = cause as { stderr?: Uint8Array };
    // One that was ended for its time has printed nothing.
    const why =
      decodeLossy(stderr ?? new Uint8Array())
        .trim()
        .slice(-500) || messageOf(cause);
    throw new UpgradeError(
      "UPG_INVALID_CONFIG",
      `the application is at block ${back.to} now, but \`cometbft rollback\` failed: ${why}. At the next start CometBFT runs block ${back.from} again`,
      { cause },
    );
  }
  return { height: String(back.to), removed: String(back.from), app_hash: toUpperHex(back.appHash) };
}

function requireNotSigned(file: string, last: bigint): void {
  const { height } = new LastSigned(file);
  if (height < last) return;
  throw new UpgradeError(
    "UPG_STORE_SIGNED",
    `this node's key has signed block ${height} (${file}), and does not sign that height again: without --hard block ${last} is run again as it was decided`,
  );
}
