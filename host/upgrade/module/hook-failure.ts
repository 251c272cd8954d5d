/**
 * What a function of a module threw in a block, as the error that ends the block: it names the module and the function. In the block
 * of an upgrade the state that the handler left is to blame, in any other block the module.
 */
import { engineLimit } from "../../base/errors/engine-limit.js";
import { BUG_NOTE, type ErrorCode, isUpgradeError, UpgradeError } from "../../base/errors/errors.js";
import { isRefusedByMachine } from "../../base/errors/machine.js";
import { briefMessageOf } from "../../base/text/text.js";
import type { Height } from "../../base/types/types.js";
import { failureOf } from "./halt.js";
import type { AppliedUpgrade } from "./hooks.js";

/** These say more than the name of a module: this machine's disk, a limit of the engine, a halt, a defect of the core. */
const KEPT = /^UPG_(?:STORE|HALT|HANDLER|MIGRATION)_|^UPG_BUG_(?!ASSERT|MODULE)/;

export interface BlockPlace {
  readonly height: Height;
  /** The upgrade of the block. */
  readonly applied: AppliedUpgrade | undefined;
}

/** @param code of a failure in the block of an upgrade */
export function hookFailure(what: string, error: unknown, code: ErrorCode, { height, applied }: BlockPlace): unknown {
  if (!applied) {
    const advice =
      "The node stops before the block is committed. Start a version of the program whose module is correct";
    return moduleFailure(what, error, { height, advice });
  }
  // No store threw it: it is about bytes that the handler wrote.
  const isOfState = isUpgradeError(error) && error.code === "UPG_STORE_CORRUPT";
  const kept = isOfState ? undefined : keptError(error);
  if (kept) return kept;
  const { plan, handler } = applied;
  const text =
    `after "${plan.name}" ${what} failed: ${thrownText(error)}. Nothing was written. The handler must leave a state on which ` +
    "the module works";
  return failureOf(new UpgradeError(code, text, { cause: error }), plan, handler.wasm);
}

export function moduleFailure(
  what: string,
  error: unknown,
  { height, advice }: { readonly height?: Height; readonly advice?: string } = {},
): unknown {
  const kept = keptError(error);
  if (kept) return kept;
  const at = height === undefined ? "" : ` at height ${height}`;
  const text = `${what} failed${at}: ${thrownText(error)}${advice === undefined ? "" : `. ${advice}`}`;
  const details = height === undefined ? {} : { height: String(height) };
  return new UpgradeError("UPG_BUG_MODULE", text, { cause: error, details });
}

function keptError(error: unknown): unknown {
  const limit = engineLimit(error);
  if (limit) return limit;
  return (isUpgradeError(error) ? KEPT.test(error.code) : isRefusedByMachine(error)) ? error : undefined;
}

/** The message, and the code where there is one that says something. */
function thrownText(error: unknown): string {
  const text = briefMessageOf(error).replace(BUG_NOTE, "");
  if (isUpgradeError(error)) return error.code.startsWith("UPG_BUG_") ? text : `${text} (${error.code})`;
  return error instanceof Error ? text : `it threw ${text}, which is no Error`;
}
