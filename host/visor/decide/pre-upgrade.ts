/** `pre-upgrade` of a new program, before it is started, with the exit statuses that Cosmovisor gives a meaning to. */
import { messageOf } from "../../base/errors/errors.js";
import type { Program } from "../../node/programs/layout.js";
import { onLines } from "../../node/programs/output-lines.js";
import { spawnProgram } from "../../node/programs/spawn-program.js";

const NO_SUCH_COMMAND = 1;
const LAST_LINES_MILLIS = 1_000;
const REFUSED = 30;
const RETRY = 31;

/** Flags of `start` that `pre-upgrade` has too. */
const SHARED_FLAGS = ["--handlers", "--handlers-staged", "--handler-disk-max"];

export interface PreUpgradeOptions {
  readonly program: Program;
  readonly home: string;
  /** Of the worker. */
  readonly flags: readonly string[];
  /** Gets each line that it prints. */
  readonly onLine: (line: string) => void;
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
  const { program, home, flags, onLine, signal } = options;
  const args = ["pre-upgrade", "--home", home, ...sharedFlags(flags)];
  const exit = await new Promise<number>((resolve, reject) => {
    const child = spawnProgram(program.file, args, { stdio: ["ignore", "pipe", "pipe"], signal });
    onLines([child.stdout, child.stderr], onLine);
    child.once("error", (cause) => reject(new Error(`${program.file} cannot be run: ${messageOf(cause)}`, { cause })));
    // What it wrote last is still in the pipes; what its own children keep open is not waited for.
    child.once("exit", (code) => {
      const over = () => resolve(code ?? NO_SUCH_COMMAND);
      const late = setTimeout(over, LAST_LINES_MILLIS);
      child.once("close", () => {
        clearTimeout(late);
        over();
      });
    });
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
