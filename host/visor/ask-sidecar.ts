/** What the sidecar that runs on a home knows of the node, for commands that look at files. */
import { askStatus } from "../panel/ask.js";
import { socketPath } from "../panel/socket-path.js";
import type { Scheduled } from "../staging/doctor/ahead.js";

/** Undefined: none runs there. */
export async function askSidecar(root: string): Promise<{ readonly scheduled: Scheduled | undefined } | undefined> {
  const asked = await askStatus({ socket: socketPath(root) });
  if (!asked) return undefined;
  const { plan, readiness } = asked.status;
  if (!plan) return { scheduled: undefined };
  const { name, height, info } = plan;
  return { scheduled: { plan: { name, height: BigInt(height), info }, readiness } };
}
