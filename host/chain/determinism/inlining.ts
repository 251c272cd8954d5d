/** V8's inlining, which changes how much stack a recursion takes while the process runs. */
import { setFlagsFromString } from "node:v8";

/**
 * Keeps V8's optimizers from merging functions into their callers: a chain of merged functions takes up to 29 times less stack than
 * the same functions before they are optimized, so a node that was restarted could recurse far less deep than the others.
 * This holds for functions that V8 optimizes from now on, in all threads of the process. It makes an upgrade half as slow again, so
 * only chains with messages that may recurse have it.
 */
export function keepFrames(): void {
  for (const flag of ["--no-turbo-inlining", "--no-maglev-inlining"]) setFlagsFromString(flag);
}
