/** The application must run on the home that the sidecar looks after: of another one it would see no height and no plan. */
import { realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { usage } from "../../base/terminal/usage.js";
import { prefixOf } from "./program-variables.js";

interface Given {
  /** Of the sidecar: its home, its folder there, and the name of the program's file. */
  readonly settings: { readonly home: string; readonly root: string; readonly name: string };
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

/** @throws UpgradeError UPG_INVALID_ARGUMENT: --home, or the program's own variable, leads to another home */
export function requireOwnHome({ settings, args, env }: Given): void {
  const { home, root, name } = settings;
  const variable = `${prefixOf(name)}HOME`;
  const flag = flagIn(args, "--home");
  const given = flag ?? env[variable];
  // Other commands of the program may look at any home.
  if (!args.includes("start") || given === undefined || given === "") return;
  // The application runs in the sidecar's folder.
  const other = resolve(root, given);
  if (isSame(other, home) || isSame(join(other, "data"), join(home, "data"))) return;
  const what = flag === undefined ? `${variable} is ${given}` : `--home of the program is ${given}`;
  throw usage(
    `${what}, and the sidecar looks after ${home}: it would see neither the plan nor the height of the other home, and switch ` +
      "nothing. Set DAEMON_HOME, or --home before the word `run`, to the program's home",
  );
}

/** The value of a flag; the last one counts. */
export function flagIn(args: readonly string[], name: string): string | undefined {
  const at = args.findLastIndex((arg) => arg === name || arg.startsWith(`${name}=`));
  return args[at] === name ? args[at + 1] : args[at]?.slice(name.length + 1);
}

function isSame(one: string, other: string): boolean {
  const real = (path: string) => {
    try {
      return realpathSync(path);
    } catch {
      return resolve(path);
    }
  };
  return real(one) === real(other);
}
