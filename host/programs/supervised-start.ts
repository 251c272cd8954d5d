/** How this node is started where a sidecar does it: a plain `start` beside the sidecar would lack the flags of its unit. */
import { lstatSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { shellWord } from "../shell-word.js";

export interface SupervisedStart {
  /** All words, to which flags may be added. */
  readonly startCommand?: string | undefined;
  /** Of the system's service, which takes no flags. */
  readonly serviceCommand?: string | undefined;
  /** Links the program before the last switch; undefined: the sidecar has made none. */
  readonly rollbackCommand?: string | undefined;
}

interface Supervised {
  readonly home: string;
  readonly name: string;
  /** The sidecar's folder. */
  readonly root: string;
}

export const supervisedStart = (env: NodeJS.ProcessEnv = process.env): SupervisedStart => {
  const { CHAINVISOR_START: startCommand, CHAINVISOR_SERVICE: serviceCommand } = env;
  const { DAEMON_HOME: home, DAEMON_NAME: name, CHAINVISOR_SUPERVISES: root } = env;
  const rollbackCommand = home && name && root ? rollbackOf({ home, name, root }) : undefined;
  return { startCommand, serviceCommand, rollbackCommand };
};

/** For a shell without the variables of the sidecar. */
export const chainvisorFor = ({ home, name }: Pick<Supervised, "home" | "name">): string =>
  `chainvisor --home ${shellWord(home)} --name ${shellWord(name)}`;

/** Links the program before the last switch; undefined: there is none to go back to. */
export function rollbackOf(supervised: Supervised): string | undefined {
  const previous = linkTarget(join(supervised.root, "previous"));
  if (previous === undefined || previous === linkTarget(join(supervised.root, "current"))) return undefined;
  return `${chainvisorFor(supervised)} rollback --program-only`;
}

function linkTarget(path: string): string | undefined {
  try {
    return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : undefined;
  } catch {
    return undefined;
  }
}
