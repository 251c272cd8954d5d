/**
 * The manifest of a handler: custom section `chain-upgrade.manifest`, JSON (docs/abi.md). It says which plan the handler
 * serves, what it may touch, and which layouts it takes; nothing else gives a handler any right.
 */

import { UpgradeError } from "../../../host/base/errors/errors.js";
import { fromHex } from "../../../host/base/text/bytes.js";
import { storeNameProblem } from "../../../host/base/text/text.js";
import {
  GAS_LIMIT_MAX,
  HANDLER_STORES_MAX,
  MANIFEST_BYTES_MAX,
  MODULE_NAME_BYTES_MAX,
  MODULE_VERSION_MAX,
} from "../../../host/base/types/limits.js";
import type { StoreUpgrades } from "../../../host/base/types/types.js";
import {
  type Allowances,
  type Manifest,
  type ManifestScan,
  type ManifestStore,
  type ModuleVersions,
  NOTHING_ALLOWED,
} from "../../../host/upgrade/handler/manifest/manifest-types.js";
import { nameProblem } from "../../../host/upgrade/handler/manifest/names.js";
import { JSON_NESTING_MAX, SCANS_MAX, STORE_PREFIXES_MAX } from "../../../host/upgrade/wasm/limits.js";
import { JsonField } from "./json-field.js";
import { checkManifest } from "./manifest-rules.js";
import { parseStrictJson } from "./strict-json.js";

function manifestRefusal(path: string, what: string): UpgradeError {
  return new UpgradeError("UPG_HANDLER_MANIFEST", `manifest: ${path}: ${what}`, { details: { path } });
}

/**
 * @param bytes the payload of the custom section
 * @throws UpgradeError UPG_HANDLER_MANIFEST, with the path in the JSON in the message and in `details.path`
 */
export function parseManifest(bytes: Uint8Array): Manifest {
  if (bytes.length > MANIFEST_BYTES_MAX) {
    throw manifestRefusal("$", `has ${bytes.length} bytes, at most ${MANIFEST_BYTES_MAX} are allowed`);
  }
  const json = parseStrictJson(bytes, JSON_NESTING_MAX, manifestRefusal);
  const fields = new JsonField("$", json, manifestRefusal).object(
    ["abi", "name", "gasLimit", "stores", "versions"],
    ["storeUpgrades", "removes", "scans", "allows"],
  );
  const storeUpgrades = fields.optional("storeUpgrades");
  const manifest: Manifest = {
    abi: readAbi(fields.required("abi")),
    name: readName(fields.required("name")),
    gasLimit: readGasLimit(fields.required("gasLimit")),
    stores: fields.required("stores").items(HANDLER_STORES_MAX).map(readStore),
    storeUpgrades: storeUpgrades ? readStoreUpgrades(storeUpgrades) : { added: [], renamed: [], deleted: [] },
    versions: readVersions(fields.required("versions")),
    removes: readNames(fields.optional("removes")),
    scans: fields.optional("scans")?.items(SCANS_MAX).map(readScan) ?? [],
    allows: readAllows(fields.optional("allows")),
  };
  checkManifest(manifest, manifestRefusal);
  return manifest;
}

function readAbi(field: JsonField): 1 {
  const abi = field.integer();
  if (abi !== 1n) throw field.wrong(`this host speaks interface 1, not ${abi}`);
  return 1;
}

function readName(field: JsonField): string {
  const name = field.text();
  const problem = nameProblem(name, MODULE_NAME_BYTES_MAX);
  if (problem) throw field.wrong(problem);
  return name;
}

function readNames(field: JsonField | undefined): string[] {
  return field?.items().map(readName) ?? [];
}

function readStoreName(field: JsonField): string {
  const name = readName(field);
  const problem = storeNameProblem(name);
  if (problem) throw field.wrong(problem);
  return name;
}

function readStoreNames(field: JsonField | undefined): string[] {
  return field?.items().map(readStoreName) ?? [];
}

