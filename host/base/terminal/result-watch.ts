/** A command that ends before it returned must not look like one that succeeded: a script would go on. */
import { UpgradeError } from "../errors/errors.js";
import type { FailureReporter } from "./fail.js";

/** Exit statuses of a process that ran out of things to do: 13 is Node's while the program's file waits for `runChain`. */
const EXITS_WITHOUT_RESULT: ReadonlySet<number> = new Set([0, 13]);

interface Watched {
  /** A command of the chain's own, which may end the process itself. */
  readonly isOwn: boolean;
  /** Where a status of its own says that a command failed. */
  readonly exit?: number;
}

/**
 * From now on the process that ends with 0 or 13 reports UPG_BUG_NO_RESULT and exits with its status. Returns a function to call
 * once the command has its result.
 */
export function watchForResult(reporter: FailureReporter, isJson: boolean, { isOwn, exit }: Watched): () => void {
  const onExit = (status: number) => {
    if (isOwn || !EXITS_WITHOUT_RESULT.has(status)) return;
    const message =
      "the command ended before its result was known: code of a module, or of a library, ended the process or waits for nothing. " +
      "Do not rely on what it printed; report it to the chain's developers";
    const own = reporter.report(new UpgradeError("UPG_BUG_NO_RESULT", message), { isJson, isTraced: false });
    process.exitCode = exit ?? own;
  };
  process.on("exit", onExit);
  return () => void process.off("exit", onExit);
}
