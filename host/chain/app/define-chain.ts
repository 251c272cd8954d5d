/**
 * A chain is a value: its modules, and the upgrades that its program carries. Everything else is read from these two:
 * the versions, the messages and queries that it knows, how its genesis is read and written.
 */
import { createRegistry, type DescFile, type DescService } from "@bufbuild/protobuf";
import { file_cosmos_crypto_ed25519_keys } from "../../base/gen/cosmos/crypto/ed25519/keys_pb.js";
import { file_cosmos_crypto_multisig_keys } from "../../base/gen/cosmos/crypto/multisig/keys_pb.js";
import { file_cosmos_crypto_secp256k1_keys } from "../../base/gen/cosmos/crypto/secp256k1/keys_pb.js";
import { file_cosmos_tx_v1beta1_tx } from "../../base/gen/cosmos/tx/v1beta1/tx_pb.js";
import { compareText } from "../../base/text/bytes.js";
import { storeNameProblem } from "../../base/text/text.js";
import { keepByteOrderMarks } from "../../base/text/text-decoding.js";
import type { StoreUpgrades, VersionMap } from "../../base/types/types.js";
import { sameVersions } from "../../upgrade/core/version-map.js";
import { UPGRADE_STORE } from "../../upgrade/module/keeper.js";
import { trapNondeterminism } from "../determinism/traps.js";
import { addressesOf } from "../values/address.js";
import type { Chain, ChainOptions, ChainUpgrade, ChainUpgradeHandler } from "./chain.js";
import {
  checkOptions,
  requireDeclaredMessages,
  requireDistinct,
  requireFrom,
  requireNoMaps,
  requireRemoved,
  wrong,
} from "./chain-checks.js";
import { type Module, storesOf } from "./module.js";
import { nothingToMigrate, requireDependencies, requireForAnte, requireSteps } from "./module-shape.js";
import type { ChainVersion } from "./versions/version.js";
import { vitalModules } from "./vital-modules.js";

// An import is evaluated before the file that has it: what a module's file takes from `Math` or `Date` is the replacement.
trapNondeterminism();

/**
 * Brings every module to its new version by its own migrations: the handler of most upgrades.
 *
 * @example
 * const notes: Module = {
 *   name: "notes",
 *   consensusVersion: 2n,
 *   migrations: { 1: (context) => context.log("info", "notes go to version 2") },
 * };
 * const modules = [auth(), bank(), staking(), gov(), upgrade(), notes];
 * const chain = defineChain({ name: "notesd", modules, upgrades: [{ plan: "v2", from: { notes: 1n }, handler: migrate }] });
 * console.log(chain.versions.map(({ number }) => number)); // → [ 1n, 2n ]
 */
export const migrate: ChainUpgradeHandler = (context, _plan, versionMap, modules) =>
  modules.runMigrations(context, versionMap);

const DESCRIPTION_DEFAULT = "The program of a chain: its node, queries, transactions and upgrades.";

/** See `defineChain` of host/cli/program, which programs get. @throws UpgradeError UPG_INVALID_ARGUMENT naming what does not fit together */
export function defineChain(given: ChainOptions): Chain {
  checkOptions(given);
  keepByteOrderMarks();
  const { name, modules, upgrades = [], handlers, ...options } = given;
  requireDistinct("module", modules, (module) => [module.name]);
  requireDistinct("store", modules, storesOf);
  requireDistinct("message", modules, ({ messages = [] }) => messages.map(({ typeUrl }) => typeUrl));
  requireDistinct("query service", modules, ({ queries = [] }) => queries.map(({ descriptor }) => descriptor.typeName));
  requireDistinct("plan", upgrades, ({ plan }) => [plan]);
  if (!modules.some((module) => storesOf(module).includes(UPGRADE_STORE)))
    throw wrong("the module upgrade is missing: add upgrade() to modules");
  const antes = modules.flatMap(({ ante }) => ante ?? []);
  const [ante] = antes;
  if (!ante || antes.length > 1) throw wrong(`one module brings the ante handler, these are ${antes.length}`);
  requireForAnte(modules);
  requireDependencies(
    modules,
    upgrades.flatMap(({ from = {} }) => Object.keys(from)),
  );
  const givers = modules.filter(({ validators }) => validators).map(({ name }) => name);
  if (givers.length > 1) throw wrong(`one module gives the validators, these do: ${givers.join(", ")}`);
  const setters = modules.filter(({ consensusParams }) => consensusParams).map(({ name }) => name);
  if (setters.length > 1) throw wrong(`one module gives the consensus parameters, these do: ${setters.join(", ")}`);
  const messages = modules.flatMap((module) => module.messages ?? []);
  for (const { schema } of messages) requireNoMaps(schema);
  requireDeclaredMessages(modules);
  const services = modules.flatMap(({ queries = [] }) => queries);
  const files = [
    ...new Set([...messages.map(({ schema }) => schema.file), ...modules.flatMap((m) => m.files ?? []), ...BASE_FILES]),
  ];
  return Object.freeze({
    name,
    description: options.description ?? DESCRIPTION_DEFAULT,
    addresses: addressesOf(options.addressPrefix),
    modules,
    upgrades,
    handlers,
    table: {
      moduleStores: new Map(modules.map((module) => [module.name, storesOf(module)])),
      vitalModules: vitalModules(modules),
    },
    versions: versionsOf(modules, upgrades),
    router: new Map(messages.map((kind) => [kind.typeUrl, kind])),
    ante,
    services,
    files,
    registry: createRegistry(...filesWithImports(files)),
  });
}