function readGasLimit(field: JsonField): bigint {
  const limit = field.decimal(GAS_LIMIT_MAX);
  if (limit === 0n) throw field.wrong("must be at least 1");
  return limit;
}

function readPrefix(field: JsonField): Uint8Array {
  const text = field.text();
  if (text === "") throw field.wrong("is empty; leave it out to mean every key");
  if (!/^([0-9a-fA-F]{2})+$/.test(text)) throw field.wrong("must be an even number of hex digits");
  return fromHex(text);
}

function readPrefixes(field: JsonField): Uint8Array[] {
  const prefixes = field.items(STORE_PREFIXES_MAX).map(readPrefix);
  if (prefixes.length === 0) throw field.wrong("is empty; leave it out to mean every key");
  return prefixes;
}

function readStore(field: JsonField): ManifestStore {
  const fields = field.object(["name", "access"], ["prefixes"]);
  const access = fields.required("access").text();
  if (access !== "r" && access !== "rw") throw fields.required("access").wrong('must be "r" or "rw"');
  const prefixes = fields.optional("prefixes");
  return { name: readStoreName(fields.required("name")), access, prefixes: prefixes && readPrefixes(prefixes) };
}

function readStoreUpgrades(field: JsonField): StoreUpgrades {
  const fields = field.object([], ["added", "renamed", "deleted"]);
  const renamed = fields.optional("renamed")?.items() ?? [];
  return {
    added: readStoreNames(fields.optional("added")),
    renamed: renamed.map((item) => {
      const keys = item.object(["old_key", "new_key"]);
      return { oldKey: readStoreName(keys.required("old_key")), newKey: readStoreName(keys.required("new_key")) };
    }),
    deleted: readStoreNames(fields.optional("deleted")),
  };
}

function readVersions(field: JsonField): Map<string, ModuleVersions> {
  const versions = new Map<string, ModuleVersions>();
  for (const [module, entry] of field.entries()) {
    const problem = nameProblem(module, MODULE_NAME_BYTES_MAX);
    if (problem) throw entry.wrong(`the module's name ${problem}`);
    versions.set(module, readModuleVersions(entry));
  }
  return versions;
}

function readModuleVersions(field: JsonField): ModuleVersions {
  const fields = field.object(["to"], ["from"]);
  const to = readVersion(fields.required("to"));
  const listed = fields.optional("from");
  if (!listed) return { from: undefined, to };
  const from = new Set<bigint>();
  for (const item of listed.items()) {
    const version = readVersion(item);
    if (version > to) throw item.wrong(`is above "to" (${to}); a version never goes down`);
    if (from.has(version)) throw item.wrong("this version is listed twice");
    from.add(version);
  }
  if (from.size === 0) throw listed.wrong("is empty; leave it out for a new module");
  return { from: [...from], to };
}

/** A module at the greatest number that can be stored could never be raised again. */
function readVersion(field: JsonField): bigint {
  const version = field.u64();
  if (version > MODULE_VERSION_MAX) throw field.wrong(`is ${version}, a version is at most ${MODULE_VERSION_MAX}`);
  return version;
}

function readAllows(field: JsonField | undefined): Allowances {
  if (!field) return NOTHING_ALLOWED;
  const fields = field.object([], ["deleteStores", "removeModules", "writeStores", "keepStores", "emptyVersionMap"]);
  return {
    deleteStores: readNames(fields.optional("deleteStores")),
    removeModules: readNames(fields.optional("removeModules")),
    writeStores: readNames(fields.optional("writeStores")),
    keepStores: readNames(fields.optional("keepStores")),
    emptyVersionMap: fields.optional("emptyVersionMap")?.boolean() ?? false,
  };
}

function readScan(field: JsonField): ManifestScan {
  const fields = field.object(["store"], ["prefix"]);
  const prefix = fields.optional("prefix");
  return { store: readStoreName(fields.required("store")), prefix: prefix && readPrefix(prefix) };
}
