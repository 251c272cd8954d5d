/**
 * Limits of the JavaScript engine: a deeper stack, a longer string, more memory. Where the engine refuses depends on what the
 * process has compiled and allocated so far, so a refusal is never the result of a transaction, a query or a migration.
 * Blocks run on the same native stack in each thread and command: the one that V8 gives to a process's first thread, whose
 * size cannot be changed.
 */
import { messageOf, UpgradeError } from "./errors.js";
import { isOutOfMemory, machineProblem } from "./machine.js";
import { throwerOf } from "./synchronous.js";

const STACK_USED_UP = "Maximum call stack size exceeded";
/** The engine's words, of RangeError (V8) and InternalError (SpiderMonkey). */
const REFUSALS =
  /^(?:Maximum call stack size exceeded|too much recursion|allocation size overflow|out of memory|Invalid (?:array|string) length|Invalid typed array length.*|Array buffer allocation failed|(?:Map|Set) maximum size exceeded|Maximum BigInt size exceeded|Array size exceeds.*|WebAssembly\.\w+\(\): (?:Out of memory|could not allocate).*)$/i;
const NAMES: ReadonlySet<string> = new Set(["RangeError", "InternalError"]);
/** An error wrapped more often than this is not looked into. */
const CAUSES_MAX = 16;

/** Set while a scope is open and a refusal passed through a function of the host, whatever the module did with it. */
let noticed: UpgradeError | undefined;

/** UPG_BUG_ENGINE_LIMIT (UPG_STORE_IO where the system has no memory) when the error, or what caused it, is a refusal of the engine; otherwise undefined. */
export function engineLimit(error: unknown): UpgradeError | undefined {
  try {
    return limitIn(error);
  } catch {
    return undefined; // Code of the object's own ran, and threw: no error of the engine has any.
  }
}

function limitIn(error: unknown): UpgradeError | undefined {
  let each: unknown = error;
  for (let depth = 0; depth < CAUSES_MAX && typeof each === "object" && each !== null; depth++) {
    const { code, name, message, cause } = each as {
      code?: unknown;
      name?: unknown;
      message?: unknown;
      cause?: unknown;
    };
    if (code === "UPG_BUG_ENGINE_LIMIT") return each as UpgradeError;
    // These decide nothing either, and say more.
    if (typeof code === "string" && /^UPG_(?:HANDLER|STORE|BUG)_/.test(code)) return undefined;
    if (typeof name === "string" && NAMES.has(name) && typeof message === "string" && REFUSALS.test(message)) {
      return limitError(each);
    }
    each = cause;
  }
  return undefined;
}

function limitError(cause: unknown): UpgradeError {
  const problem = isOutOfMemory(cause) ? machineProblem(cause) : undefined;
  if (problem !== undefined) return new UpgradeError("UPG_STORE_IO", problem, { cause });
  const thrower = throwerOf(cause);
  const what =
    `${thrower === undefined ? "" : `in ${thrower}, `}the JavaScript engine refused to go on: ${messageOf(cause)}. Where it refuses differs from node to node, so this decides ` +
    "nothing and the node stops before the block is committed. Find the recursion or the allocation whose size a user chooses, " +
    "and bound it in the module";
  return new UpgradeError("UPG_BUG_ENGINE_LIMIT", what, { cause });
}

/** For a `catch` that would turn any error into a result. @throws UpgradeError UPG_BUG_ENGINE_LIMIT if the error is a refusal of the engine */
export function rethrowEngineLimit(error: unknown): void {
  const limit = engineLimit(error);
  if (!limit) return;
  noticed = limit;
  throw limit;
}

/** Runs a function of the host that a module called: a refusal in it is remembered, even if the module catches it. */
export function hostCall<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    rethrowEngineLimit(error);
    throw error;
  }
}

/**
 * Runs code of a module, and fails if the engine refused anything that the host saw, even if the module caught it.
 * @throws UpgradeError UPG_BUG_ENGINE_LIMIT; what `run` throws
 */
export function withinEngineLimits<T>(run: () => T): T {
  const before = noticed;
  noticed = undefined;
  try {
    const result = run();
    if (noticed) throw noticed;
    return result;
  } catch (error) {
    throw noticed ?? engineLimit(error) ?? error;
  } finally {
    noticed = before;
  }
}

