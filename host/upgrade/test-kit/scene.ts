/** A scene: the state of a chain before an upgrade, small enough to write down. */
import { UpgradeError } from "../../base/errors/errors.js";
import type { WasmHandler } from "../handler/handler.js";
import type { Manifest } from "../handler/manifest/manifest-types.js";
import { type BytesLike, bytes } from "./bytes-like.js";
import { MemoryStores } from "./memory-stores.js";

type Pairs = Iterable<readonly [key: BytesLike, value: BytesLike]>;

export interface Scene {
  /** Pairs by store, under the names that stores have before the upgrade. Stores of the manifest left out are empty. */
  readonly stores?: Readonly<Record<string, Pairs>>;
  /** Stored versions by module; for a module left out the least that the manifest takes. */
  readonly versions?: Readonly<Record<string, number | bigint>>;
  readonly chainId?: string;
  /** Height of the upgrade block. */
  readonly height?: number | bigint;
  /** Its time, in seconds since 1970. */
  readonly time?: number | bigint;
  readonly info?: string;
  /** A second run over the result of the first changes nothing: the standard checks look whether that holds. */
  readonly idempotent?: boolean;
  /** Bytes of memory that the handler may take for each pair of a scan, and keep: none when left out (check "memory"). */
  readonly bytesPerPair?: number;
}

export const DEFAULT_HEIGHT = 100n;
export const DEFAULT_TIME = 1_700_000_000n;

/** The stores as the handler finds them: seeded, then the manifest's store upgrades made. */
export function seedStores({ manifest }: WasmHandler, scene: Scene): MemoryStores {
  const stores = new MemoryStores();
  const { added, renamed, deleted } = manifest.storeUpgrades;
  for (const [name, pairs] of Object.entries(scene.stores ?? {})) {
    if (added.includes(name))
      throw misfit(`store "${name}" is new with this upgrade, so there is nothing in it before`);
    const store = stores.open(name);
    for (const [key, value] of pairs) store.set(bytes(key), bytes(value));
  }
  for (const name of deleted) stores.remove(name);
  for (const { oldKey, newKey } of renamed) stores.rename(oldKey, newKey);
  for (const { name } of manifest.stores) stores.open(name);
  return stores;
}

export function seedVersions(manifest: Manifest, scene: Scene): Map<string, bigint> {
  const versions = new Map<string, bigint>();
  for (const [module, { from }] of manifest.versions) {
    if (from) versions.set(module, [...from].sort(compareVersions)[0] as bigint);
  }
  for (const module of manifest.removes) versions.set(module, 1n);
  for (const [module, version] of Object.entries(scene.versions ?? {})) versions.set(module, BigInt(version));
  return versions;
}

function compareVersions(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function misfit(what: string): UpgradeError {
  return new UpgradeError("UPG_INVALID_ARGUMENT", `the scene does not fit the handler: ${what}`);
}
