/**
 * May this program run after the last upgrade of a state? A version of its own that the upgrade led to says yes. For
 * any other upgrade the node's record says which version's code ran after it, and a program that has that code may go
 * on, whatever lies in its folders. Where the record is missing (an older program wrote the home), the handler's file
 * must be here, with the hash of the receipt, and the layouts of the modules that the program has code for must be its own.
 */

import { UpgradeError } from "../../base/errors/errors.js";
import { toHex } from "../../base/text/bytes.js";
import type { DoneUpgrade, KVReader } from "../../base/types/types.js";
import type { Database } from "../../state/store/disk/database.js";
import { codeRecord } from "../../state/store/versions/code-records.js";
import { decodeReceipt } from "../../upgrade/handler/receipt.js";
import { type Keeper, UPGRADE_STORE } from "../../upgrade/module/keeper.js";
import { codedModules } from "./versions/of-state.js";
import type { ChainVersion } from "./versions/version.js";

export interface KnownFacts {
  readonly database: Database;
  readonly versions: readonly ChainVersion[];
  readonly stores: { store(name: string): KVReader };
  readonly last: DoneUpgrade;
}

/** @throws UpgradeError UPG_HANDLER_HASH when the upgrade's file is here with other bytes than those that ran */
export function knowsLastUpgrade(keeper: Keeper, facts: KnownFacts): boolean {
  const { database, versions, last } = facts;
  if (versions.some(({ plan }) => plan === last.name)) return true;
  const store = facts.stores.store(UPGRADE_STORE);
  const receipt = keeper.core.receipt(store, last.name);
  const hash = receipt && toHex(decodeReceipt(receipt).handlerSha256);
  const handler = keeper.handler(last.name);
  if (handler?.wasm && hash !== undefined && handler.wasm.hash !== hash) {
    throw otherBytes(last, { file: handler.wasm.file ?? "the handler", here: handler.wasm.hash, ran: hash });
  }
  const code = codeRecord(database, last);
  if (code !== undefined) return versions.some(({ number }) => number === code);
  if (!handler) {
    keeper.log("warn", missing(last, hash));
    return false;
  }
  return hasOwnLayouts(keeper, facts);
}

/** Each module with code is stored at a version of this program, or was brought to where it is by the last handler. */
function hasOwnLayouts(keeper: Keeper, { versions, stores, last }: KnownFacts): boolean {
  const stored = keeper.moduleVersions(stores.store(UPGRADE_STORE));
  const raised = keeper.handler(last.name)?.wasm?.manifest.versions;
  // A program with one version alone cannot say which of its modules have other layouts: all of them count.
  const coded = versions.length > 1 ? codedModules(versions) : [...(versions[0]?.modules.keys() ?? [])];
  return coded.every((module) => {
    const version = stored.get(module);
    if (version === undefined || raised?.get(module)?.to === version) return true;
    return versions.some(({ modules }) => (modules.get(module) ?? 0n) >= version);
  });
}

function otherBytes(
  { name, height }: DoneUpgrade,
  { file, here, ran }: { readonly file: string; readonly here: string; readonly ran: string },
): UpgradeError {
  return new UpgradeError(
    "UPG_HANDLER_HASH",
    `${file} serves the plan "${name}", which was applied at height ${height} by the handler with sha256 ${ran}; ` +
      `this file has sha256 ${here}: put the file back that ran, or take this one away`,
    { details: { file, handler_sha256: here, ran_sha256: ran } },
  );
}

function missing({ name, height }: DoneUpgrade, hash: string | undefined): string {
  const which = hash === undefined ? "a program that carries it" : `the handler with sha256 ${hash}`;
  return (
    `the last upgrade, "${name}" at height ${height}, was applied by ${which}: start the program that applied it` +
    `${hash === undefined ? "" : ", or put that file into <home>/handlers"}`
  );
}
