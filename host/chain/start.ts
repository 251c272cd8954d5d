/**
 * What a process does before its first block: state says which version runs and which store upgrades it makes. The
 * upgrade store is looked at first; a process that does not know the version says so before any other store is opened.
 */
import { assert, UpgradeError } from "../errors.js";
import type { CommitMultiStore } from "../store/commit-multi-store.js";
import { defaultStoreLoader, type StoreLoader, upgradeStoreLoader } from "../store/store-loader.js";
import { NO_UPGRADES } from "../store/store-upgrades.js";
import type { Height, KVReader, MultiStore, Plan } from "../types.js";
import { versionToRun } from "../upgrade/app-versions.js";
import { preBlocker } from "../upgrade/hooks.js";
import { type Keeper, UPGRADE_STORE } from "../upgrade/keeper.js";
import { crossCheckUpgradeInfo } from "../upgrade/upgrade-info.js";
import type { Genesis } from "./genesis.js";
import type { ChainVersion } from "./versions/version.js";

/** What genesis says of versions. */
type GenesisVersion = Pick<Genesis, "appVersion">;

export interface Choice {
  readonly version: ChainVersion;
  readonly storeLoader: StoreLoader;
}

/** @throws Halt; UpgradeError UPG_INVALID_GENESIS */
export function chooseVersion(
  keeper: Keeper,
  multiStore: CommitMultiStore,
  genesis: Genesis,
  versions: readonly ChainVersion[],
): Choice {
  const height = multiStore.nextVersion;
  const last = multiStore.lastCommitID.version;
  if (last === 0n) return { version: genesisVersion(genesis, versions), storeLoader: defaultStoreLoader };
  const store = multiStore.at(last).store(UPGRADE_STORE);
  const plan = keeper.plan(store);
  const isDue = plan !== undefined && plan.height <= height;
  if (isDue && keeper.files) warnAboutFile(keeper, plan, height);
  const isApplying = isDue && !keeper.isSkipHeight(height) && keeper.handlerState(plan) === "ready";
  const lastDone = keeper.lastDone(store);
  const known = versionToRun(versions, {
    applying: isApplying ? plan : undefined,
    last: lastDone,
    genesisVersion: genesis.appVersion,
  });
  const version = versions.find((each) => each === known);
  if (!version) {
    const mustHalt = lastDone !== undefined || (isDue && !keeper.isSkipHeight(height));
    return mustHalt ? haltUnknown(keeper, store, genesis, height) : refuseGenesis(genesis, versions);
  }
  if (!isApplying) return { version, storeLoader: defaultStoreLoader };
  const upgrades = keeper.handler(plan.name)?.storeUpgrades ?? NO_UPGRADES;
  return { version, storeLoader: upgradeStoreLoader(height, upgrades) };
}

/** The version whose layout committed stores have. @throws UpgradeError UPG_NOT_FOUND_VERSION when it is unknown here */
export function versionInForce(
  keeper: Keeper,
  stores: { store(name: string): KVReader },
  { genesis, versions }: { readonly genesis: GenesisVersion; readonly versions: readonly ChainVersion[] },
): ChainVersion {
  const last = keeper.lastDone(stores.store(UPGRADE_STORE));
  if (!last) return genesisVersion(genesis, versions);
  const version = versions.find(({ plan }) => plan === last.name);
  if (version) return version;
  throw new UpgradeError(
    "UPG_NOT_FOUND_VERSION",
    `that state has the layout of "${last.name}", which this program does not know`,
  );
}

/** The version that genesis names. @throws UpgradeError UPG_INVALID_GENESIS when it is none of these */
export function genesisVersion(genesis: GenesisVersion, versions: readonly ChainVersion[]): ChainVersion {
  const facts = { applying: undefined, last: undefined, genesisVersion: genesis.appVersion };
  const known = versionToRun(versions, facts);
  return versions.find((each) => each === known) ?? refuseGenesis(genesis, versions);
}

function refuseGenesis({ appVersion }: GenesisVersion, versions: readonly ChainVersion[]): never {
  const numbers = versions.map(({ number }) => number).join(", ");
  throw new UpgradeError(
    "UPG_INVALID_GENESIS",
    `genesis.consensus.params.version.app: names app version ${appVersion}, this program knows ${numbers}`,
  );
}

function warnAboutFile(keeper: Keeper, plan: Plan, height: Height): void {
  const warning = keeper.files && crossCheckUpgradeInfo(keeper.files, plan, height);
  if (warning) keeper.log("warn", warning);
}

/** The state table tells why: the last upgrade is unknown here, or a due plan has no handler. */
function haltUnknown(keeper: Keeper, store: KVReader, genesis: Genesis, height: Height): never {
  const stores: MultiStore = {
    names: [UPGRADE_STORE],
    store: () => store as ReturnType<MultiStore["store"]>,
    branch: () => {
      throw new UpgradeError("UPG_BUG_ASSERT", "nothing is written before the version is known");
    },
  };
  const time = { seconds: 0n, nanos: 0 };
  preBlocker(keeper, stores, { chainId: genesis.chainId, height, time, appVersion: genesis.appVersion });
  assert(false, "state asks for a version that this process does not know, and the state table does not halt");
}
