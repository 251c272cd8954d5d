/**
 * The part of a genesis document that no module of this program reads: stores that an upgrade has brought, pair by pair,
 * and the modules' consensus versions with theirs. `chaind export` writes it, so that nothing is lost on the way.
 */
import { compareBytes } from "../../../base/text/bytes.js";
import { storeNameProblem } from "../../../base/text/text.js";
import { KEY_BYTES_MAX, VALUE_BYTES_MAX } from "../../../base/types/limits.js";
import type { VersionMap } from "../../../base/types/types.js";
import type { GenesisDocument } from "../../genesis-stream/document.js";
import type { GenesisList } from "../../values/json-list.js";
import type { JsonReader } from "../../values/json-reader.js";

/** Its name below `app_state`, which no module may have. */
export const RAW_SECTION = "raw";

interface RawPair {
  readonly store: string;
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

export interface GenesisRaw {
  /** All modules of the chain. */
  readonly modules: VersionMap;
  /** Stores besides those of the app version. */
  readonly stores: readonly string[];
  readonly pairs: GenesisList<RawPair>;
}

/** Undefined when the document has no such part. @throws UpgradeError UPG_INVALID_GENESIS */
export function readRaw(document: GenesisDocument): GenesisRaw | undefined {
  const raw = document.root.get("app_state").get(RAW_SECTION);
  if (!raw.isSet) return undefined;
  const modules = new Map<string, bigint>();
  for (const item of raw.get("module_versions").items()) {
    const name = item.only("name", "version").get("name").text();
    if (modules.has(name)) throw item.wrong(`names module "${name}" a second time`);
    modules.set(name, item.get("version").uint64());
  }
  const stores = raw.get("stores").items().map(readStoreName);
  if (new Set(stores).size < stores.length) throw raw.get("stores").wrong("names a store twice");
  const list = document.list(RAW_SECTION, "pairs");
  return { modules, stores, pairs: readPairs(list, new Set(stores)) };
}

function readStoreName(item: JsonReader): string {
  const name = item.text();
  const problem = storeNameProblem(name);
  if (problem) throw item.wrong(problem);
  return name;
}

function readPairs(
  list: Iterable<JsonReader> & { readonly length: number },
  stores: ReadonlySet<string>,
): GenesisList<RawPair> {
  return {
    length: list.length,
    *[Symbol.iterator]() {
      const last = new Map<string, Uint8Array>();
      for (const item of list) {
        item.only("store", "key", "value");
        const [store, key, value] = [item.get("store").text(), item.get("key").base64(), item.get("value").base64()];
        if (!stores.has(store)) throw item.get("store").wrong(`"${store}" is not in app_state.raw.stores`);
        if (key.length === 0 || key.length > KEY_BYTES_MAX) {
          throw item.get("key").wrong(`a key has 1 to ${KEY_BYTES_MAX} bytes, got ${key.length}`);
        }
        if (value.length > VALUE_BYTES_MAX) {
          throw item.get("value").wrong(`a value has at most ${VALUE_BYTES_MAX} bytes, got ${value.length}`);
        }
        const before = last.get(store);
        if (before && compareBytes(before, key) >= 0) throw item.wrong(`keys of store "${store}" must ascend`);
        last.set(store, key);
        yield { store, key, value };
      }
    },
  };
}
