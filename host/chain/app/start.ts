/**
 * What a process does before its first block: state says which version runs and which store upgrades it makes. The
 * upgrade store is looked at first; a process that does not know the version says so before any other store is opened.
 */

import { requireStack } from "../../base/errors/engine-limit.js";
import { UpgradeError } from "../../base/errors/errors.js";
import type { DoneUpgrade, Height, KVReader, Plan } from "../../base/types/types.js";
import type { CommitMultiStore } from "../../state/store/versions/commit-multi-store.js";
import { defaultStoreLoader, type StoreLoader, upgradeStoreLoader } from "../../state/store/versions/store-loader.js";
import type { VersionView } from "../../state/store/versions/version-view.js";
import { versionToRun } from "../../upgrade/module/app-versions.js";
import { haltBeforeStores, warnAboutInfoFile } from "../../upgrade/module/decide.js";
import { Halt } from "../../upgrade/module/halt.js";
import { type Keeper, UPGRADE_STORE } from "../../upgrade/module/keeper.js";
import type { RegisteredHandler } from "../../upgrade/module/upgrade-handler.js";
import { loadCurves } from "../comet-types/keys.js";
import { trapNondeterminism } from "../determinism/traps.js";
import type { GenesisFacts } from "./genesis/genesis-facts.js";
import type { GenesisRaw } from "./genesis/raw.js";
import { type KnownFacts, knowsLastUpgrade } from "./known-upgrade.js";
import { codeFor, type ProgramVersions, type StateFacts, versionAfter, versionOfState } from "./versions/of-state.js";
import { requireStateFit } from "./versions/state-fit.js";
import type { ChainVersion } from "./versions/version.js";

/** What genesis says of versions. */
type GenesisVersion = Pick<GenesisFacts, "appVersion"> & { readonly raw?: GenesisRaw | undefined };

interface VersionFacts {
  readonly genesis: GenesisVersion;
  readonly versions: readonly ChainVersion[];
}

/** Genesis that names no version starts the first one. */
const FIRST_VERSION = 1n;

export interface Choice {
  readonly version: ChainVersion;
  readonly storeLoader: StoreLoader;
}

/** What the choice is made with, besides the stores. */
export interface ChoiceFacts extends Pick<KnownFacts, "database"> {
  readonly genesis: GenesisVersion & Pick<GenesisFacts, "chainId">;
  readonly versions: readonly ChainVersion[];
  /** Choose as if the next height were that of the plan, when its handler is here. */
  readonly asAtPlan?: boolean;
  /** This process has just come to the height itself: there is no upgrade-info.json to compare. */
  readonly isReopened?: boolean;
}

/** The versions that are committed, as far as the choice needs them. */
type CommittedVersions = Pick<CommitMultiStore, "nextVersion" | "lastCommitID" | "at">;

/** @throws Halt; UpgradeError UPG_INVALID_GENESIS, UPG_INVALID_ARGUMENT (another program's state), UPG_HANDLER_HASH, UPG_INVALID_CONFIG (this thread cannot run blocks) */
export function chooseVersion(keeper: Keeper, multiStore: CommittedVersions, facts: ChoiceFacts): Choice {
  requireStack();
  trapNondeterminism();
  loadCurves();
  const { genesis, versions } = facts;
  const height = multiStore.nextVersion;
  const committed = multiStore.lastCommitID.version;
  if (committed === 0n) return { version: genesisVersion(genesis, versions), storeLoader: defaultStoreLoader };
  const stores = multiStore.at(committed);
  const store = stores.store(UPGRADE_STORE);
  const plan = keeper.plan(store);
  const isReached = plan !== undefined && plan.height <= height;
  if (isReached && !facts.isReopened) warnAboutInfoFile(keeper, plan, height);
  const isDue = isReached || (facts.asAtPlan === true && plan !== undefined && keeper.handlerState(plan) === "ready");
  const found = isDue && !keeper.isSkipHeight(height) ? keeper.findHandler(plan) : undefined;
  const applied = found?.state === "ready" ? found.handler : undefined;
  const state = stateFacts(keeper, stores, genesis);
  const { last } = state;
  const own = applied && versions.find((version) => version.plan === plan?.name);
  const known = programVersions({ genesis, versions }, state);
  const program = known ?? (own && { versions, begun: own });
  const isKnown = !last || knowsLastUpgrade(keeper, { ...facts, stores, last });
  if (last && isKnown) keeper.markKnown(last.name);
  if (!program || (!isKnown && !own)) {
    if (applied && last) throw unknownBefore(keeper, { genesis, height, last, plan });
    const mustHalt = last !== undefined || (isDue && !keeper.isSkipHeight(height) && !applied);
    return mustHalt ? haltUnknown(keeper, store, { genesis, height }) : refuseGenesis(genesis, versions);
  }
  if (known && isKnown) requireStateFit(known, state, (message) => keeper.warnOnce(message));
  if (!applied || !plan) return { version: versionOfState(program, state), storeLoader: defaultStoreLoader };
  return {
    version: afterPlan(program, state, plan, applied),
    storeLoader: upgradeStoreLoader(height, applied.storeUpgrades),
  };
}

