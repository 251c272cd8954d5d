/**
 * The genesis document of a home. A chain that has not begun reads it; after the first block the database has what is
 * needed, and a document that is another one by now is a warning.
 */

import { existsSync, statSync } from "node:fs";
import { UpgradeError } from "../../base/errors/errors.js";
import { hashOfFile, hashOfSource, inGenesisFile, openFileSource } from "../../base/files/file-source.js";
import { equalBytes, toHex } from "../../base/text/bytes.js";
import { homeCommand } from "../../base/text/shell-word.js";
import type { Chain } from "../../chain/app/chain.js";
import { type Genesis, longLists, missingFromGenesis, openGenesis } from "../../chain/app/genesis/genesis.js";
import type { GenesisFacts } from "../../chain/app/genesis/genesis-facts.js";
import type { GenesisList } from "../../chain/values/json-list.js";
import type { Batch, Database } from "../../state/store/disk/database.js";
import type { LogLevel } from "../../upgrade/module/handlers.js";
import { requireNoRollback } from "./data-copies.js";
import { encodeGenesisRecord, GENESIS_KEY, type GenesisDigest, readGenesisRecord } from "./genesis-record.js";
import type { Home } from "./home.js";

type Log = (level: LogLevel, message: string) => void;

/** What a chain begins with. */
interface Begin {
  /** Reads the whole document once. @throws UpgradeError UPG_INVALID_GENESIS with the path of what is wrong */
  check(log: Log): void;
  /** Keeps what is needed later. */
  record(batch: Batch): void;
  close(): void;
}

export interface BegunGenesis {
  readonly genesis: GenesisFacts | Genesis;
  readonly digest: GenesisDigest;
  /** Undefined once the chain has begun. */
  readonly begin: Begin | undefined;
}

/** Before anything is made in a folder: is it a home, and whole? @throws UpgradeError UPG_INVALID_CONFIG */
export function requireHome(home: Home): void {
  requireNoRollback(home.path);
  if (!existsSync(home.genesisFile) && !home.hasDatabase) throw noDocument(home);
}

function noDocument({ path, genesisFile, hasDatabase, databaseFile }: Home): UpgradeError {
  const remedy = hasDatabase
    ? `restore it from your backup, since ${databaseFile} holds no block yet and does not replace it`
    : `make a home with ${homeCommand("init NAME", path)} first`;
  return new UpgradeError("UPG_INVALID_CONFIG", `${genesisFile} is missing: ${remedy}`);
}

/** @throws UpgradeError UPG_INVALID_CONFIG when there is no document, UPG_INVALID_GENESIS, UPG_STORE_CORRUPT */
export function keptOrFile(chain: Chain, home: Home, database: Database | undefined): BegunGenesis {
  const kept = database && readGenesisRecord(database);
  if (kept) return { genesis: kept.facts, digest: kept.digest, begin: undefined };
  const source = openFileSource(home.genesisFile);
  if (!source) throw noDocument(home);
  try {
    const genesis = inGenesisFile(home.genesisFile, () => openGenesis(chain, source));
    const digest = { sha256: hashOfSource(source), size: source.size };
    const begin = {
      check: (log: Log) =>
        inGenesisFile(home.genesisFile, () => checkAll(chain, home.genesisFile, genesis, log, home.path)),
      record: (batch: Batch) => batch.put(GENESIS_KEY, encodeGenesisRecord(genesis, digest)),
      close: () => source.close(),
    };
    return { genesis, digest, begin };
  } catch (error) {
    source.close();
    throw error;
  }
}

/** Says in the log when the document is not the one that the chain began with; reads it between other work. */
export function watchGenesisFile(home: Home, { sha256, size }: GenesisDigest, log: Log, signal: AbortSignal): void {
  const { genesisFile } = home;
  const began = `the chain began with one of ${size} bytes, SHA-256 ${toHex(sha256)}; it goes on from its own state`;
  if (!existsSync(genesisFile)) {
    log("warn", `${genesisFile} is missing: ${began}`);
  } else if (statSync(genesisFile).size !== size) {
    log("warn", `${genesisFile} is another document: ${began}`);
  } else {
    hashOfFile(genesisFile, signal)
      .then((hash) => {
        if (!equalBytes(hash, sha256)) log("warn", `${genesisFile} is another document: ${began}`);
      })
      .catch((error: unknown) => {
        if (!signal.aborted) log("warn", `${genesisFile} cannot be read: ${String(error)}; ${began}`);
      });
  }
}

/**
 * Checks the parts of a genesis document that every chain needs, and each entry of its lists.
 *
 * @param home whose document it is, for the command that completes it
 * @throws UpgradeError UPG_INVALID_GENESIS
 */
export function checkAll(chain: Chain, file: string, genesis: Genesis, log: Log, home: string): void {
  requireAll(chain, file, genesis, home);
  for (const [name, list] of longLists(chain, genesis)) walk(name, list, log);
}

/** Entries between two lines of the log. */
const PROGRESS_ENTRIES = 250_000;

/** Reads a list to its end: that is what checks it. */
function walk(name: string, list: GenesisList<unknown>, log: Log): void {
  let read = 0;
  for (const _ of list) {
    read++;
    if (read % PROGRESS_ENTRIES === 0) log("info", `genesis: ${read} of ${list.length} ${name} checked`);
  }
}

function requireAll(chain: Chain, file: string, genesis: Genesis, home: string): void {
  const missing = missingFromGenesis(chain, genesis);
  if (missing.length === 0) return;
  throw new UpgradeError(
    "UPG_INVALID_GENESIS",
    `${file} ${missing.join(", ")}: give one power with ${homeCommand("genesis add-account KEY COINS --validator", home)}`,
  );
}
