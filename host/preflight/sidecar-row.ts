/** A sidecar that supervises the home, and what it finds missing. */
import { join } from "node:path";
import { askStatus } from "../panel/ask.js";
import { socketPath } from "../panel/socket-path.js";
import type { Row } from "./row.js";

export async function sidecarRow(home: string): Promise<Row> {
  const check = "sidecar";
  const socket = socketPath(join(home, "cosmovisor"));
  const asked = await askStatus({ socket });
  if (!asked)
    return {
      check,
      state: "warning",
      words: `no chainvisor runs at ${socket}: somebody must switch the program at the height`,
    };
  const { phase, readiness, message } = asked.status;
  const lacking = readiness.filter(({ state }) => state === "missing" || state === "wrong");
  if (phase === "failed") return { check, state: "missing", words: `chainvisor does not go on by itself: ${message}` };
  if (lacking.length === 0) return { check, state: "ok", words: `chainvisor is ${phase}, nothing is missing` };
  const words = lacking.map(({ what, detail }) => `${what}: ${detail}`).join("; ");
  return { check, state: "missing", words, next: lacking.find(({ next }) => next !== null)?.next ?? undefined };
}
