/** What a rollback takes back, read before anything is written: what an operator is asked about. */

import { UpgradeError } from "../../base/errors/errors.js";
import { usage } from "../../base/terminal/usage.js";
import { toUpperHex } from "../../base/text/bytes.js";
import type { Height } from "../../base/types/types.js";
import { BlockStore } from "../../node/blocks/block-store.js";
import { LastSigned } from "../../node/blocks/last-signed.js";
import type { Home } from "../../node/home/home.js";
import { withReader } from "../../node/open/home-database.js";
import { SnapshotFolder } from "../../node/snapshots/folder.js";
import type { Database } from "../../state/store/disk/database.js";
import { lastVersionOf } from "../../state/store/disk/fenced-database.js";
import { codeRecordsAfter } from "../../state/store/versions/code-records.js";
import { type CommitState, readCommit } from "../../state/store/versions/commit-record.js";
import { ReadableVersions } from "../../state/store/versions/readable-versions.js";

/** How far to go back: to a height, or so many blocks. */
export interface RollbackTarget {
  readonly to?: Height;
  readonly blocks?: Height;
}

/** As it is printed; 64-bit integers are texts. */
export interface RollbackLoss {
  /** The last height now, and the one that would be. */
  readonly from: string;
  readonly to: string;
  /** Of the state at `to`, upper-case hex. */
  readonly app_hash: string;
  readonly blocks: string;
  readonly txs: string;
  /** Who has the blocks: with "cometbft" they stay there, and are given to the application again. */
  readonly engine: "embedded" | "cometbft";
  readonly upgrades: readonly string[];
  /** Of `upgrades`, in their order. */
  readonly upgrade_heights: readonly string[];
  /** Heights of the home's snapshots that are removed: of blocks that are no more. Those of CometBFT's blocks stay. */
  readonly snapshots: readonly string[];
  /** Stores that exist now and did not at `to`, and those that existed there and do not now. */
  readonly stores_lost: readonly string[];
  readonly stores_back: readonly string[];
  /** The consensus key may sign the heights after `to` again, up to this one. "0": it has signed none of them. */
  readonly signed_up_to: string;
}

/** @throws UpgradeError UPG_STORE_LOCKED, UPG_NOT_FOUND_VERSION, UPG_NOT_FOUND_BLOCK, UPG_INVALID_ARGUMENT */
export function rollbackLoss(path: string, target: RollbackTarget): RollbackLoss {
  return withReader(path, (database, home) => {
    const last = requireCommit(database, lastVersionOf(database));
    const to = heightOf(target, BigInt(last.version));
    return lossOf(database, home, last, requireTarget(database, to));
  });
}

/** @throws UpgradeError UPG_INVALID_ARGUMENT */
function heightOf({ to, blocks }: RollbackTarget, last: Height): Height {
  if ((to === undefined) === (blocks === undefined)) throw usage("give either --to or --blocks");
  const height = to ?? last - (blocks ?? 0n);
  if (height < 1n || height >= last) {
    throw usage(`the last height is ${last}: a rollback ends at a height from 1 to ${last - 1n}, not at ${height}`);
  }
  return height;
}

/**
 * The version of that height, from which the chain can go on.
 * @throws UpgradeError UPG_NOT_FOUND_VERSION, UPG_NOT_FOUND_BLOCK
 */
export function requireTarget(database: Database, to: Height): CommitState {
  const state = requireCommit(database, Number(to));
  if (state.engine !== "") return state;
  const blocks = new BlockStore(database);
  const lowest = blocks.lowest();
  // The next block names the one before it.
  if (lowest === undefined || lowest <= to) return state;
  throw new UpgradeError(
    "UPG_NOT_FOUND_BLOCK",
    `block ${to} was pruned (min-retain-blocks), so the chain cannot go on from it: block ${to + 1n} cannot be taken ` +
      "back. Restore a copy of the data folder from before it",
  );
}