/** What failed once ends an application: nothing more runs in it; a later call throws the first error. */
export class Ending {
  #error: unknown;

  /** @throws what `work` throws; what ended the application before */
  run<T>(work: () => T): T {
    if (this.#error) throw this.#error;
    try {
      return withinEngineLimits(work);
    } catch (error) {
      this.#error = error;
      throw error;
    }
  }

  /** The application goes on from its last commit. */
  forget(): void {
    this.#error = undefined;
  }
}

/** V8's default, which `node --stack-size` changes. */
const STACK_KIB = 984;
/** Node keeps this much of a thread's stack for itself. */
const NODE_KEEPS_KIB = 192;
/** `resourceLimits.stackSizeMb` of a thread that runs blocks. */
export const THREAD_STACK_MIB = (STACK_KIB + NODE_KEEPS_KIB) / 1_024;

const WORD = 8;
/** What the caller of `requireStack` may have used already. */
const USED_KIB = STACK_KIB / 8;
/** How much the stack that is left may differ from `kib`. */
const SLACK_KIB = 4;
/** No thread has more; a system gives a process 8 MiB by default. */
const STACK_MAX_KIB = 128 * 1_024;
type Arguments = readonly undefined[];
/** Arguments of calls, by KiB of the stack to leave. `used` is as measured last. */
const ballasts = new Map<number, { readonly used: Arguments; readonly least: Arguments; readonly most: Arguments }>();

/**
 * Runs `work` with `kib` KiB of the native stack left, however large the thread's stack is and however deep the caller.
 * The engine lays a call's arguments on the stack, whatever it has compiled; these are as many as are to be used up.
 * @throws RangeError (`engineLimit`) when that is too little for `work`; UpgradeError UPG_INVALID_CONFIG where the stack is too large to measure
 */
export function withStackLeft<T>(kib: number, work: () => T): T {
  const least = ballasts.get(kib)?.least ?? argumentsOf(kib - SLACK_KIB);
  const most = ballasts.get(kib)?.most ?? argumentsOf(kib + SLACK_KIB);
  // The caller may be deeper, or less deep, than the caller before.
  const attempt = () => (fits(least) && !fits(most) ? { result: work() } : undefined);
  for (;;) {
    const used = ballasts.get(kib)?.used;
    const done = used && (Reflect.apply(attempt, undefined, used) as ReturnType<typeof attempt>);
    if (done) return done.result;
    const left = stackLeft();
    // Nothing could be measured in it.
    if (left < kib + SLACK_KIB) throw new RangeError(STACK_USED_UP);
    ballasts.set(kib, { used: argumentsOf(left - kib), least, most });
  }
}

/** KiB, to 1 KiB. */
function stackLeft(): number {
  let [low, high] = [0, STACK_KIB];
  for (; hasStack(high); high *= 2) {
    low = high;
    if (high > STACK_MAX_KIB) {
      throw new UpgradeError(
        "UPG_INVALID_CONFIG",
        `this thread has a stack of more than ${STACK_MAX_KIB} KiB: use less`,
      );
    }
  }
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (hasStack(middle)) low = middle;
    else high = middle;
  }
  return low;
}

const argumentsOf = (kib: number): Arguments => new Array<undefined>((Math.max(0, kib) * 1_024) / WORD).fill(undefined);
const hasStack = (kib: number): boolean => fits(argumentsOf(kib));

function fits(onStack: Arguments): boolean {
  try {
    Reflect.apply(() => undefined, undefined, onStack);
    return true;
  } catch {
    return false;
  }
}

/** Can this thread run blocks? @throws UpgradeError UPG_INVALID_CONFIG where its stack is smaller than that of other nodes */
export function requireStack(): void {
  if (hasStack(STACK_KIB - USED_KIB)) return;
  throw new UpgradeError(
    "UPG_INVALID_CONFIG",
    `blocks need a stack of ${STACK_KIB} KiB, and this thread has less. Start Node.js without --stack-size, and a thread of ` +
      `your own with resourceLimits: { stackSizeMb: ${THREAD_STACK_MIB} } or more`,
  );
}
