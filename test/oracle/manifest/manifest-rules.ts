/**
 * What the fields of a manifest must be to one another. From the interface (docs/abi.md): no store twice, scans of
 * listed stores, inside their prefixes. Ours, where it is silent, so that a manifest says each thing once and never two
 * things that cannot both be:
 *   - no prefix of a store begins with another of the same store;
 *   - a store occurs once in storeUpgrades, whatever it is in;
 *   - a store that is deleted or renamed away is gone when the handler runs, so `stores` cannot list it;
 *   - the upgrade module's own store can be read, never written, added, renamed or deleted: the core keeps it;
 *   - `allows` holds what the manifest then does, and each name once: a permission beyond that has no meaning;
 *   - a module is not both in `versions` and in `removes`, and in `removes` once.
 */
import type { Manifest } from "../../../host/upgrade/handler/manifest/manifest-types.js";
import { fieldPath, type JsonRefusal } from "./strict-json.js";

const UPGRADE_STORE = "upgrade";

function startsWith(bytes: Uint8Array, prefix: Uint8Array): boolean {
  return prefix.length <= bytes.length && prefix.every((byte, index) => byte === bytes[index]);
}

export function checkManifest(manifest: Manifest, refuse: JsonRefusal): void {
  checkStores(manifest, refuse);
  checkStoreUpgrades(manifest, refuse);
  checkRemoves(manifest, refuse);
  checkScans(manifest, refuse);
  checkAllows(manifest, refuse);
}

function checkStores({ stores }: Manifest, refuse: JsonRefusal): void {
  const seen = new Set<string>();
  stores.forEach(({ name, access, prefixes = [] }, index) => {
    const path = `$.stores[${index}]`;
    if (seen.has(name)) throw refuse(`${path}.name`, `store "${name}" is listed twice`);
    seen.add(name);
    if (name === UPGRADE_STORE && access === "rw") {
      throw refuse(`${path}.access`, `store "${UPGRADE_STORE}" belongs to the upgrade module; "r" is all there is`);
    }
    prefixes.forEach((prefix, i) => {
      const covered = prefixes.some((other, j) => i !== j && startsWith(prefix, other));
      if (covered) throw refuse(`${path}.prefixes[${i}]`, "begins with another prefix of this store (or equals it)");
    });
  });
}

function checkStoreUpgrades({ stores, storeUpgrades }: Manifest, refuse: JsonRefusal): void {
  const seen = new Set<string>();
  const once = (name: string, path: string) => {
    if (name === UPGRADE_STORE) throw refuse(path, `store "${UPGRADE_STORE}" belongs to the upgrade module`);
    if (seen.has(name)) throw refuse(path, `store "${name}" occurs twice in storeUpgrades`);
    seen.add(name);
  };
  const { added, renamed, deleted } = storeUpgrades;
  added.forEach((name, i) => {
    once(name, `$.storeUpgrades.added[${i}]`);
  });
  renamed.forEach(({ oldKey, newKey }, i) => {
    once(oldKey, `$.storeUpgrades.renamed[${i}].old_key`);
    once(newKey, `$.storeUpgrades.renamed[${i}].new_key`);
  });
  deleted.forEach((name, i) => {
    once(name, `$.storeUpgrades.deleted[${i}]`);
  });
  const gone = new Set([...deleted, ...renamed.map(({ oldKey }) => oldKey)]);
  stores.forEach(({ name }, i) => {
    if (gone.has(name)) throw refuse(`$.stores[${i}].name`, `storeUpgrades takes store "${name}" away before the run`);
  });
}

function checkRemoves({ versions, removes }: Manifest, refuse: JsonRefusal): void {
  const seen = new Set<string>();
  removes.forEach((module, index) => {
    const path = `$.removes[${index}]`;
    if (seen.has(module)) throw refuse(path, `module "${module}" is listed twice`);
    if (versions.has(module))
      throw refuse(path, `module "${module}" is also listed at ${fieldPath("$.versions", module)}`);
    seen.add(module);
  });
}

function checkAllows(manifest: Manifest, refuse: JsonRefusal): void {
  const { allows, storeUpgrades, removes, stores } = manifest;
  const { deleted, renamed } = storeUpgrades;
  const writable = stores.filter(({ access }) => access === "rw").map(({ name }) => name);
  const taken = [...deleted, ...renamed.map(({ oldKey }) => oldKey)];
  const writableBefore = renamed.filter(({ newKey }) => writable.includes(newKey)).map(({ oldKey }) => oldKey);
  for (const [what, names, isDone] of [
    ["deleteStores", allows.deleteStores, (name: string) => taken.includes(name)],
    ["removeModules", allows.removeModules, (name: string) => removes.includes(name)],
    ["writeStores", allows.writeStores, (name: string) => [...writable, ...writableBefore].includes(name)],
    ["keepStores", allows.keepStores, (name: string) => removes.length > 0 && !taken.includes(name)],
  ] as const) {
    names.forEach((name, index) => {
      const path = `$.allows.${what}[${index}]`;
      if (names.indexOf(name) !== index) throw refuse(path, `"${name}" is listed twice`);
      if (!isDone(name)) throw refuse(path, `allows what the manifest does not do with "${name}"`);
    });
  }
}

function checkScans({ stores, scans }: Manifest, refuse: JsonRefusal): void {
  scans.forEach(({ store, prefix }, index) => {
    const path = `$.scans[${index}]`;
    const listed = stores.find(({ name }) => name === store);
    if (!listed) throw refuse(`${path}.store`, `store "${store}" is not listed in stores`);
    if (!listed.prefixes) return;
    if (!prefix) throw refuse(path, `needs a prefix: the manifest gives only parts of store "${store}"`);
    if (!listed.prefixes.some((allowed) => startsWith(prefix, allowed))) {
      throw refuse(`${path}.prefix`, `lies outside the prefixes that the manifest gives of store "${store}"`);
    }
  });
}
