/** Calls the functions of modules that a block runs by itself, and names the module and the function in what they throw. */
import { CacheMultiStore } from "../../branch/kv/cache-multi-store.js";
import { FaultLog, FaultyStores } from "../../branch/kv/store-faults.js";
import type { ErrorCode } from "../../errors.js";
import { callModule } from "../../synchronous.js";
import type { MultiStore } from "../../types.js";
import { type BlockPlace, hookFailure, moduleFailure } from "../../upgrade/hook-failure.js";

/** The functions of modules in one block. */
export class HookCalls {
  readonly #faults = new FaultLog();
  /** For functions that only read. In an upgrade's block it separates errors of the disk from those of a state that the handler spoiled. */
  readonly read: MultiStore;
  /** For functions that write. */
  readonly stores: MultiStore;
  readonly #own: CacheMultiStore | undefined;

  constructor(
    private readonly place: BlockPlace,
    branch: MultiStore,
  ) {
    this.read = place.applied ? new FaultyStores(branch, this.#faults) : branch;
    this.#own = place.applied ? new CacheMultiStore(this.read) : undefined;
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
}

/** Calls a function of a module whose result is for the engine. @throws UpgradeError UPG_BUG_MODULE with its name; as `HookCalls.call` */
export function callGiver<T>(what: string, run: () => T): T {
  try {
    return callModule(what, run);
  } catch (error) {
    throw moduleFailure(what, error);
  }
}
