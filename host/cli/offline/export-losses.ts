/** Finds records that an exported genesis document leaves out, so that nobody starts a chain without them unknowingly. */

import type { KVReader } from "../../base/types/types.js";
import { type Module, storesOf } from "../../chain/app/module.js";
import type { VersionView } from "../../state/store/versions/version-view.js";
import { UPGRADE_STORE } from "../../upgrade/module/keeper.js";

/** What the exports of modules read, to be asked once the document is complete. */
export class ExportLosses {
  /** Modules that walked over a store, or that may have. */
  readonly #walked = new Set<string>();
  /** Single records that were read, by module and store. */
  readonly #keys = new Map<string, Set<string>>();

  constructor(
    private readonly view: VersionView,
    private readonly modules: readonly Module[],
  ) {}

  /** The view that the export of a module reads. */
  viewFor({ name }: Module): VersionView {
    const store = (storeName: string) => this.#watched(name, storeName, this.view.store(storeName));
    return new Proxy(this.view, {
      get: (view, member) => {
        if (member === "store") return store;
        if (member !== "names" && member !== "version") this.#walked.add(name);
        const value: unknown = Reflect.get(view, member, view);
        return typeof value === "function" ? value.bind(view) : value;
      },
    });
  }

  #watched(module: string, storeName: string, store: KVReader): KVReader {
    const keys = this.#keysOf(module, storeName);
    const hasWalked = () => void this.#walked.add(module);
    return {
      get(key) {
        const value = store.get(key);
        if (value !== undefined) keys.add(String(key));
        return value;
      },
      has: (key) => store.has(key),
      iterate(range) {
        hasWalked();
        return store.iterate(range);
      },
      scan(range) {
        hasWalked();
        return store.scan(range);
      },
    };
  }

  #keysOf(module: string, store: string): Set<string> {
    const name = `${module}/${store}`;
    const keys = this.#keys.get(name) ?? new Set();
    this.#keys.set(name, keys);
    return keys;
  }

  /** One line for each module that leaves records out. */
  lines(): string[] {
    return this.modules.filter((module) => !isElsewhere(module)).flatMap((module) => this.#linesOf(module));
  }

  #linesOf(module: Module): string[] {
    const stores = storesOf(module).filter((store) => this.view.names.includes(store));
    const left = stores.filter((store) => this.#leavesOut(module, store)).join(", ");
    if (left === "") return [];
    if (!module.genesis)
      return [`warning: module ${module.name} has no genesis: its records in store ${left} are not exported`];
    if (this.#walked.has(module.name)) return [];
    return [`warning: module ${module.name} exported single values and no list: store ${left} has more records`];
  }

  /** Does a store hold more than was read? */
  #leavesOut({ name }: Module, store: string): boolean {
    let more = (this.#keys.get(`${name}/${store}`)?.size ?? 0) + 1;
    for (const _ of this.view.store(store).iterate({})) if (--more === 0) return true;
    return false;
  }
}

/** What of a module's state is in another part of the document, or is not meant to be in it. */
function isElsewhere(module: Module): boolean {
  return module.consensusParams !== undefined || storesOf(module).includes(UPGRADE_STORE);
}
