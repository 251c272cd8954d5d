/** `chaind export`: a committed version as a genesis document, in the shape that `init --genesis` reads. */

import { randomBytes } from "node:crypto";
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { isUpgradeError, UpgradeError } from "../../base/errors/errors.js";
import { diskFailure } from "../../base/files/disk-errors.js";
import { sha256 } from "../../base/native/sha256.js";
import { toHex, utf8 } from "../../base/text/bytes.js";
import { formatTime } from "../../base/time/time.js";
import type { VersionMap } from "../../base/types/types.js";
import type { Chain } from "../../chain/app/chain.js";
import { codeInForce } from "../../chain/app/start.js";
import type { ChainVersion } from "../../chain/app/versions/version.js";
import { BlockStore } from "../../node/blocks/block-store.js";
import { keptGenesis } from "../../node/home/genesis-record.js";
import { Home } from "../../node/home/home.js";
import { noChain, withReader } from "../../node/open/home-database.js";
import { removedAtEnd } from "../../state/store/disk/lmdb-temporary-path.js";
import { CommitMultiStore } from "../../state/store/versions/commit-multi-store.js";
import { readCommit } from "../../state/store/versions/commit-record.js";
import type { VersionView } from "../../state/store/versions/version-view.js";
import { Core } from "../../upgrade/core/core.js";
import { sameVersions } from "../../upgrade/core/version-map.js";
import { UPGRADE_STORE } from "../../upgrade/module/keeper.js";
import { documentText } from "./export-document.js";
import { ExportLosses } from "./export-losses.js";
import { outputFile } from "./output-file.js";

export interface ExportRequest {
  /** 0n: the last. */
  readonly height: bigint;
  readonly forZeroHeight?: boolean;
  readonly outputDocument?: string;
}

/** @throws UpgradeError UPG_STORE_LOCKED, UPG_NOT_FOUND_VERSION, UPG_STORE_*, UPG_INVALID_CONFIG, UPG_INVALID_ARGUMENT */
export function exportGenesis(chain: Chain, path: string, request: ExportRequest, say: (line: string) => void): void {
  const output = request.outputDocument === undefined ? undefined : outputFile(new Home(path), request.outputDocument);
  withReader(path, (database) => {
    const core = new Core();
    const multiStore = new CommitMultiStore(database, { sha256 });
    const height = request.height === 0n ? multiStore.lastCommitID.version : request.height;
    if (height === 0n) throw noChain(path);
    const view = multiStore.at(height);
    const { facts: begun } = keptGenesis(database);
    const upgrade = view.store(UPGRADE_STORE);
    const code = codeInForce({ core }, view, { genesis: begun, versions: chain.versions });
    const losses = new ExportLosses(
      view,
      chain.modules.filter(({ name }) => code.modules.has(name)),
    );
    const text = documentText({
      losses,
      ...{ chain, view, begun, version: code, raw: rawPart(code, core.versionMap(upgrade), view) },
      time: formatTime(readCommit(database, Number(height))?.time ?? new BlockStore(database).timeOf(height)),
      initialHeight: request.forZeroHeight ? 1n : height + 1n,
      appVersion: core.protocolVersion(upgrade) === 0n ? begun.appVersion : code.number,
    });
    const plan = core.plan(upgrade);
    if (plan) say(`the plan "${plan.name}" at height ${plan.height} is not included: schedule it again`);
    if (!output) writeTo(1, text);
    else if (output.isStream) writeStream(output.path, text);
    else writeFile(output.path, text);
    for (const line of losses.lines()) say(line);
  });
}

/**
 * What an upgrade has brought that the program's version does not have: its stores are carried pair by pair.
 * @throws UpgradeError UPG_INVALID_ARGUMENT when a module that is written in words has a layout that is unknown here
 */
function rawPart(code: ChainVersion, modules: VersionMap, { names }: VersionView) {
  const stores = names.filter((name) => !code.stores.includes(name));
  if (stores.length === 0 && sameVersions(modules, code.modules)) return undefined;
  for (const [module, known] of code.modules) {
    const stored = modules.get(module);
    if (stored === known) continue;
    throw new UpgradeError(
      "UPG_INVALID_ARGUMENT",
      `module "${module}" has version ${stored ?? "none"} in this state, and this program knows version ${known}: ` +
        "export with a program that knows it, so that nothing is lost",
    );
  }
  return { modules, stores };
}

const PIPE_MILLIS = 5;
/** Text is gathered to this many characters before it is written. */
const WRITE_CHARACTERS = 262_144;

/** A pipe may take a part at a time; nothing may be lost when the process ends. */
function writeTo(file: number, text: Iterable<string>): void {
  let gathered = "";
  for (const piece of text) {
    gathered += piece;
    if (gathered.length < WRITE_CHARACTERS) continue;
    if (!writeAll(file, utf8(gathered))) return;
    gathered = "";
  }
  writeAll(file, utf8(gathered));
}

/** False when the reader of a pipe has gone. */
function writeAll(file: number, bytes: Uint8Array): boolean {
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(file, bytes, at);
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException;
      if (code === "EPIPE") return false;
      if (code !== "EAGAIN") throw cause;
      // The pipe is full: its reader, such as a pager, may take its time.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PIPE_MILLIS);
    }
  }
  return true;
}

function writeStream(path: string, text: Iterable<string>): void {
  try {
    const file = openSync(path, "w");
    try {
      writeTo(file, text);
    } finally {
      closeSync(file);
    }
  } catch (cause) {
    throw notWritten(path, cause);
  }
}

/** The document is made of state while it is written: what state refuses keeps its own code. */
function notWritten(path: string, cause: unknown): UpgradeError {
  return isUpgradeError(cause) ? cause : diskFailure("write", `cannot write ${path}`, path, cause);
}

/** The file exists once all of it is on disk. */
function writeFile(path: string, text: Iterable<string>): void {
  const temporary = `${path}.${toHex(randomBytes(4))}`;
  const release = removedAtEnd(temporary);
  try {
    const file = openSync(temporary, "w", 0o644);
    try {
      writeTo(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
  } catch (cause) {
    rmSync(temporary, { force: true });
    throw notWritten(path, cause);
  } finally {
    release();
  }
}
