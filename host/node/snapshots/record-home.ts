/** Makes witnesses out of a home's database, which a running node may be writing to. */
import { join } from "node:path";
import { UpgradeError } from "../../base/errors/errors.js";
import { readRegularFile } from "../../base/files/open-file.js";
import { sha256 } from "../../base/native/sha256.js";
import { equalBytes, toHex } from "../../base/text/bytes.js";
import { HANDLER_BYTES_MAX } from "../../base/types/limits.js";
import type { Chain } from "../../chain/app/chain.js";
import type { Database } from "../../state/store/disk/database.js";
import { CommitMultiStore } from "../../state/store/versions/commit-multi-store.js";
import { readCommit } from "../../state/store/versions/commit-record.js";
import { Core } from "../../upgrade/core/core.js";
import type { WasmHandler } from "../../upgrade/handler/handler.js";
import { decodeReceipt } from "../../upgrade/handler/receipt.js";
import { UPGRADE_STORE } from "../../upgrade/module/upgrade-store.js";
import { type RecordedWitness, recordWitness } from "../../verify/replay/record-witness.js";
import { BlockStore } from "../blocks/block-store.js";
import { keptGenesis } from "../home/genesis-record.js";
import { listWasm, loadHandlerFile } from "../home/handlers-folder.js";
import type { Home } from "../home/home.js";

export interface HomeRecording {
  readonly database: Database;
  readonly home: Home;
  readonly chain: Pick<Chain, "handlers">;
  /** More folders with handlers. */
  readonly folders?: readonly string[];
  /** The file of the handler; without it the one with the receipt's hash is looked for. */
  readonly handler?: string | undefined;
}

/**
 * Runs the upgrade of this plan again over the state before it.
 * @throws UpgradeError UPG_NOT_FOUND_RECEIPT, UPG_NOT_FOUND_VERSION when the state before it is not kept, UPG_HANDLER_HASH when the
 *   handler is not here, UPG_WITNESS_RESULT, UPG_STORE_*
 */
export function recordFromHome(recording: HomeRecording, plan: string): RecordedWitness {
  const { database } = recording;
  const core = new Core();
  const multiStore = new CommitMultiStore(database, { sha256 });
  const { version } = multiStore.lastCommitID;
  if (version === 0n) throw notApplied(plan);
  const state = multiStore.at(version).store(UPGRADE_STORE);
  const receipt = core.receipt(state, plan);
  const height = core.doneHeight(state, plan);
  if (!receipt || height === 0n) throw notApplied(plan);
  const { handlerSha256 } = decodeReceipt(receipt);
  return recordWitness({
    ...{ core, sha256, height, handler: handlerOf(recording, plan, handlerSha256) },
    chainId: keptGenesis(database).facts.chainId,
    time: readCommit(database, Number(height))?.time ?? new BlockStore(database).timeOf(height),
    before: multiStore.at(height - 1n),
    after: multiStore.at(height),
  });
}

/** The handler that ran, whatever its file is called now and whatever lies beside it. */
function handlerOf({ home, chain, folders = [], handler }: HomeRecording, plan: string, hash: Uint8Array): WasmHandler {
  if (handler !== undefined) {
    const given = loadHandlerFile(handler, sha256);
    if (given.hash === toHex(hash)) return given;
    throw new UpgradeError(
      "UPG_HANDLER_HASH",
      `${handler} has sha256 ${given.hash}, and ${toHex(hash)} ran for "${plan}"`,
    );
  }
  const own = chain.handlers === undefined ? [] : [chain.handlers];
  const all = [home.handlersFolder, home.stagedFolder, ...own, ...folders];
  for (const file of all.flatMap((folder) => listWasm(folder).map((name) => join(folder, name)))) {
    if (equalBytes(hashOfFile(file), hash)) return loadHandlerFile(file, sha256);
  }
  throw new UpgradeError(
    "UPG_HANDLER_HASH",
    `the handler that ran for "${plan}", sha256 ${toHex(hash)}, is in none of ${all.join(", ")}: name its file`,
  );
}

/** Of what cannot be read: no hash. */
function hashOfFile(file: string): Uint8Array {
  try {
    return sha256(readRegularFile(file, HANDLER_BYTES_MAX));
  } catch {
    return new Uint8Array(0);
  }
}

function notApplied(plan: string): UpgradeError {
  return new UpgradeError(
    "UPG_NOT_FOUND_RECEIPT",
    `there is no receipt for "${plan}": it was not applied, or not by a Wasm handler`,
  );
}
