/** What a handler may do to a chain, for those who approve it: from the manifest, which the host holds it to. */
import { toHex } from "../../../base/text/bytes.js";
import { visible } from "../../../base/text/visible.js";
import type { Manifest } from "../../../upgrade/handler/manifest/manifest-types.js";
import type { ModuleTable } from "../../../upgrade/module/module-table.js";
import { MEMORY_PAGES_MAX, PAGE_BYTES } from "../../../upgrade/wasm/limits.js";
import type { WasmModule } from "../../../upgrade/wasm/wasm-module.js";
import { chainLines, type OnThisChain, onThisChain } from "./on-this-chain.js";

export interface Consequences {
  /** Names of stores; with `prefixes`, in hex, only keys that begin with one of them. */
  readonly stores_read: readonly { readonly name: string; readonly prefixes?: readonly string[] }[];
  readonly stores_written: readonly { readonly name: string; readonly prefixes?: readonly string[] }[];
  readonly stores_added: readonly string[];
  readonly stores_renamed: readonly { readonly old_key: string; readonly new_key: string }[];
  /** With all they hold. */
  readonly stores_deleted: readonly string[];
  readonly modules_removed: readonly string[];
  /** `from` null: a new module. */
  readonly versions: readonly {
    readonly module: string;
    readonly from: readonly string[] | null;
    readonly to: string;
  }[];
  /** Guards of the host that the manifest switches off. */
  readonly allows: {
    readonly delete_stores: readonly string[];
    readonly remove_modules: readonly string[];
    readonly write_stores: readonly string[];
    readonly keep_stores: readonly string[];
    readonly empty_version_map: boolean;
  };
  /** Bytes that its memory may have at most. */
  readonly memory_max: string;
  /** By the modules of the program that looks at the file; null: it has no chain. */
  readonly on_this_chain: OnThisChain | null;
}

export function consequencesOf(manifest: Manifest, module: WasmModule, table?: ModuleTable): Consequences {
  const stores = (access: "r" | "rw") =>
    manifest.stores
      .filter((store) => store.access === access)
      .map(({ name, prefixes }) => (prefixes ? { name, prefixes: prefixes.map(toHex) } : { name }));
  const { added, renamed, deleted } = manifest.storeUpgrades;
  return {
    stores_read: stores("r"),
    stores_written: stores("rw"),
    stores_added: added,
    stores_renamed: renamed.map(({ oldKey, newKey }) => ({ old_key: oldKey, new_key: newKey })),
    stores_deleted: deleted,
    modules_removed: manifest.removes,
    versions: [...manifest.versions].map(([name, { from, to }]) => ({
      module: name,
      from: from?.map(String) ?? null,
      to: String(to),
    })),
    allows: {
      delete_stores: manifest.allows.deleteStores,
      remove_modules: manifest.allows.removeModules,
      write_stores: manifest.allows.writeStores,
      keep_stores: manifest.allows.keepStores,
      empty_version_map: manifest.allows.emptyVersionMap,
    },
    memory_max: String(Math.min(module.memories[0]?.max ?? MEMORY_PAGES_MAX, MEMORY_PAGES_MAX) * PAGE_BYTES),
    on_this_chain: table ? onThisChain(manifest, table) : null,
  };
}

/** Lines for people; what cannot be undone comes last, in words that are not overlooked. */
export function consequenceLines(consequences: Consequences): string[] {
  const { stores_read, stores_written, stores_added, stores_renamed, stores_deleted, modules_removed } = consequences;
  const store = ({ name, prefixes }: Consequences["stores_read"][number]) =>
    prefixes ? `${visible(name)} (keys ${prefixes.map((prefix) => `${prefix}…`).join(", ")})` : visible(name);
  const list = (names: readonly string[]) => (names.length === 0 ? "none" : names.map(visible).join(", "));
  const versions = consequences.versions.map(
    ({ module, from, to }) => `${visible(module)} ${from === null ? "new" : from.join(" or ")} → ${to}`,
  );
  return [
    `  reads stores     ${stores_read.map(store).join(", ") || "none besides those that it writes"}`,
    `  writes stores    ${stores_written.map(store).join(", ") || "none"}`,
    `  adds stores      ${list(stores_added)}`,
    `  renames stores   ${stores_renamed.map(({ old_key, new_key }) => `${visible(old_key)} → ${visible(new_key)}`).join(", ") || "none"}`,
    `  module versions  ${versions.join(", ") || "none"}`,
    `  memory           at most ${consequences.memory_max} bytes`,
    ...allowanceLines(consequences.allows),
    ...stores_deleted.map(
      (name) => `  DELETES STORE    ${visible(name)}, with everything in it; this cannot be undone`,
    ),
    ...stores_renamed.map(({ old_key, new_key }) => {
      const owner = modules_removed.includes(old_key) ? "a removed module" : "the module that owns it";
      return `  TAKES STORE      ${visible(old_key)} AWAY from ${owner}: it becomes ${visible(new_key)}`;
    }),
    ...modules_removed.map((name) => `  REMOVES MODULE   ${visible(name)} from the chain`),
    ...(consequences.on_this_chain ? chainLines(consequences.on_this_chain) : []),
    ...(stores_deleted.length + stores_renamed.length + modules_removed.length === 0
      ? ["  deletes nothing and takes nothing away: no store, no module"]
      : []),
  ];
}

function allowanceLines(allows: Consequences["allows"]) {
  const { delete_stores, remove_modules, write_stores, keep_stores, empty_version_map } = allows;
  const allowed = [
    ...delete_stores.map((name) => `to take the store "${visible(name)}" away from a module that stays`),
    ...remove_modules.map((name) => `to remove the module "${visible(name)}", without which the chain cannot go on`),
    ...write_stores.map((name) => `to write to the store "${visible(name)}" of a module whose version stays`),
    ...keep_stores.map((name) => `to keep the store "${visible(name)}" of a module that is removed`),
    ...(empty_version_map
      ? ["to run where no module versions are stored: modules may begin again over their data"]
      : []),
  ];
  return allowed.map((what) => `  ASKS TO BE ALLOWED  ${what}`);
}
