/**
 * What a handler does by mistake and without an error: writes without a higher version, a store that goes while its
 * module stays, a scan of what cannot hold anything yet, a scene in which a store is missing. The build warns of what the
 * manifest alone shows; a scene's run is held to the guards that every node has.
 */

import { isUpgradeError } from "../../base/errors/errors.js";
import { CacheMultiStore } from "../../state/branch/kv/cache-multi-store.js";
import type { WasmHandler } from "../../upgrade/handler/handler.js";
import type { Manifest } from "../../upgrade/handler/manifest/manifest-types.js";
import { guardAfter, guardBefore } from "../../upgrade/module/guards.js";
import { wasmHandler } from "../../upgrade/module/handlers.js";
import { DEFAULT_TABLE } from "../../upgrade/module/module-table.js";
import type { SceneRun } from "../../upgrade/test-kit/run.js";
import { type Scene, seedStores, seedVersions } from "../../upgrade/test-kit/scene.js";

export interface SceneCheck {
  readonly name: string;
  readonly ok: boolean;
  readonly message: string;
}

const list = (names: readonly string[]) => names.map((name) => `"${name}"`).join(", ");

/** What nodes are going to refuse where the chain has modules of these names, and what can have no effect. */
export function manifestWarnings(manifest: Manifest): string[] {
  const { allows, removes, storeUpgrades } = manifest;
  const isTaken = (name: string) => !removes.includes(name) && !allows.deleteStores.includes(name);
  const deleted = storeUpgrades.deleted.filter(isTaken);
  const renamed = renamedAway(manifest).filter(isTaken);
  const written = raises(manifest) ? [] : ownStores(manifest).filter((name) => !allows.writeStores.includes(name));
  const warnings = [...scansOfNothing(manifest)];
  if (written.length > 0) {
    warnings.push(
      `no module's version rises, and ${list(written)} can be written to: nodes refuse writes to the store of a module whose ` +
        "version stays. Raise it (migrate), or allow writeStores",
    );
  }
  if (deleted.length > 0) {
    warnings.push(
      `${list(deleted)}: the store is deleted, and no module of that name is removed: nodes that have the module refuse it. ` +
        "Remove the module as well (removeModule), or allow deleteStores",
    );
  }
  if (renamed.length > 0) {
    warnings.push(
      `${list(renamed)}: the store is renamed, and no module of that name is removed or gets another version: nodes that have the ` +
        "module under that store name refuse it. Raise the version (migrate) of the module whose store it is, remove the module as well (removeModule), or allow deleteStores",
    );
  }
  return warnings;
}

/** Old names of stores whose modules, by these names, have no step that would know the new name. */
function renamedAway({ storeUpgrades, versions }: Manifest): string[] {
  return storeUpgrades.renamed.map(({ oldKey }) => oldKey).filter((name) => !versions.has(name));
}

/** Held to what nodes refuse, and the scene to what the manifest declares. */
export function sceneChecks(handler: WasmHandler, scene: Scene, run: SceneRun): SceneCheck[] {
  const nothing = scansOfNothing(handler.manifest);
  return [
    ...sceneStores(handler.manifest, scene),
    ...(run.ok ? [guards(handler, scene, run)] : []),
    ...(nothing.length > 0 ? [{ name: "scans", ok: false, message: nothing.join("; ") }] : []),
  ];
}

/** Stores that it may write to and that were there before. */
function ownStores({ stores, storeUpgrades }: Manifest): string[] {
  return stores
    .filter(({ name, access }) => access === "rw" && !storeUpgrades.added.includes(name))
    .map(({ name }) => name);
}

function raises({ versions }: Manifest): boolean {
  return [...versions.values()].some(({ from, to }) => from === undefined || from.some((version) => version !== to));
}

function scansOfNothing({ scans, storeUpgrades }: Manifest): string[] {
  const stores = new Set(scans.map(({ store }) => store).filter((store) => storeUpgrades.added.includes(store)));
  return [...stores].map((store) => `the scan of "${store}" meets no pair: this upgrade adds the store`);
}

/** A scene that names stores names all that are there before; a name that is misspelt is not found otherwise. */
function sceneStores({ stores, storeUpgrades }: Manifest, scene: Scene): SceneCheck[] {
  const given = Object.keys(scene.stores ?? {});
  if (given.length === 0) return [];
  const before = stores
    .map(({ name }) => storeUpgrades.renamed.find(({ newKey }) => newKey === name)?.oldKey ?? name)
    .filter((name) => !storeUpgrades.added.includes(name));
  const missing = before.filter((name) => !given.includes(name));
  const name = "stores";
  if (missing.length === 0) return [{ name, ok: true, message: "the scene has each store that the manifest declares" }];
  const empty = missing.map((store) => `"${store}": []`).join(", ");
  const message = `the manifest declares ${list(missing)}, the scene has ${list(given)}: ${empty} if that is empty`;
  return [{ name, ok: false, message }];
}

/**
 * The guards of a node whose modules are those of the manifest and the scene. A store that is deleted or renamed, or written to
 * where no version rises at all, is taken for that of a module of its name; a module with a step knows its store's new name.
 */
function guards(handler: WasmHandler, scene: Scene, run: SceneRun): SceneCheck {
  const { manifest } = handler;
  const registered = wasmHandler(handler);
  const before = seedVersions(manifest, scene);
  const { deleted, renamed } = manifest.storeUpgrades;
  // The author declares of these that their module can do without.
  const taken = [...deleted, ...renamedAway(manifest)].filter((name) => !manifest.allows.deleteStores.includes(name));
  const named = [...taken, ...(raises(manifest) ? [] : ownStores(manifest))];
  const moved = renamed.filter(({ oldKey }) => manifest.versions.has(oldKey));
  const moduleStores = new Map(moved.map(({ oldKey, newKey }) => [oldKey, [newKey]]));
  const table = { ...DEFAULT_TABLE, moduleStores };
  for (const name of ["upgrade", ...named]) if (!before.has(name)) before.set(name, 1n);
  const after = new Map([...before, ...run.versions]);
  for (const name of manifest.removes) after.delete(name);
  try {
    guardBefore(registered, before, seedStores(handler, scene), table);
    if (run.stores instanceof CacheMultiStore) guardAfter(registered, run.stores, { before, after }, table);
    return { name: "guards", ok: true, message: "nothing that nodes refuse by the versions of modules" };
  } catch (error) {
    if (!isUpgradeError(error)) throw error;
    return { name: "guards", ok: false, message: `nodes refuse it: ${error.code}: ${error.template}` };
  }
}