function requireCommit(database: Database, version: number): CommitState {
  const state = version > 0 ? readCommit(database, version) : undefined;
  if (state) return state;
  const kept = version > 0 ? `: kept are ${ReadableVersions.load(database).inWords}` : "";
  const why =
    version > 0 ? ". After `upgrade witness` or `upgrade forget` the state before an upgrade is pruned too" : "";
  throw new UpgradeError("UPG_NOT_FOUND_VERSION", `there is no state of height ${version}${kept}${why}`);
}

function lossOf(database: Database, home: Home, last: CommitState, before: CommitState): RollbackLoss {
  const [from, to] = [BigInt(last.version), BigInt(before.version)];
  const isEmbedded = last.engine === "";
  const { height } = isEmbedded ? new LastSigned(home.lastSignedFile) : { height: 0n };
  const applied = codeRecordsAfter(database, to);
  const [now, then] = [namesOf(last), namesOf(before)];
  return {
    ...{ from: String(from), to: String(to), app_hash: toUpperHex(before.appHash), blocks: String(from - to) },
    txs: String(isEmbedded ? txsAfter(database, to, from) : 0n),
    engine: isEmbedded ? "embedded" : "cometbft",
    upgrades: applied.map(({ plan }) => plan),
    upgrade_heights: applied.map(({ height: at }) => String(at)),
    snapshots: isEmbedded ? snapshotsAfter(home, to).map(String) : [],
    stores_lost: now.filter((name) => !then.includes(name)),
    stores_back: then.filter((name) => !now.includes(name)),
    signed_up_to: String(height > to ? height : 0n),
  };
}

/** The newest first. @throws UpgradeError UPG_STORE_IO */
export function snapshotsAfter(home: Home, to: Height): Height[] {
  const { heights } = new SnapshotFolder(home.snapshotsFolder);
  return heights.filter((height) => height > to);
}

const namesOf = ({ stores }: CommitState) => stores.map(({ name }) => name);

function txsAfter(database: Database, to: Height, from: Height): bigint {
  const blocks = new BlockStore(database);
  let count = 0n;
  for (let height = to + 1n; height <= from; height++) count += BigInt(blocks.at(height).txCount);
  return count;
}

/** For people, before they are asked. @param start the command that starts this home */
export function lossInWords(loss: RollbackLoss, start: string): string[] {
  const { from, to, blocks, txs, upgrades, signed_up_to: signed } = loss;
  const list = (names: readonly string[]) => names.join(", ");
  return [
    `from height ${from} back to ${to}, app hash ${loss.app_hash}`,
    loss.engine === "embedded"
      ? `${blocks} blocks with ${txs} transactions are lost`
      : `the application's state of ${blocks} heights is lost; CometBFT keeps the blocks and gives them to the application again`,
    ...(upgrades.length > 0 ? [`upgrades that are taken back: ${list(upgrades)}`] : []),
    ...(loss.snapshots.length > 0 ? [`snapshots that are removed, of heights ${list(loss.snapshots)}`] : []),
    ...(loss.stores_lost.length > 0 ? [`stores that are lost: ${list(loss.stores_lost)}`] : []),
    ...(loss.stores_back.length > 0 ? [`stores that are back: ${list(loss.stores_back)}`] : []),
    ...(signed === "0"
      ? []
      : [
          `the consensus key signed up to height ${signed}, and will sign the heights from ${BigInt(to) + 1n} again: no other node may have seen them`,
        ]),
    ...warnings(loss, start),
  ];
}

/** The plan of an upgrade that is taken back is due again, and blocks after it may exist elsewhere. */
function warnings({ engine, from, upgrades, upgrade_heights: heights }: RollbackLoss, start: string): string[] {
  const [plan] = upgrades;
  if (plan === undefined) return [];
  const skip = `--unsafe-skip-upgrades ${heights.join(",")}`;
  if (engine === "embedded") {
    return [
      `warning: "${plan}" is due again at height ${heights[0]}, and the next start with a version that has it applies it again. To stay on the old version: \`${start} ${skip}\``,
    ];
  }
  return [
    `warning: CometBFT keeps the blocks up to ${from}, and their app hashes are those after "${plan}". Only the version that has "${plan}" can run them again; a start with ${skip} exits with 18. To leave "${plan}" out, all validators go back together: docs/recovery.md, "Go back over an upgrade"`,
  ];
}