/** Keys and transactions: every chain has them. */
const BASE_FILES: readonly DescFile[] = [
  file_cosmos_crypto_ed25519_keys,
  file_cosmos_crypto_multisig_keys,
  file_cosmos_crypto_secp256k1_keys,
  file_cosmos_tx_v1beta1_tx,
];

/** The files with all that they import, each once, imports first. */
function filesWithImports(given: Iterable<DescFile>): DescFile[] {
  const files = new Map<string, DescFile>();
  const add = (file: DescFile): void => {
    if (files.has(file.name)) return;
    for (const dependency of file.dependencies) add(dependency);
    files.set(file.name, file);
  };
  for (const file of given) add(file);
  return [...files.values()];
}

/** The files of a chain's messages and of these services. */
export function filesOf({ files }: Pick<Chain, "files">, services: readonly DescService[]): DescFile[] {
  return filesWithImports([...services.map(({ file }) => file), ...files]);
}

/** The newest version is that of the modules; each upgrade, taken back, leads to the one before. */
function versionsOf(modules: readonly Module[], upgrades: readonly ChainUpgrade[]): ChainVersion[] {
  let version: Content = {
    modules: new Map(modules.map((module) => [module.name, module.consensusVersion])),
    stores: modules.flatMap(storesOf),
  };
  const versions = [chainVersion(version, upgrades.length + 1, upgrades.at(-1)?.plan)];
  for (let at = upgrades.length - 1; at >= 0; at--) {
    version = before(version, upgrades[at] as ChainUpgrade, modules);
    versions.unshift(chainVersion(version, at + 1, upgrades[at - 1]?.plan));
  }
  return versions;
}

interface Content {
  readonly modules: VersionMap;
  readonly stores: readonly string[];
}

function chainVersion({ modules, stores }: Content, number: number, plan: string | undefined): ChainVersion {
  const after = plan === undefined ? "at genesis" : `after the plan "${plan}"`;
  const twice = stores.find((name, at) => stores.indexOf(name) !== at);
  if (twice !== undefined) throw wrong(`${after} there are two stores "${twice}"`);
  if (!stores.includes(UPGRADE_STORE)) throw wrong(`${after} there is no store "${UPGRADE_STORE}"`);
  for (const name of stores) {
    const problem = storeNameProblem(name);
    if (problem) throw wrong(`the store "${name}": ${problem}`);
  }
  return Object.freeze({
    number: BigInt(number),
    plan,
    modules,
    layouts: modules,
    stores: [...stores].sort(compareText),
  });
}

/** What there was before an upgrade. */
function before(
  after: Content,
  { plan, from = {}, removes = [], storeUpgrades = {}, handler }: ChainUpgrade,
  modules: readonly Module[],
): Content {
  const { added = [], renamed = [], deleted = [] }: Partial<StoreUpgrades> = storeUpgrades;
  const come = new Set([...added, ...renamed.map(({ newKey }) => newKey)]);
  const missing = [...come].find((name) => !after.stores.includes(name));
  if (missing !== undefined)
    throw wrong(`the plan "${plan}" adds the store "${missing}", which no module has after it`);
  const versions = new Map(after.modules);
  for (const module of modules) {
    const stores = storesOf(module);
    if (stores.length > 0 && stores.every((name) => added.includes(name))) versions.delete(module.name);
  }
  requireRemoved(plan, { removes, from, after: after.modules });
  for (const [module, version] of Object.entries(from)) {
    requireFrom(plan, module, version, { removes, to: after.modules.get(module) });
    const [given, to] = [modules.find(({ name }) => name === module), after.modules.get(module)];
    if (handler === migrate && given && to !== undefined && version > 0n) requireSteps(plan, given, version, to);
    if (version === 0n) versions.delete(module);
    else versions.set(module, version);
  }
  if (handler === migrate && Object.keys(storeUpgrades).length === 0 && sameVersions(versions, after.modules))
    throw nothingToMigrate(plan, modules);
  return {
    modules: versions,
    stores: [...after.stores.filter((name) => !come.has(name)), ...deleted, ...renamed.map(({ oldKey }) => oldKey)],
  };
}
