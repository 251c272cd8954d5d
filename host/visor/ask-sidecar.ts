/** What the sidecar that runs on a home knows of the node, for commands that look at files. */
import { askStatus } from "../panel/ask.js";
import { socketPath } from "../panel/socket-path.js";
import type { Reached } from "../sidecar/decision/decide.js";
import type { Scheduled } from "../staging/doctor/ahead.js";

interface AskedSidecar {
  readonly scheduled: Scheduled | undefined;
  /** Undefined: it does not know yet. */
  readonly reached: Reached | undefined;
}

/** Undefined: none runs there. */
export async function askSidecar(root: string): Promise<AskedSidecar | undefined> {
  const asked = await askStatus({ socket: socketPath(root) });
  if (!asked) return undefined;
  const { plan, readiness, height: last } = asked.status;
  const reached = last ? { height: BigInt(last.value), source: last.source } : undefined;
  if (!plan) return { scheduled: undefined, reached };
  const { name, height, info, origin } = plan;
  return { scheduled: { plan: { name, height: BigInt(height), info }, origin, readiness }, reached };
}
