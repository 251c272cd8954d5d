/**
 * Which modules of a program run on a state. The state decides, so every node does the same: a module runs if the version map has
 * it, the program has code for its layout, and its stores are there. A module that an upgrade removed does not run, even if its store was kept.
 */
import { isInVersionMap } from "../../../upgrade/core/version-map.js";
import { type Module, type ReadableStores, storesOf } from "../module.js";
import type { ChainVersion } from "./version.js";

/** A state, as far as it decides what runs. */
interface RunningState {
  readonly stores: { readonly names: readonly string[] };
  /** The version in force: its `modules` are the state's version map. */
  readonly version: Pick<ChainVersion, "modules" | "layouts">;
}

/** A state whose modules are asked for what it holds. */
export interface GivingState extends RunningState {
  readonly stores: ReadableStores;
}

/** Reports whether begin and end blockers, invariants and the like of the module run on this state. */
export function isRunning(module: Module, { stores, version }: RunningState): boolean {
  return isInVersionMap(module.name, version.modules) && version.layouts.has(module.name) && hasStores(module, stores);
}

/** A version may lack a module, or keep its records in stores of other names. */
function hasStores(module: Module, { names }: { readonly names: readonly string[] }): boolean {
  return storesOf(module).every((name) => names.includes(name));
}
