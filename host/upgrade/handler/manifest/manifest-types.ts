/**
 * The manifest of a handler: a custom section, JSON (docs/abi.md). It says which plan the handler serves, what it may touch, and
 * which layouts it takes; nothing else gives a handler any right. check.wasm reads it.
 */
import type { StoreUpgrades } from "../../../base/types/types.js";

export const MANIFEST_SECTION = "chain-upgrade.manifest";

export interface ManifestStore {
  readonly name: string;
  readonly access: "r" | "rw";
  /** Keys that may be touched begin with one of these; undefined: every key. None begins with another. */
  readonly prefixes: readonly Uint8Array[] | undefined;
}

export interface ModuleVersions {
  /** Stored versions that the handler takes; undefined: the module must not be stored yet. */
  readonly from: readonly bigint[] | undefined;
  readonly to: bigint;
}

export interface ManifestScan {
  /** Name of a store in `stores`. */
  readonly store: string;
  /** Undefined: the whole store. */
  readonly prefix: Uint8Array | undefined;
}

/** What a handler may do that is a mistake unless it is meant; nothing is allowed by default. */
export interface Allowances {
  /** Stores that are deleted or renamed though a module that owns them stays. */
  readonly deleteStores: readonly string[];
  /** Modules that are removed though the chain cannot go on without them. */
  readonly removeModules: readonly string[];
  /** Stores that are written to though the version of a module that owns them stays. */
  readonly writeStores: readonly string[];
  /** Stores that stay though the module that owns them is removed. */
  readonly keepStores: readonly string[];
  /** It may run where no module versions are stored. */
  readonly emptyVersionMap: boolean;
}

export const NOTHING_ALLOWED: Allowances = Object.freeze({
  deleteStores: [],
  removeModules: [],
  writeStores: [],
  keepStores: [],
  emptyVersionMap: false,
});

export interface Manifest {
  readonly abi: 1;
  /** The plan's name. */
  readonly name: string;
  readonly gasLimit: bigint;
  /** A guest names a store by its index here. */
  readonly stores: readonly ManifestStore[];
  readonly storeUpgrades: StoreUpgrades;
  readonly versions: ReadonlyMap<string, ModuleVersions>;
  /** Modules that leave the version map. */
  readonly removes: readonly string[];
  readonly scans: readonly ManifestScan[];
  readonly allows: Allowances;
}
