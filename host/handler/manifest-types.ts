/** What a manifest says (docs/abi.md); `parseManifest` makes one. */
import type { StoreUpgrades } from "../types.js";

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
}