/** Could the process go on from a version that its stores do not have yet? @throws as `chooseVersion`: why not */
export function requireRunnable(keeper: Keeper, view: VersionView, facts: ChoiceFacts): void {
  const { version, appHash: hash } = view;
  const stores = { nextVersion: version + 1n, lastCommitID: { version, hash }, at: () => view };
  chooseVersion(keeper, stores, { ...facts, isReopened: true });
}

function afterPlan(program: ProgramVersions, state: StateFacts, plan: Plan, handler: RegisteredHandler): ChainVersion {
  const { storeUpgrades, removes, wasm } = handler;
  return versionAfter(program, state, { plan, storeUpgrades, removes, versions: wasm?.manifest.versions });
}

/** The stores of one committed version, as far as its facts need them. */
interface CommittedStores {
  readonly names: readonly string[];
  store(name: string): KVReader;
}

function stateFacts({ core }: Pick<Keeper, "core">, stores: CommittedStores, genesis: GenesisVersion): StateFacts {
  const store = stores.store(UPGRADE_STORE);
  return {
    number: (genesis.appVersion || FIRST_VERSION) + core.protocolVersion(store),
    last: core.lastDone(store),
    modules: core.versionMap(store),
    stores: stores.names,
    isDone: (plan) => core.doneHeight(store, plan) > 0n,
  };
}

/**
 * The versions of the program from the one that the chain began with; a program that no longer carries it begins with
 * the newest that the state has been upgraded to. Undefined: it carries neither.
 */
function programVersions({ genesis, versions }: VersionFacts, { isDone }: StateFacts): ProgramVersions | undefined {
  const begun = versionOfGenesis(genesis, versions);
  const reached = versions.filter(({ plan }) => plan !== undefined && isDone(plan)).at(-1);
  const first = begun ?? reached;
  return first && { versions, begun: first };
}

/** The version that a committed state has. @throws UpgradeError UPG_INVALID_GENESIS when the program lacks the first one */
export function versionInForce(
  keeper: Pick<Keeper, "core">,
  stores: CommittedStores,
  { genesis, versions }: VersionFacts,
): ChainVersion {
  const state = stateFacts(keeper, stores, genesis);
  return versionOfState(programVersions({ genesis, versions }, state) ?? refuseGenesis(genesis, versions), state);
}

/** The program's version whose code reads these stores. @throws UpgradeError UPG_INVALID_GENESIS */
export function codeInForce(
  keeper: Pick<Keeper, "core">,
  stores: CommittedStores,
  { genesis, versions }: VersionFacts,
): ChainVersion {
  const state = stateFacts(keeper, stores, genesis);
  return codeFor(programVersions({ genesis, versions }, state) ?? refuseGenesis(genesis, versions), state);
}

/** The version that genesis names. @throws UpgradeError UPG_INVALID_GENESIS when it is none of these */
export function genesisVersion(genesis: GenesisVersion, versions: readonly ChainVersion[]): ChainVersion {
  const version = versionOfGenesis(genesis, versions) ?? refuseGenesis(genesis, versions);
  return genesis.raw ? withRaw(version, genesis.raw) : version;
}

/** A document that `export` made of a chain with modules and stores that the program does not have. */
function withRaw(version: ChainVersion, { modules, stores }: GenesisRaw): ChainVersion {
  const path = "genesis.app_state.raw";
  for (const [module, known] of version.modules) {
    if (modules.get(module) === known) continue;
    const stored = modules.get(module) ?? "none";
    const what = `module "${module}" has version ${stored}, app version ${version.number} has ${known}`;
    throw new UpgradeError("UPG_INVALID_GENESIS", `${path}.module_versions: ${what}`);
  }
  const twice = stores.find((name) => version.stores.includes(name));
  if (twice === undefined) return { ...version, modules, stores: [...version.stores, ...stores] };
  throw new UpgradeError(
    "UPG_INVALID_GENESIS",
    `${path}.stores: "${twice}" is a store of app version ${version.number}`,
  );
}

function versionOfGenesis({ appVersion }: GenesisVersion, versions: readonly ChainVersion[]): ChainVersion | undefined {
  const facts = { applying: undefined, last: undefined, genesisVersion: appVersion };
  return versionToRun(versions, facts);
}

function refuseGenesis({ appVersion }: GenesisVersion, versions: readonly ChainVersion[]): never {
  const numbers = versions.map(({ number }) => number).join(", ");
  throw new UpgradeError(
    "UPG_INVALID_GENESIS",
    `genesis.consensus.params.version.app: names app version ${appVersion}, this program knows ${numbers}`,
  );
}

interface Unknown {
  readonly genesis: ChoiceFacts["genesis"];
  readonly height: Height;
}

/** The handler of the due plan is here, but not the code of what it would be applied to. */
function unknownBefore(
  keeper: Keeper,
  { genesis, height, last, plan }: Unknown & { readonly last: DoneUpgrade; readonly plan: Plan | undefined },
): Halt {
  const text = keeper.core.haltText("HaltHandlerMissing", height, genesis.appVersion, last.name);
  return new Halt("UPG_HALT_HANDLER_MISSING", text, height, plan, { last_upgrade: last.name });
}

/** The state table decides why: the last upgrade is unknown here, or a due plan has no handler. */
function haltUnknown(keeper: Keeper, store: KVReader, { genesis, height }: Unknown): never {
  haltBeforeStores(keeper, store, { height, appVersion: genesis.appVersion });
}
