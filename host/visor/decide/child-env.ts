/** The environment of what the sidecar starts: its own, with what shows a program of this project that it is supervised. */

import { logEnvironment } from "../../base/terminal/process-log.js";
import { prefixOf } from "./program-variables.js";
import type { Settings } from "./settings.js";

/** Marks what a sidecar of this root has started; the next one ends it where it was left running. */
export const MARK = "CHAINVISOR_SUPERVISES";

export function childEnv({
  settings,
  env,
}: {
  readonly settings: Settings;
  readonly env: NodeJS.ProcessEnv;
}): Readonly<Record<string, string | undefined>> {
  const { home, name, root } = settings;
  const prefix = prefixOf(name);
  // The sidecar looks at once: the node need not hold at the height for it (cli/flags/halt-linger-flag.ts).
  const linger = { [`${prefix}HALT_LINGER`]: "0s" };
  return { DAEMON_HOME: home, DAEMON_NAME: name, ...linger, ...logEnvironment(settings, prefix), ...env, [MARK]: root };
}
