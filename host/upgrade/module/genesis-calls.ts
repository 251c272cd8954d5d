/** Calls the functions of a module's genesis, and names the module and the function in what they throw. */
import { isUpgradeError } from "../../base/errors/errors.js";
import { callModule } from "../../base/errors/synchronous.js";
import { moduleFailure } from "./hook-failure.js";

/**
 * Calls a function of a module's genesis. Errors of the document (UPG_INVALID_GENESIS) keep their code: their messages name the path.
 * @throws UpgradeError UPG_BUG_MODULE with the function and the module; as `HookCalls.call`
 */
export function callGenesis<T>(what: string, module: string, run: () => T): T {
  const named = `${what} of module ${module}`;
  try {
    return callModule(named, run);
  } catch (error) {
    throw isUpgradeError(error) && error.code === "UPG_INVALID_GENESIS" ? error : moduleFailure(named, error);
  }
}

/** The pieces of a module's export. @throws as `callGenesis` */
export function* exportPieces(module: string, pieces: () => Iterable<string>): Generator<string> {
  try {
    yield* pieces();
  } catch (error) {
    throw moduleFailure(`ExportGenesis of module ${module}`, error);
  }
}
