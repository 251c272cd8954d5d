/**
 * Which version of a program runs, and how it opens its stores: chosen from state before any store is opened, so that a
 * program of the wrong age halts with its reason and not with stores that do not fit.
 */
import { UpgradeError } from "../../base/errors/errors.js";
import type { CommitMultiStore } from "../../state/store/versions/commit-multi-store.js";
import { defaultStoreLoader, type StoreLoader, upgradeStoreLoader } from "../../state/store/versions/store-loader.js";
import { type AppVersion, versionToRun } from "./app-versions.js";
import { haltBeforeStores, warnAboutInfoFile } from "./decide.js";
import { type Keeper, UPGRADE_STORE } from "./keeper.js";

export interface VersionChoice<V extends AppVersion> {
  readonly version: V;
  /** Opens the stores, with the store upgrades of a plan that is due, and informs the keeper. Mount the version's stores before. */
  readonly storeLoader: StoreLoader;
}

/**
 * Handlers must be registered before.
 *
 * @param versions those that this program carries, oldest first; the keeper has the same list
 * @param genesisVersion the app version that genesis names; 0n: unset, the oldest one
 * @throws Halt when this program is too old for the state, or lacks the handler of the plan that is due; UpgradeError
 * UPG_INVALID_GENESIS, UPG_HANDLER_HASH, UPG_STORE_*
 *
 * @example
 * import { sha256 } from "@noble/hashes/sha2.js";
 * const V1 = { number: 1n, plan: undefined, modules: new Map([["notes", 1n]]), stores: ["notes", "upgrade"] };
 * const keeper = new Keeper({ core: new Core(), authority: "gov", versions: [V1] });
 * const stores = new CommitMultiStore(new MemoryDatabase(), { sha256 });
 * const { version, storeLoader } = chooseVersion(keeper, stores, [V1]);
 * stores.mount(...version.stores);
 * storeLoader(stores);
 * console.log(version.number, stores.names); // → 1n [ 'notes', 'upgrade' ]
 */
export function chooseVersion<V extends AppVersion>(
  keeper: Keeper,
  multiStore: CommitMultiStore,
  versions: readonly V[],
  genesisVersion = 0n,
): VersionChoice<V> {
  keeper.lookForStaged();
  const { version: committed } = multiStore.lastCommitID;
  const nothing = { applying: undefined, last: undefined, genesisVersion };
  if (committed === 0n) {
    const version = versionToRun(versions, nothing) ?? refuseGenesis(versions, genesisVersion);
    return { version, storeLoader: loaderFor(keeper, version, defaultStoreLoader) };
  }
  const height = multiStore.nextVersion;
  const store = multiStore.at(committed).store(UPGRADE_STORE);
  const plan = keeper.plan(store);
  const due = plan && plan.height <= height ? plan : undefined;
  if (due) warnAboutInfoFile(keeper, due, height);
  const found = due && !keeper.isSkipHeight(height) ? keeper.findHandler(due) : undefined;
  const handler = found?.state === "ready" ? found.handler : undefined;
  const facts = { applying: handler && due, last: keeper.lastDone(store), genesisVersion };
  const version = versionToRun(versions, facts);
  if (!version && handler && due) throw notCarried(due.name);
  if (!version && !facts.last && !due) refuseGenesis(versions, genesisVersion);
  if (!version) return haltBeforeStores(keeper, store, { height, appVersion: genesisVersion });
  const loader = handler ? upgradeStoreLoader(height, handler.storeUpgrades) : defaultStoreLoader;
  return { version, storeLoader: loaderFor(keeper, version, loader) };
}

function loaderFor(keeper: Keeper, { plan }: AppVersion, load: StoreLoader): StoreLoader {
  return (multiStore) => {
    load(multiStore);
    keeper.markStoresOpened(plan);
  };
}

function notCarried(plan: string): UpgradeError {
  const what = `there is a handler for the plan "${plan}", and none of the versions of this program has this plan: add the version that it leads to`;
  return new UpgradeError("UPG_INVALID_ARGUMENT", what);
}

function refuseGenesis(versions: readonly AppVersion[], genesisVersion: bigint): never {
  const numbers = versions.map(({ number }) => number).join(", ") || "none";
  throw new UpgradeError(
    "UPG_INVALID_GENESIS",
    `the chain begins with app version ${genesisVersion}, this program knows ${numbers}`,
  );
}
