/** Writes the state of a genesis document into the stores of the version that it starts: module by module. */
import type { MultiStore } from "../../../base/types/types.js";
import { callGenesis } from "../../../upgrade/module/genesis-calls.js";
import { type Keeper, UPGRADE_STORE } from "../../../upgrade/module/keeper.js";
import { emitter, UNCOUNTED } from "../../values/events.js";
import { type BlockContextFacts, blockContext } from "../context.js";
import type { Module } from "../module.js";
import type { ChainVersion } from "../versions/version.js";
import type { Genesis } from "./genesis.js";
import type { GenesisContext } from "./module-genesis.js";

export interface InitGenesis {
  readonly modules: readonly Module[];
  readonly facts: BlockContextFacts;
  readonly version: ChainVersion;
  readonly keeper: Pick<Keeper, "setModuleVersions">;
}

export function initGenesis(stores: MultiStore, { sections, raw }: Genesis, init: InitGenesis): void {
  const { facts, version, keeper } = init;
  // A later version may bring modules that this one lacks.
  const modules = init.modules.filter(({ name }) => version.modules.has(name));
  const context = genesisContext(stores, { modules, facts, version }, (inside) =>
    modules.flatMap(({ name, genesis }) => {
      const call = <T>(run: () => T) => callGenesis("genesis.accountAdded", name, run);
      const added = call(() => genesis?.accountAdded?.(inside, sections.get(name)));
      return added ? (address: Uint8Array) => call(() => added(address)) : [];
    }),
  );
  for (const { name, genesis } of modules) {
    callGenesis("InitGenesis", name, () => genesis?.init(context, sections.get(name)));
  }
  for (const { store, key, value } of raw?.pairs ?? []) context.store(store).set(key, value);
  keeper.setModuleVersions(context.store(UPGRADE_STORE), version.modules);
}

/** @param listen makes what hears of each account that auth writes */
export function genesisContext(
  stores: MultiStore,
  { modules, facts, version }: Pick<InitGenesis, "modules" | "facts" | "version">,
  listen: (context: GenesisContext) => readonly ((address: Uint8Array) => void)[] = () => [],
): GenesisContext {
  let listeners: readonly ((address: Uint8Array) => void)[] = [];
  const context: GenesisContext = {
    // Nobody sees events of genesis.
    ...blockContext(facts, stores, emitter(undefined, UNCOUNTED)),
    version,
    moduleAccounts: modules.filter(({ account }) => account).map(({ name }) => name),
    accountAdded: (address) => {
      for (const listener of listeners) listener(address);
    },
  };
  listeners = listen(context);
  return context;
}
