/** Stores for functions that only read. Programs without types can call `set` on any store, so writes must throw. */
import { UpgradeError } from "../../../base/errors/errors.js";
import type { FrameScan, KeyRange, KeyValue, KVReader } from "../../../base/types/types.js";

interface Readers {
  readonly names: readonly string[];
  /** @throws UpgradeError UPG_NOT_FOUND_STORE */
  store(name: string): KVReader;
}

/** Read-only view of `stores`: every write throws UPG_BUG_MODULE. */
export class ReadOnlyStores implements Readers {
  readonly #stores: Readers;

  constructor(stores: Readers) {
    this.#stores = stores;
  }

  get names(): readonly string[] {
    return this.#stores.names;
  }

  store(name: string): KVReader {
    return new ReadOnlyStore(name, this.#stores.store(name));
  }
}

class ReadOnlyStore implements KVReader {
  readonly #name: string;
  readonly #store: KVReader;

  constructor(name: string, store: KVReader) {
    this.#name = name;
    this.#store = store;
  }

  get(key: Uint8Array): Uint8Array | undefined {
    return this.#store.get(key);
  }

  has(key: Uint8Array): boolean {
    return this.#store.has(key);
  }

  iterate(range?: KeyRange): IterableIterator<KeyValue> {
    return this.#store.iterate(range);
  }

  scan(range?: KeyRange): FrameScan {
    return this.#store.scan(range);
  }

  set(): never {
    throw readOnly("set", this.#name);
  }

  delete(): never {
    throw readOnly("delete", this.#name);
  }

  writeFrames(): never {
    throw readOnly("writeFrames", this.#name);
  }
}

function readOnly(member: string, store: string): UpgradeError {
  return new UpgradeError(
    "UPG_BUG_MODULE",
    `it called ${member}() on store "${store}", which it can only read. Write in a message, a migration, beginBlock or endBlock`,
  );
}
