/** What a report says of a home: state, plan, versions, stores, handlers, machine. What cannot be read is a line of its own. */

import { existsSync, statSync } from "node:fs";
import { availableParallelism, freemem, totalmem } from "node:os";
import { join } from "node:path";
import { messageOf } from "../../../base/errors/errors.js";
import { freeBytes } from "../../../base/files/disk-errors.js";
import { readRegularFile } from "../../../base/files/open-file.js";
import { sha256 } from "../../../base/native/sha256.js";
import { VERSION } from "../../../base/terminal/version.js";
import { toHex, toUpperHex } from "../../../base/text/bytes.js";
import { formatTime } from "../../../base/time/time.js";
import { HANDLER_BYTES_MAX } from "../../../base/types/limits.js";
import type { Chain } from "../../../chain/app/chain.js";
import { keptGenesis } from "../../../node/home/genesis-record.js";
import { listWasm } from "../../../node/home/handlers-folder.js";
import type { Home } from "../../../node/home/home.js";
import { openShared } from "../../../node/open/home-database.js";
import type { Database } from "../../../state/store/disk/database.js";
import { lastVersionOf } from "../../../state/store/disk/fenced-database.js";
import { CommitMultiStore } from "../../../state/store/versions/commit-multi-store.js";
import { readCommit } from "../../../state/store/versions/commit-record.js";
import { PinnedVersions } from "../../../state/store/versions/pinned-versions.js";
import { ReadableVersions } from "../../../state/store/versions/readable-versions.js";
import { Core } from "../../../upgrade/core/core.js";
import { UPGRADE_STORE } from "../../../upgrade/module/keeper.js";

/** 64-bit integers are texts. */
export interface RescueFacts {
  readonly program: object;
  readonly machine: object;
  readonly state: object | { readonly problem: string };
  readonly handlers: readonly object[];
}

export function rescueFacts(chain: Chain, home: Home): RescueFacts {
  const { name, versions, handlers } = chain;
  const known = versions.map(({ number, plan }) => ({ app_version: String(number), plan: plan ?? null }));
  const folders = [home.handlersFolder, home.stagedFolder, ...(handlers === undefined ? [] : [handlers])];
  return {
    program: {
      name,
      version: VERSION,
      node: process.version,
      platform: `${process.platform} ${process.arch}`,
      versions: known,
    },
    machine: machineFacts(home),
    state: tried(() => stateFacts(home)),
    handlers: folders.flatMap((folder) => handlerFacts(folder)),
  };
}

function machineFacts(home: Home): object {
  const { databaseFile } = home;
  return {
    processors: availableParallelism(),
    memory_bytes: totalmem(),
    memory_free_bytes: freemem(),
    disk_free_bytes: freeBytes(databaseFile) ?? "unknown",
    database_bytes: statSync(databaseFile, { throwIfNoEntry: false })?.size ?? 0,
    time: new Date().toISOString(),
  };
}

function tried(make: () => object): object {
  try {
    return make();
  } catch (error) {
    return { problem: messageOf(error) };
  }
}

function stateFacts(home: Home): object {
  if (!existsSync(home.databaseFile)) return { problem: "there is no database" };
  const { database, isRunning, close } = openShared(home);
  try {
    const last = lastVersionOf(database);
    const state = last === 0 ? undefined : readCommit(database, last);
    const kept = ReadableVersions.load(database);
    return {
      ...{ is_running: isRunning, chain_id: tried(() => ({ is: keptGenesis(database).facts.chainId })) },
      height: String(last),
      app_hash: toUpperHex(state?.appHash ?? new Uint8Array()),
      time: state?.time ? formatTime(state.time) : null,
      engine: state?.engine === "" ? "embedded" : (state?.engine ?? null),
      versions_kept: kept.inWords,
      versions_held: PinnedVersions.load(database).entries.map(([version, plan]) => ({
        height: String(version),
        plan,
      })),
      stores: (state?.stores ?? []).map((store) => {
        return { name: store.name, root: toUpperHex(store.root.hash), pairs: store.root.size };
      }),
      upgrade: state ? tried(() => upgradeFacts(database, BigInt(last))) : null,
    };
  } finally {
    close();
  }
}

function upgradeFacts(database: Database, height: bigint): object {
  const core = new Core();
  const store = new CommitMultiStore(database, { sha256 }).at(height).store(UPGRADE_STORE);
  const [plan, last] = [core.plan(store), core.lastDone(store)];
  return {
    plan: plan ? { name: plan.name, height: String(plan.height), info: plan.info } : null,
    last_applied: last ? { name: last.name, height: String(last.height) } : null,
    protocol_version: String(core.protocolVersion(store)),
    module_versions: Object.fromEntries([...core.versionMap(store)].map(([name, number]) => [name, String(number)])),
  };
}

function handlerFacts(folder: string): object[] {
  return listWasm(folder).map((name) => {
    const file = join(folder, name);
    return tried(() => {
      const bytes = readRegularFile(file, HANDLER_BYTES_MAX);
      return { file, bytes: bytes.length, sha256: toHex(sha256(bytes)) };
    });
  });
}
