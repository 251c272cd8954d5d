/** `chaind upgrade witness` and `forget`: the part of the state before an upgrade that its handler looks at. */

import { UpgradeError } from "../../base/errors/errors.js";
import { writeFileAtomically } from "../../base/files/atomic-file.js";
import { sha256 } from "../../base/native/sha256.js";
import { toHex } from "../../base/text/bytes.js";
import type { Chain } from "../../chain/app/chain.js";
import { keptGenesis } from "../../node/home/genesis-record.js";
import { Home } from "../../node/home/home.js";
import { noChain, openShared } from "../../node/open/home-database.js";
import { recordFromHome } from "../../node/snapshots/record-home.js";
import { forgetBefore, writeWitness } from "../../node/snapshots/witness-files.js";
import type { Database } from "../../state/store/disk/database.js";
import { findWitness } from "../../state/store/disk/witness-on-disk.js";
import { CommitMultiStore } from "../../state/store/versions/commit-multi-store.js";
import { PinnedVersions } from "../../state/store/versions/pinned-versions.js";
import { outputFile } from "./output-file.js";

export interface WitnessFlags {
  readonly out?: string;
  readonly handler?: string;
  readonly handlers?: string;
}

/**
 * Beside a running node, or without one; whole or not at all.
 * @throws UpgradeError UPG_NOT_FOUND_RECEIPT, UPG_NOT_FOUND_VERSION, UPG_HANDLER_HASH, UPG_WITNESS_RESULT, UPG_STORE_*, UPG_INVALID_ARGUMENT
 */
export function makeWitness(
  chain: Chain,
  path: string,
  plan: string,
  { out, handler, handlers }: WitnessFlags,
): object {
  const home = new Home(path);
  if (!home.hasDatabase) throw noChain(path);
  const output = out === undefined ? undefined : outputFile(home, out);
  if (output?.isStream)
    throw new UpgradeError("UPG_INVALID_ARGUMENT", `${output.path} is a device or a pipe: name a file`);
  const { database, close } = openShared(home);
  try {
    const folders = handlers === undefined ? [] : [handlers];
    const { bytes, contents, gas } = recordFromHome({ database, home, chain, folders, handler }, plan);
    if (output) writeFileAtomically(output.path, bytes, 0o644);
    else writeWitness(home, plan, bytes);
    const { height, others } = contents;
    return {
      ...{ plan, height: String(height), file: output?.path ?? home.witnessFile(plan), bytes: bytes.length },
      ...{ sha256: toHex(sha256(bytes)), gas: String(gas) },
      other_writes: others.map(({ store, writes }) => ({ store, writes: writes.length })),
    };
  } finally {
    close();
  }
}

/** What `forget` takes away, for the question before it. */
export const forgetLoss = (plan: string, height: string) =>
  `The state of height ${height}, before the upgrade "${plan}", will be pruned: no witness can be made, and \`rollback --to\` cannot go back over the upgrade`;

/** @throws UpgradeError UPG_NOT_FOUND_VERSION when no state is held for this plan */
export function heightHeldFor(path: string, plan: string): string {
  const home = new Home(path);
  if (!home.hasDatabase) throw noChain(path);
  const { database, close } = openShared(home);
  try {
    return String(heldHeight(database, plan));
  } finally {
    close();
  }
}

function heldHeight(database: Database, plan: string): number {
  const height = PinnedVersions.load(database).versionOf(plan);
  if (height !== undefined) return height;
  const { version } = new CommitMultiStore(database, { sha256 }).lastCommitID;
  throw new UpgradeError("UPG_NOT_FOUND_VERSION", `no state is held for the upgrade "${plan}" at height ${version}`);
}

/** @throws UpgradeError UPG_NOT_FOUND_VERSION when no state is held for this plan */
export function forgetUpgrade(path: string, plan: string): object {
  const home = new Home(path);
  if (!home.hasDatabase) throw noChain(path);
  const { database, close } = openShared(home);
  try {
    const height = heldHeight(database, plan);
    const { chainId } = keptGenesis(database).facts;
    const found = findWitness(home.witnessFile(plan), { chainId, plan, height: BigInt(height) + 1n }, sha256);
    forgetBefore(home, plan);
    return { plan, height: String(height), witness: found === "whole" };
  } finally {
    close();
  }
}
