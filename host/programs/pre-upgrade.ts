/** `pre-upgrade` of a new program, before it is started, with the exit statuses that Cosmovisor gives a meaning to. */
import { messageOf } from "../errors.js";
import type { Program } from "./layout.js";
import { spawnProgram } from "./spawn-program.js";

const STDERR = 2;
const NO_SUCH_COMMAND = 1;
const REFUSED = 30;
const RETRY = 31;

/** Flags of `start` that `pre-upgrade` has too. */
const SHARED_FLAGS = ["--handlers", "--handlers-staged", "--handler-disk-max"];

export interface PreUpgradeOptions {
  readonly program: Program;
  readonly home: string;
  /** Of the worker. */
  readonly flags: readonly string[];
  readonly signal: AbortSignal;
}

/**
 * `ready`: 0; also 1, which is a program without the command, and any other status, as with Cosmovisor. `refused`: 30. `busy`: 31,
 * which may be asked again.
 */
export interface PreUpgradeEnd {
  readonly kind: "ready" | "refused" | "busy";
  readonly exit: number;
}

/** @throws Error: the program cannot be run, or `signal` ended it */
export async function preUpgrade(options: PreUpgradeOptions): Promise<PreUpgradeEnd> {
  const { program, home, flags, signal } = options;
  const args = ["pre-upgrade", "--home", home, ...sharedFlags(flags)];
  const exit = await new Promise<number>((resolve, reject) => {
    const child = spawnProgram(program.file, args, { stdio: ["ignore", STDERR, STDERR], signal });
    child.once("error", (cause) => reject(new Error(`${program.file} cannot be run: ${messageOf(cause)}`, { cause })));
    child.once("exit", (code) => resolve(code ?? NO_SUCH_COMMAND));
  });
  return { kind: exit === REFUSED ? "refused" : exit === RETRY ? "busy" : "ready", exit };
}

function sharedFlags(flags: readonly string[]): string[] {
  return flags.flatMap((flag, at) => {
    const [name = ""] = flag.split("=", 1);
    if (!SHARED_FLAGS.includes(name)) return [];
    return flag === name ? [flag, flags[at + 1] ?? ""] : [flag];
  });
}
