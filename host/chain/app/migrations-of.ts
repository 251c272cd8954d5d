/** The modules of a chain as the upgrade module migrates them: to the versions of the version that a plan leads to. */

import { callModule } from "../../base/errors/synchronous.js";
import type { Sha256 } from "../../base/types/types.js";
import { type Keeper, UPGRADE_STORE } from "../../upgrade/module/keeper.js";
import { ModuleManager } from "../../upgrade/module/migrations.js";
import type { UpgradeContext, UpgradeHandler } from "../../upgrade/module/upgrade-handler.js";
import { isBoundedUpgrade } from "../determinism/promises.js";
import { triedHandler } from "../determinism/tried.js";
import { JsonReader } from "../values/json-reader.js";
import type { Chain } from "./chain.js";
import { migrate } from "./define-chain.js";
import { genesisContext } from "./genesis/init-genesis.js";
import { type Module, storesOf } from "./module.js";
import type { ChainVersion } from "./versions/version.js";

/** Registers the handlers that a chain's program carries for these versions, as functions. */
export function setChainHandlers(
  keeper: Keeper,
  chain: Chain,
  versions: readonly ChainVersion[],
  sha256: Sha256,
): void {
  for (const upgrade of chain.upgrades) {
    const { plan, handler, storeUpgrades, removes, allows } = upgrade;
    const version = versions.find((each) => each.plan === plan);
    if (!handler || !version) continue;
    const modules = moduleManager(chain, version, sha256);
    const own: UpgradeHandler = (context, due, versionMap) => handler(context, due, versionMap, modules);
    const isBounded = isBoundedUpgrade(upgrade, chain.modules, migrate);
    keeper.setUpgradeHandler(plan, isBounded ? own : triedHandler(sha256, own), {
      // The program has the version before it as well, so it is not too early for that version.
      waits: true,
      ...(storeUpgrades ? { storeUpgrades } : {}),
      ...(removes ? { removes } : {}),
      ...(allows ? { allows } : {}),
    });
  }
}

/** The modules of one version, each with the steps of its own and its genesis where it is new. */
function moduleManager(
  chain: Pick<Chain, "modules" | "registry" | "addresses">,
  version: ChainVersion,
  sha256: Sha256,
): ModuleManager {
  const modules = chain.modules.filter(({ name }) => version.modules.has(name));
  const manager = new ModuleManager(
    ...modules.map((module) => ({
      name: module.name,
      consensusVersion: version.modules.get(module.name) as bigint,
      stores: storesOf(module),
      initGenesis: (context: UpgradeContext) => initNew(chain, module, { context, version, sha256 }),
    })),
  );
  for (const { name, migrations = {} } of modules) {
    for (const [from, step] of Object.entries(migrations)) manager.registerMigration(name, BigInt(from), step);
  }
  return manager;
}

interface NewModule {
  readonly context: UpgradeContext;
  readonly version: ChainVersion;
  readonly sha256: Sha256;
}

/** A module that an upgrade brings begins with its default genesis. */
function initNew(
  { modules, registry, addresses }: Pick<Chain, "modules" | "registry" | "addresses">,
  { name, genesis }: Module,
  { context, version, sha256 }: NewModule,
): void {
  if (!genesis || name === UPGRADE_STORE) return;
  const json = new JsonReader(genesis.default?.(NO_DENOM) ?? {}, `genesis.app_state.${name}`);
  const section = {
    json,
    list: (list: string) => json.get(list).items(),
    bondDenom: NO_DENOM,
    registry,
    addresses,
    of: () => undefined,
  };
  const { chainId, height, time, stores } = context;
  const inside = genesisContext(stores, { modules, facts: { chainId, height, time, sha256, addresses }, version });
  callModule(`genesis of module ${name}`, () => genesis.init(inside, genesis.read(section)));
}

/** What staking counts power in is not known to a handler; a module that needs it is given it by its migration. */
const NO_DENOM = "stake";
