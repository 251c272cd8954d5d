/** `defineChain` for programs. Reports a mistake in a program's chain like a mistake on its command line. */
import { isMainThread } from "node:worker_threads";
import type { Chain, ChainOptions } from "../../chain/app/chain.js";
import { defineChain as checkedChain } from "../../chain/app/define-chain.js";
import { defining, onDefinitionError } from "../../chain/values/definition-errors.js";

// Also for `messageKind` and the like, which a program calls before `defineChain`.
onDefinitionError(reportIfUncaught);

/**
 * A chain from its modules and the upgrades that its program carries. Versions, messages, queries, genesis and commands follow
 * from them. A program that does not catch the error ends with its message, and with exit status 2. So it does for errors of
 * `messageKind`, `implement` and `records`, which a program calls while its files are loaded.
 *
 * @throws UpgradeError UPG_INVALID_ARGUMENT naming what does not fit together
 *
 * @example
 * const modules = [auth(), bank(), staking(), gov(), upgrade()];
 * const chain = defineChain({ name: "notesd", addressPrefix: "note", modules });
 * console.log(chain.router.has("/cosmos.bank.v1beta1.MsgSend"), chain.versions.length); // → true 1
 */
export function defineChain(options: ChainOptions): Chain {
  return defining(() => checkedChain(options));
}

/**
 * A chain is defined while the program's files are loaded, before `runChain` could catch anything. Nothing stays of this
 * where the error is caught, and a program that looks after such errors itself keeps its way.
 */
function reportIfUncaught(error: unknown): void {
  if (!isMainThread || process.listenerCount("uncaughtException") > 0) return;
  const report = async (uncaught: unknown) => {
    const { endWithFailure } = await import("./process.js");
    if (uncaught === error) endWithFailure(error);
    console.error(uncaught);
    process.exit(1);
  };
  process.on("uncaughtException", report);
  setImmediate(() => process.off("uncaughtException", report));
}
