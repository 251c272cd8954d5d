/** The command line of `run`: all after the word is the application's, but for the file of settings, which Cosmovisor takes out too. */
import { usage } from "../../base/terminal/usage.js";

export interface SplitArguments {
  /** For the sidecar, the word `run` included. */
  readonly own: readonly string[];
  /** Undefined: another command. */
  readonly app: readonly string[] | undefined;
}

/** Flags of every command that have a value in the next argument. */
export const WITH_VALUE: ReadonlySet<string> = new Set([
  "--home",
  "--name",
  "-c",
  "--chainvisor-config",
  "--cosmovisor-config",
  "-o",
  "--output",
]);
/** As an argument of its own, with the value in the next; other forms are the application's. */
const CONFIG = /^--?(cosmovisor|chainvisor)-config$/i;

/** @throws UpgradeError UPG_INVALID_ARGUMENT */
export function splitArguments(args: readonly string[]): SplitArguments {
  const at = args.findIndex((arg, index) => !arg.startsWith("-") && !WITH_VALUE.has(args[index - 1] ?? ""));
  if (at < 0 || args[at] !== "run") return { own: args, app: undefined };
  const before = args.slice(0, at + 1);
  const app = [...args.slice(at + 1)];
  const flag = app.findIndex((arg) => CONFIG.test(arg));
  if (flag < 0) return { own: before, app };
  const [name, file] = app.splice(flag, 2);
  if (file === undefined) throw usage(`${name} requires an argument`);
  return { own: ["--chainvisor-config", file, ...before], app };
}
