/** `chaind`, as it is installed: prints what is known without the program, or starts it. */
import { isMainThread } from "node:worker_threads";
import { type KnownResults, knownResult } from "./known-results.js";

/** The build puts them here. */
declare const KNOWN_RESULTS: KnownResults;

/** The file beside this one that loads the program. */
async function start(): Promise<void> {
  const { startProgram } = await import("./start-program.js");
  await startProgram("chaind");
}

// A thread of the node runs the same file, without arguments.
const known = isMainThread ? knownResult(KNOWN_RESULTS, process.argv.slice(2)) : undefined;
if (known === undefined) await start();
else {
  // The program reports a full disk, and passes over a reader that has gone.
  process.stdout.once("error", () => void start());
  process.stdout.write(known);
}
