/** What a command, a metric or the log reports about readiness: one word for each surface. */

type Verdict = "ready" | "not ready" | "silent";

export interface Surface {
  readonly name: string;
  readonly verdict: Verdict;
  readonly detail: string;
}

export interface CommandEnd {
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
}

export function ofStatus(end: CommandEnd): Surface {
  const name = "status";
  try {
    const status = JSON.parse(end.stdout) as {
      phase: string;
      ready?: boolean;
      readiness: { what: string; state: string }[];
      next?: string[];
    };
    const isReady = status.ready ?? status.phase === "ready";
    const open = status.readiness.filter(({ state }) => state !== "ready").map(({ what, state }) => `${what} ${state}`);
    const next = status.next?.length ? ` next: ${status.next.join("; ")}` : "";
    return { name, verdict: isReady ? "ready" : "not ready", detail: `${status.phase}: ${open.join(", ")}${next}` };
  } catch {
    return { name, verdict: "silent", detail: lineOf(end) };
  }
}

export function ofDoctor(end: CommandEnd): Surface {
  return { name: "doctor", verdict: end.exit === 0 ? "ready" : "not ready", detail: lineOf(end) };
}

export function ofExit(name: string, end: CommandEnd, noPlan: number): Surface {
  const verdict = end.exit === 0 ? "ready" : end.exit === noPlan ? "silent" : "not ready";
  return { name, verdict, detail: `exit ${end.exit}` };
}

export function ofMetric(name: string, text: string | undefined, metric: string): Surface {
  const line = text?.split("\n").find((each) => each.startsWith(`${metric}{`) || each.startsWith(`${metric} `));
  if (line === undefined) return { name, verdict: "silent", detail: "" };
  return { name, verdict: line.endsWith(" 1") ? "ready" : "not ready", detail: line };
}

/** The node's last line about the plan. */
export function ofLog(log: string, plan: string): Surface {
  const name = "log";
  const line = log.split("\n").findLast((each) => each.includes(`plan \\"${plan}\\" is scheduled`));
  if (line === undefined) return { name, verdict: "silent", detail: "" };
  const isReady = /staged ✓|: ready\b|✓/.test(line) && !/not ready/.test(line);
  return { name, verdict: isReady ? "ready" : "not ready", detail: line.slice(0, 300) };
}

const lineOf = ({ exit, stdout, stderr }: CommandEnd) => `exit ${exit}: ${(stdout || stderr).slice(0, 200)}`;
