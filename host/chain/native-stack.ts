/**
 * The native stack that blocks run on: the same in each thread and command. V8 gives it to a process's first thread, which
 * cannot have another size; the engine's thread is given exactly as much.
 */
import { UpgradeError } from "../errors.js";

/** V8's default, which `node --stack-size` changes. */
export const STACK_KIB = 984;
/** Node keeps this much of a thread's stack for itself. */
const NODE_KEEPS_KIB = 192;
/** `resourceLimits.stackSizeMb` of a thread that runs blocks. */
export const THREAD_STACK_MIB = (STACK_KIB + NODE_KEEPS_KIB) / 1_024;

const WORDS = (STACK_KIB * 1_024) / 8;
/** What the caller of `requireStack` may have used already. */
const USED_WORDS = WORDS / 8;
let ballast: readonly undefined[] | undefined;

/**
 * Runs `work` with `part` of the stack at most, so that what it needs is there, and to spare, where it runs with all of it.
 * The engine lays a call's arguments on the stack, whatever it has compiled; these are as many as are to be used up.
 * @throws RangeError (engine-limit.ts) when that is too little for `work`
 */
export function onPartOfStack<T>(part: "half" | "quarter", work: () => T): T {
  ballast ??= new Array<undefined>((WORDS * 3) / 4).fill(undefined);
  const words = part === "half" ? ballast.slice(0, WORDS / 2) : ballast;
  return Reflect.apply(work, undefined, words);
}

/** Can this thread run blocks? @throws UpgradeError UPG_INVALID_CONFIG where its stack is smaller than that of other nodes */
export function requireStack(): void {
  try {
    Reflect.apply(() => undefined, undefined, new Array<undefined>(WORDS - USED_WORDS));
  } catch {
    throw new UpgradeError(
      "UPG_INVALID_CONFIG",
      `blocks need a stack of ${STACK_KIB} KiB, and this thread has less. Start Node.js without --stack-size, and a thread of ` +
        `your own with resourceLimits: { stackSizeMb: ${THREAD_STACK_MIB} } or more`,
    );
  }
}
