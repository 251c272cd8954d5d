/**
 * What a snapshot says of the state in it. The roots of its stores make the app hash, so they can be trusted as soon as that is
 * known; the rest lets a node refuse early what it could not go on from, and is asked of the state itself in the end.
 */
import { create } from "@bufbuild/protobuf";
import { UpgradeError } from "../../base/errors/errors.js";
import { type SnapshotFacts, SnapshotFactsSchema } from "../../base/gen/chain/store/v1/snapshot_pb.js";
import type { Snapshot } from "../../base/gen/cosmos/store/snapshots/v1/snapshot_pb.js";
import { compareText, equalBytes, HASH_BYTES, toHex } from "../../base/text/bytes.js";
import { storeNameProblem } from "../../base/text/text.js";
import { HEIGHT_MAX } from "../../base/types/limits.js";
import type { Sha256 } from "../../base/types/types.js";
import { appHash } from "../../state/commitment/app-hash.js";
import type { VersionView } from "../../state/store/versions/version-view.js";
import type { Core } from "../../upgrade/core/core.js";
import { decodeReceipt } from "../../upgrade/handler/receipt.js";
import { type Keeper, UPGRADE_STORE } from "../../upgrade/module/keeper.js";

/** The Cosmos SDK's third. */
export const SNAPSHOT_FORMAT = 3;

/** @param firstVersion app version of genesis */
export function factsOf(view: VersionView, core: Core, firstVersion: bigint): SnapshotFacts {
  const stores = view.names.map((name) => {
    const { hash, size } = view.tree(name).root;
    return { name, hash, size: BigInt(size) };
  });
  const store = view.store(UPGRADE_STORE);
  const last = core.lastDone(store);
  const receipt = last && core.receipt(store, last.name);
  const handlerSha256 = receipt ? decodeReceipt(receipt).handlerSha256 : new Uint8Array(0);
  const plan = core.plan(store);
  return create(SnapshotFactsSchema, {
    stores,
    appVersion: firstVersion + core.protocolVersion(store),
    ...(last ? { lastUpgrade: { ...last, handlerSha256 } } : {}),
    ...(plan ? { plan: { name: plan.name, height: plan.height } } : {}),
  });
}

/**
 * Is it a snapshot of the state with this app hash, as far as can be said before its chunks come?
 * @throws UpgradeError UPG_INVALID_SNAPSHOT
 */
export function requireSnapshot(
  { height, chunks, hash, metadata }: Snapshot,
  sha256: Sha256,
  trusted: Uint8Array,
): void {
  const { chunkHashes = [], facts } = metadata ?? {};
  if (height < 1n || height > HEIGHT_MAX) throw invalid(`its height is ${height}`);
  if (chunks === 0 || chunkHashes.length !== chunks) {
    throw invalid(`it has ${chunks} chunks and hashes of ${chunkHashes.length}`);
  }
  if ([hash, ...chunkHashes].some(({ length }) => length !== HASH_BYTES)) throw invalid("a hash has not 32 bytes");
  if (!facts) throw invalid("it does not name its stores");
  requireStores(facts.stores);
  if (!equalBytes(appHash(sha256, facts.stores), trusted)) throw invalid("its stores have another app hash");
}

/** The app hash that the stores of a snapshot make, which somebody else must vouch for. @throws UpgradeError UPG_INVALID_SNAPSHOT */
export function namedAppHash({ metadata }: Snapshot, sha256: Sha256): Uint8Array {
  const facts = metadata?.facts;
  if (!facts) throw invalid("it does not name its stores");
  requireStores(facts.stores);
  return appHash(sha256, facts.stores);
}

function requireStores(stores: SnapshotFacts["stores"]): void {
  stores.forEach(({ name, hash, size }, at) => {
    const problem = storeNameProblem(name);
    if (problem) throw invalid(problem);
    const before = stores[at - 1]?.name;
    if (before !== undefined && compareText(before, name) >= 0) throw invalid("its stores do not ascend by name");
    if (hash.length !== HASH_BYTES) throw invalid("the root of a store has not 32 bytes");
    if (size > BigInt(Number.MAX_SAFE_INTEGER)) throw invalid("a store has more pairs than there can be");
  });
}

export function invalid(what: string, cause?: unknown): UpgradeError {
  return new UpgradeError("UPG_INVALID_SNAPSHOT", `a snapshot is not what it should be: ${what}`, { cause });
}

/** A program, as far as it says what state it can go on from. */
export interface KnowingApp {
  readonly versions: readonly { readonly plan?: string | undefined }[];
  readonly keeper: Pick<Keeper, "handler" | "isSkipHeight">;
}

/**
 * Could the program go on from there, by what the snapshot says? The state itself decides when it has come; most of what cannot
 * run is refused here, before anything is loaded.
 * @throws UpgradeError UPG_INVALID_SNAPSHOT naming what is missing
 */
export function requireKnown({ versions, keeper }: KnowingApp, { height, metadata }: Snapshot): void {
  const { lastUpgrade, plan } = metadata?.facts ?? {};
  const isOwn = (name: string) => versions.some((version) => version.plan === name);
  if (lastUpgrade && !isOwn(lastUpgrade.name)) {
    const ran = toHex(lastUpgrade.handlerSha256);
    if (keeper.handler(lastUpgrade.name)?.wasm?.hash !== ran) {
      const handler =
        ran === ""
          ? ""
          : `, and the handler with sha256 ${ran} is absent: put its file into <home>/handlers (handlers/staged is for upgrades ahead)`;
      const { name, height } = lastUpgrade;
      throw tooOld(`the program has no version of its last upgrade, "${name}" at height ${height}${handler}`);
    }
  }
  const isDue = plan && plan.height <= height + 1n && !keeper.isSkipHeight(plan.height);
  if (isDue && !isOwn(plan.name) && !keeper.handler(plan.name)) {
    throw tooOld(
      `the upgrade "${plan.name}" is due at height ${plan.height}, and its handler is absent: put its file into <home>/handlers`,
    );
  }
}

function tooOld(what: string): UpgradeError {
  return new UpgradeError("UPG_INVALID_SNAPSHOT", `this program cannot go on from it: ${what}`);
}
