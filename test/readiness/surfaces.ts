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

/** Silent: no plan is known, or no sidecar runs that reports something. */
export function ofStatus(end: CommandEnd): Surface {
  const name = "status";
  try {
    const { phase, plan, readiness, next } = JSON.parse(end.stdout) as StatusJson;
    const isSilent = plan === null && phase !== "failed";
    const open = readiness.filter(({ state }) => state !== "ready").map(({ what, state }) => `${what} ${state}`);
    const detail = `exit ${end.exit}, ${phase}: ${open.join(", ")}${next.length ? ` next: ${next.join("; ")}` : ""}`;
    return { name, verdict: isSilent ? "silent" : end.exit === 0 ? "ready" : "not ready", detail };
  } catch {
    return { name, verdict: "silent", detail: lineOf(end) };
  }
}

interface StatusJson {
  readonly phase: string;
  readonly plan: object | null;
  readonly readiness: readonly { readonly what: string; readonly state: string }[];
  readonly next: readonly string[];
}

export function ofDoctor(end: CommandEnd): Surface {
  return { name: "doctor", verdict: end.exit === 0 ? "ready" : "not ready", detail: lineOf(end) };
}

export function ofExit(name: string, end: CommandEnd, noPlan: number): Surface {
  const verdict = end.exit === 0 ? "ready" : end.exit === noPlan ? "silent" : "not ready";
  return { name, verdict, detail: `exit ${end.exit}` };
}

/** It exits with 0 where no plan is scheduled, too. */
export function ofPrepare(end: CommandEnd): Surface {
  const surface = ofExit("prepare", end, NO_STATUS);
  return surface.verdict === "ready" && /"plan":\s*null/.test(end.stdout) ? { ...surface, verdict: "silent" } : surface;
}

const NO_STATUS = -1;

export function ofMetric(name: string, text: string | undefined, metric: string): Surface {
  const value = sampleOf(text, metric);
  if (value === undefined) return { name, verdict: "silent", detail: "" };
  return { name, verdict: value === 1 ? "ready" : "not ready", detail: `${metric} ${value}` };
}

/** Of the first sample with this name, or with this name and these labels. */
function sampleOf(text: string | undefined, metric: string): number | undefined {
  const line = text?.split("\n").find((each) => each.startsWith(`${metric}{`) || each.startsWith(`${metric} `));
  return line === undefined ? undefined : Number(line.slice(line.lastIndexOf(" ")));
}

/** The node's last line about the plan. */
export function ofLog(log: string, plan: string): Surface {
  const name = "log";
  const line = log.split("\n").findLast((each) => each.includes(`plan \\"${plan}\\" is scheduled`));
  if (line === undefined) return { name, verdict: "silent", detail: "" };
  const isReady = /staged ✓|: ready\b|✓/.test(line) && !/not ready/.test(line);
  return { name, verdict: isReady ? "ready" : "not ready", detail: line.slice(0, 300) };
}

/** The sidecar's page, by its heading, which has the phase. */
export function ofPage(html: string | undefined): Surface {
  const name = "page";
  const [, phase = "", heading = ""] = /<h1 class="([^"]*)">([^<]*)/.exec(html ?? "") ?? [];
  const isSilent = phase === "" || phase === "running";
  return { name, verdict: isSilent ? "silent" : phase === "ready" ? "ready" : "not ready", detail: heading };
}

/** Rules of docs/prometheus-alerts.yml that call somebody before the height, by the samples of now: how long they last is left out. */
export function ofAlerts(sidecar: string | undefined, node: string | undefined): Surface {
  const ready = sampleOf(sidecar, "chain_upgrade_sidecar_ready");
  const hasTimeLeft = (sampleOf(sidecar, "chain_upgrade_sidecar_left_seconds") ?? 0) < DAY_SECONDS;
  const firing = [
    ...(ready === 0 && hasTimeLeft ? ["UpgradeNotReady"] : []),
    ...(sampleOf(node, "chain_upgrade_binary_ready") === 0 && ready !== 1 ? ["UpgradeHandlerMissing"] : []),
    ...(sampleOf(sidecar, 'chain_upgrade_sidecar_phase{phase="failed"}') === 1 ? ["UpgradeSidecarFailed"] : []),
    ...(sidecar === undefined ? ["SidecarGone"] : []),
    ...(node === undefined ? ["NodeGone"] : []),
  ];
  return { name: "alerts", verdict: firing.length > 0 ? "not ready" : "ready", detail: firing.join(", ") };
}

const DAY_SECONDS = 86_400;

const lineOf = ({ exit, stdout, stderr }: CommandEnd) => `exit ${exit}: ${(stdout || stderr).slice(0, 200)}`;
