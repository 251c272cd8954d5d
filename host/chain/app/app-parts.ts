/** What an application is made of, from its options. */

import type { CommitID, Height, Plan, Timestamp } from "../../base/types/types.js";
import type { CommitMultiStore } from "../../state/store/versions/commit-multi-store.js";
import type { CommitMultiStoreOptions } from "../../state/store/versions/store-options.js";
import { Keeper, UPGRADE_STORE } from "../../upgrade/module/keeper.js";
import type { ConsensusParams } from "../comet-types/consensus-params.js";
import { rememberingVerifier } from "../comet-types/verified.js";
import { keepFrames } from "../determinism/inlining.js";
import { mayRecurse } from "../determinism/promises.js";
import { moduleAddress } from "../values/address.js";
import type { AppOptions } from "./app-shapes.js";
import type { ChainConstants } from "./context.js";
import { migrate } from "./define-chain.js";
import { blockGasMax } from "./genesis/consensus-params.js";
import type { ReadableStores } from "./module.js";
import { routerAt } from "./tx/message-kind.js";
import type { TxFacts } from "./tx/run.js";
import { TxChecks } from "./tx-checks.js";
import type { ChainVersion } from "./versions/version.js";
import { AUTHORITY_MODULE } from "./vital-modules.js";

export function appKeeper(options: AppOptions, versions: readonly ChainVersion[]): Keeper {
  const { chain, sha256, core, skipHeights, files, staged, log, onProgress, isReopening } = options;
  return new Keeper({
    core,
    authority: chain.addresses.encode(moduleAddress(sha256, AUTHORITY_MODULE)),
    versions,
    ...chain.table,
    ...(skipHeights ? { skipHeights } : {}),
    ...(files ? { files } : {}),
    ...(staged ? { staged } : {}),
    ...(isReopening ? { isReopening } : {}),
    ...(log ? { log } : {}),
    ...(onProgress ? { onProgress } : {}),
  });
}

export function storeOptions({
  sha256,
  genesis,
  versionsKept,
  cacheBytes,
  isReleased,
  onProgress,
}: AppOptions): CommitMultiStoreOptions {
  return {
    sha256,
    initialVersion: genesis.initialHeight,
    ...(versionsKept === undefined ? {} : { versionsKept }),
    ...(cacheBytes === undefined ? {} : { cacheBytes }),
    ...(isReleased ? { isReleased } : {}),
    ...(onProgress ? { onProgress } : {}),
  };
}

/** Where a block or a check is. */
export type TxPlace = Pick<TxFacts, "height" | "time" | "block">;

/** What transactions share at a place, in the version that runs. */
export function txFactsMaker(
  {
    chain,
    chainId,
    sha256,
    verifySignature,
    constants,
  }: Pick<AppOptions, "chain" | "sha256" | "verifySignature"> & {
    readonly chainId: string;
    readonly constants: ChainConstants;
  },
  keeper: Keeper,
  running: () => ChainVersion,
): (place: TxPlace) => TxFacts {
  const { addresses, modules, ante } = chain;
  if (mayRecurse(chain, migrate)) keepFrames();
  const facts = {
    chainId,
    sha256,
    addresses,
    constants,
    verifySignature: rememberingVerifier(sha256, verifySignature),
  };
  return (place) => {
    const version = running();
    return { ...facts, ...place, version, keeper, router: routerAt(modules, version), ante };
  };
}

/** The same of an application. */
export function appFactsMaker(
  options: AppOptions,
  params: ConsensusParams,
  keeper: Keeper,
  running: () => ChainVersion,
): (place: TxPlace) => TxFacts {
  const { chainId, bondDenom, stakingParams } = options.genesis;
  const constants = { bondDenom, stakingParams: stakingParams.value, params };
  return txFactsMaker({ ...options, chainId, constants }, keeper, running);
}

/** What checks ask of the application that they are made over. */
interface CheckedApp {
  readonly multiStore: Pick<CommitMultiStore, "loaded">;
  readonly lastCommitID: CommitID;
  readonly consensusParams: ConsensusParams;
  readonly nextHeight: Height;
  readonly lastBlockTime: Timestamp;
  readonly isUpgradeBlockNext: boolean;
}

export function checksOver(app: CheckedApp, options: AppOptions, facts: (place: TxPlace) => TxFacts): TxChecks {
  return new TxChecks({
    stores: () => app.multiStore.loaded(),
    hasState: () => app.lastCommitID.version !== 0n,
    chainId: options.genesis.chainId,
    blockGasMax: () => blockGasMax(app.consensusParams),
    facts: () => facts({ height: app.nextHeight, time: app.lastBlockTime }),
    isUpgradeBlockNext: () => app.isUpgradeBlockNext,
    isProposing: true,
    minimumGasPrices: options.minimumGasPrices ?? [],
  });
}

/** The plan that is scheduled; undefined: none, or the upgrade store is absent as before the first block. */
export function planIn(stores: ReadableStores, keeper: Keeper): Plan | undefined {
  return stores.names.includes(UPGRADE_STORE) ? keeper.plan(stores.store(UPGRADE_STORE)) : undefined;
}

/** Before the first commit. */
export const NO_STORES: ReadableStores = Object.freeze({
  names: Object.freeze([]),
  store: () => {
    throw new TypeError("there is no state yet");
  },
});
