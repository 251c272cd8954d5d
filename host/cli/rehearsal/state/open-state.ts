/** The state that a rehearsal begins with: that of a home whose node may run, a copy of it, or a snapshot's. */

import { join } from "node:path";
import { UpgradeError } from "../../../base/errors/errors.js";
import { sha256 } from "../../../base/native/sha256.js";
import type { Height } from "../../../base/types/types.js";
import type { Chain } from "../../../chain/app/chain.js";
import { engineMark } from "../../../chain/app/engine-port.js";
import type { GenesisFacts } from "../../../chain/app/genesis/genesis-facts.js";
import { keptOrFile, requireHome } from "../../../node/home/begun-genesis.js";
import type { Home } from "../../../node/home/home.js";
import { noChain, openShared } from "../../../node/open/home-database.js";
import { checkedChunk, loadArchive } from "../../../node/snapshots/archive.js";
import { namedAppHash } from "../../../node/snapshots/facts.js";
import { SnapshotFolder } from "../../../node/snapshots/folder.js";
import { SnapshotRestore } from "../../../node/snapshots/restore.js";
import type { Database } from "../../../state/store/disk/database.js";
import { lastVersionOf } from "../../../state/store/disk/fenced-database.js";
import { copyLmdb } from "../../../state/store/disk/lmdb-copy.js";
import { LmdbDatabase } from "../../../state/store/disk/lmdb-database.js";
import { LmdbFileDatabase } from "../../../state/store/disk/lmdb-file-database.js";
import { temporaryFolder } from "../../../state/store/disk/lmdb-temporary-path.js";
import type { RenewableDatabase } from "./pinned-database.js";

/** Where the state is read. */
type StateKind = "home" | "running home" | "copy" | "snapshot";

export interface OpenState extends RenewableDatabase {
  readonly kind: StateKind;
  readonly genesis: GenesisFacts;
  /** Of the last version. */
  readonly last: Height;
  close(): void;
}

export interface StateChoice {
  readonly home: Home;
  /** An archive of `snapshots dump` in place of the home's own state. */
  readonly snapshot?: string | undefined;
  /** Copy the database first, and rehearse on the copy. */
  readonly isCopied?: boolean | undefined;
}

/** For what a rehearsal writes. */
export const rehearsalFolder = () => temporaryFolder("chaind-rehearse-");

/** @throws UpgradeError UPG_INVALID_CONFIG, UPG_INVALID_SNAPSHOT, UPG_NOT_FOUND_VERSION, UPG_STORE_* */
export async function openState(chain: Chain, { home, snapshot, isCopied }: StateChoice): Promise<OpenState> {
  requireHome(home);
  if (snapshot !== undefined) return openSnapshot(chain, home, snapshot);
  if (!home.hasDatabase) throw noChain(home.path);
  const opened = openHome(chain, home);
  // Without a node nothing changes meanwhile.
  if (!isCopied || opened.kind === "home") return opened;
  opened.close();
  return openCopy(chain, home);
}

/** @throws UpgradeError UPG_STORE_* */
export function openHome(chain: Chain, home: Home): OpenState {
  const { database, isRunning, renew, close } = openShared(home);
  return closedOnError(close, () => ({
    ...{ kind: isRunning ? ("running home" as const) : ("home" as const), database, renew, close },
    ...facts(chain, home, database, database),
  }));
}

/** LMDB's own copy: whole, of one moment, while the node goes on. */
async function openCopy(chain: Chain, home: Home): Promise<OpenState> {
  const folder = rehearsalFolder();
  try {
    const file = join(folder.path, "chain.mdb");
    await copyLmdb(home.databaseFile, file, () => undefined);
    const database = LmdbFileDatabase.open(file);
    const close = () => {
      database.close();
      folder.remove();
    };
    return { kind: "copy", database, renew: () => undefined, close, ...facts(chain, home, database, database) };
  } catch (error) {
    folder.remove();
    throw error;
  }
}

/** The document of the chain is the home's: a snapshot has none. */
async function openSnapshot(chain: Chain, home: Home, file: string): Promise<OpenState> {
  const folder = rehearsalFolder();
  let database: LmdbDatabase | undefined;
  const close = () => {
    database?.close();
    folder.remove();
  };
  try {
    const snapshots = new SnapshotFolder(join(folder.path, "snapshots"));
    const snapshot = await loadArchive(snapshots, file, sha256);
    database = new LmdbDatabase(join(folder.path, "chain.mdb"), { isTemporary: true });
    const appHash = namedAppHash(snapshot, sha256);
    const restore = new SnapshotRestore(database, snapshot, { sha256, appHash, engine: engineMark("cometbft") });
    while (!restore.isComplete) await restore.apply(await checkedChunk(snapshots, snapshot, restore.next, sha256));
    restore.finish();
    restore.commit([]);
    const kept = home.hasDatabase ? openShared(home) : undefined;
    try {
      return {
        kind: "snapshot",
        database,
        renew: () => undefined,
        close,
        ...facts(chain, home, database, kept?.database),
      };
    } finally {
      kept?.close();
    }
  } catch (error) {
    close();
    throw error;
  }
}

function facts(
  chain: Chain,
  home: Home,
  state: Database,
  ofHome: Database | undefined,
): Pick<OpenState, "genesis" | "last"> {
  const last = lastVersionOf(state);
  if (last === 0) {
    throw new UpgradeError(
      "UPG_NOT_FOUND_VERSION",
      "there is no committed state in this home yet: start the node first",
    );
  }
  const { genesis, begin } = keptOrFile(chain, home, ofHome);
  begin?.close();
  return { genesis, last: BigInt(last) };
}

function closedOnError<T>(close: () => void, work: () => T): T {
  try {
    return work();
  } catch (error) {
    close();
    throw error;
  }
}
