/** Where blocks are run again: a folder with a database of its own, from genesis or from a state that was copied. */

import { constants, copyFileSync, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { UpgradeError } from "../../../base/errors/errors.js";
import { readFileIfThere, writeFileAtomically } from "../../../base/files/atomic-file.js";
import { makeFolder } from "../../../base/files/open-file.js";
import { sha256 } from "../../../base/native/sha256.js";
import { utf8 } from "../../../base/text/bytes.js";
import { decodeLossy } from "../../../base/text/text.js";
import { App } from "../../../chain/app/app.js";
import { AppPort } from "../../../chain/app/app-port.js";
import type { Chain } from "../../../chain/app/chain.js";
import { keptOrFile } from "../../../node/home/begun-genesis.js";
import { Home } from "../../../node/home/home.js";
import { nodeVerifySignature } from "../../../node/home/node-signatures.js";
import { stagedHandlers, versionsAndHandlers } from "../../../node/home/versions-and-handlers.js";
import { copyLmdb } from "../../../state/store/disk/lmdb-copy.js";
import { LmdbDatabase } from "../../../state/store/disk/lmdb-database.js";
import { rollbackTo } from "../../../state/store/versions/rollback.js";
import { Core } from "../../../upgrade/core/core.js";
import type { SkipHeights } from "../../../upgrade/module/keeper.js";
import type { ReplaySource } from "./source.js";

/** In the record of each commit: no node goes on from such a home, which has no blocks. */
const ENGINE = "replay";
const MARK = "replay.json";

/**
 * Makes the folder ready, or finds one that an earlier run has begun.
 * @throws UpgradeError UPG_INVALID_ARGUMENT for a folder of something else; UPG_STORE_*, UPG_NOT_FOUND_VERSION
 */
export async function prepareTarget(path: string, source: ReplaySource, say: (line: string) => void): Promise<Home> {
  const home = new Home(path);
  const mark = `${JSON.stringify({ replay_of: source.genesis.chainId })}\n`;
  const found = readFileIfThere(join(path, MARK));
  if (found && decodeLossy(found) === mark) return home;
  if (existsSync(path) && readdirSync(path).length > 0) {
    throw new UpgradeError("UPG_INVALID_ARGUMENT", `${path} is no replay of this chain: name a new folder`);
  }
  for (const folder of [home.configFolder, home.dataFolder, home.stagedFolder]) makeFolder(folder);
  copyHandlers(source.home, home);
  const { initialHeight } = source.genesis;
  if (source.hasGenesis && (source.blocks.lowest() ?? 0n) === initialHeight) {
    copyFileSync(source.home.genesisFile, home.genesisFile, constants.COPYFILE_FICLONE);
  } else await copyState(source, home, say);
  writeFileAtomically(join(path, MARK), utf8(mark));
  return home;
}

/** Those of the home wait for their height: whatever lay in it early or late, the plan decides when one runs. */
function copyHandlers(from: Home, to: Home): void {
  for (const folder of [from.handlersFolder, from.stagedFolder]) {
    if (!existsSync(folder)) continue;
    for (const name of readdirSync(folder).filter((each) => each.endsWith(".wasm"))) {
      copyFileSync(join(folder, name), join(to.stagedFolder, name));
    }
  }
}

async function copyState(source: ReplaySource, home: Home, say: (line: string) => void): Promise<void> {
  const height = source.lowestState;
  say(`the blocks from genesis on are not kept: it begins after height ${height}`);
  await copyLmdb(source.home.databaseFile, home.databaseFile, (done, all) =>
    say(`copied ${done} of about ${all} bytes`),
  );
  const database = new LmdbDatabase(home.databaseFile, { isTemporary: true });
  try {
    rollbackTo(database, Number(height));
  } finally {
    database.close();
  }
}

export interface OpenTarget {
  readonly app: App;
  readonly port: AppPort;
  close(): void;
}

export interface TargetOptions {
  /** Know nothing newer than this app version. */
  readonly newest: bigint;
  readonly skipHeights: SkipHeights;
  readonly handlers: string | undefined;
  readonly log: (message: string) => void;
}

/** @throws Halt; UpgradeError UPG_INVALID_GENESIS, UPG_HANDLER_*, UPG_STORE_* */
export function openTarget(
  chain: Chain,
  home: Home,
  { newest, skipHeights, handlers: given, log }: TargetOptions,
): OpenTarget {
  const database = new LmdbDatabase(home.databaseFile, { isTemporary: true });
  try {
    const begun = keptOrFile(chain, home, database);
    const { versions, handlers } = versionsAndHandlers(chain, home, given ?? chain.handlers, newest);
    const say = (level: string, message: string) => (level === "info" ? undefined : log(message));
    const staged = stagedHandlers({ chain, home, folder: undefined, versions, log: say });
    const app = new App({
      ...{ chain, database, sha256, core: new Core(), genesis: begun.genesis, versions, log: say, skipHeights },
      ...{ staged: () => staged.look(), verifySignature: nodeVerifySignature, engine: ENGINE },
    });
    for (const { handler, isOfHome } of handlers) app.keeper.setWasmHandler(handler, { isOfHome });
    app.load();
    const record = begun.begin?.record;
    const port = new AppPort({ app, genesis: begun.genesis, ...(record ? { alongsideFirst: record } : {}) });
    const close = () => {
      begun.begin?.close();
      database.close();
    };
    return { app, port, close };
  } catch (error) {
    database.close();
    throw error;
  }
}
