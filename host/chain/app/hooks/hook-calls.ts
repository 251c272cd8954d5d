/** Calls the functions of modules that a block runs by itself, and names the module and the function in what they throw. */

import type { ErrorCode } from "../../../base/errors/errors.js";
import { callModule } from "../../../base/errors/synchronous.js";
import type { MultiStore } from "../../../base/types/types.js";
import { drop } from "../../../state/branch/finish.js";
import { CacheMultiStore } from "../../../state/branch/kv/cache-multi-store.js";
import { ReadOnlyStores } from "../../../state/branch/kv/read-only.js";
import { FaultLog, FaultyStores } from "../../../state/branch/kv/store-faults.js";
import { type BlockPlace, hookFailure, moduleFailure } from "../../../upgrade/module/hook-failure.js";
import type { ReadableStores } from "../module.js";

/** The functions of modules in one block. */
export class HookCalls {
  readonly #faults = new FaultLog();
  /** For functions that only read. In an upgrade's block it separates errors of the disk from those of a state that the handler spoiled. */
  readonly read: ReadableStores;
  /** For functions that write. */
  readonly stores: MultiStore;
  readonly #own: CacheMultiStore | undefined;

  constructor(
    private readonly place: BlockPlace,
    branch: MultiStore,
  ) {
    const watched = place.applied ? new FaultyStores(branch, this.#faults) : branch;
    this.read = new ReadOnlyStores(watched);
    this.#own = place.applied ? new CacheMultiStore(watched) : undefined;
    this.stores = this.#own ?? branch;
  }

  /**
   * @param what the function and its module, for messages
   * @param code of a failure in the block of an upgrade
   * @throws UpgradeError `code` in the block of an upgrade, else UPG_BUG_MODULE; UPG_STORE_*, UPG_BUG_ENGINE_LIMIT as they are
   */
  call<T>(what: string, run: () => T, code: ErrorCode = "UPG_MIGRATION_HOOK"): T {
    let returned: T;
    try {
      returned = callModule(what, run);
      this.#own?.write();
    } catch (error) {
      this.#faults.rethrow();
      throw hookFailure(what, error, code, this.place);
    }
    this.#faults.rethrow();
    return returned;
  }

  /** Ends the use of `stores` by modules that kept them. */
  close(): void {
    if (this.#own) drop(this.#own);
  }
}

/** Calls a function of a module whose result is for the engine. @throws UpgradeError UPG_BUG_MODULE with its name; as `HookCalls.call` */
export function callGiver<T>(what: string, stores: ReadableStores, run: (stores: ReadableStores) => T): T {
  try {
    return callModule(what, () => run(new ReadOnlyStores(stores)));
  } catch (error) {
    throw moduleFailure(what, error);
  }
}
