/** The status in the text format of Prometheus. By hand: the node's client for it is 3 MB, and the sidecar is to start at once. */

import { VERSION } from "../../base/terminal/version.js";
import { visible } from "../../base/text/visible.js";
import { isUnderWay, verdictOf } from "../decide/readiness.js";
import type { Phase, VisorStatus, VisorTotals } from "../decide/status.js";
import { PHASE_WORDS } from "./status-text.js";

export interface MetricsFacts {
  readonly status: VisorStatus;
  readonly totals: VisorTotals;
  readonly lastHaltSeconds: number | undefined;
  /** Free bytes of a folder's disk, by what the folder is for; those that are not known are left out. */
  readonly diskFree: readonly (readonly [folder: "home" | "backup", bytes: number])[];
  /** Milliseconds since 1970. */
  readonly now: number;
}

type Labels = Readonly<Record<string, string>>;
type Sample = readonly [labels: Labels, value: number | string];

interface Family {
  readonly name: string;
  readonly type: "gauge" | "counter";
  readonly help: string;
  readonly samples: readonly Sample[];
}

const PREFIX = "chain_upgrade_sidecar_";

export function metricsText(facts: MetricsFacts): string {
  const families = [...stateFamilies(facts), ...planFamilies(facts), ...workFamilies(facts)];
  return families.map(familyText).join("");
}

function stateFamilies({ status }: MetricsFacts): Family[] {
  const { phase, since, program, height } = status;
  const phases = Object.keys(PHASE_WORDS) as Phase[];
  return [
    gauge("build_info", "1, with the sidecar's version.", [[{ version: VERSION }, 1]]),
    gauge(
      "phase",
      "1 for the phase that the sidecar is in, 0 for the others.",
      phases.map((each) => [{ phase: each }, each === phase ? 1 : 0]),
    ),
    gauge("phase_since_timestamp_seconds", "Since when it is in this phase.", [[{}, Date.parse(since) / 1_000]]),
    gauge(
      "program_info",
      "1, with the program that runs, or runs next.",
      program ? [[{ name: program.name, file: program.file }, 1]] : [],
    ),
    gauge("program_running", "1 while the application has a process.", [[{}, (program?.pid ?? null) === null ? 0 : 1]]),
    gauge(
      "height",
      "The last height that is known to be committed, by where it was read.",
      height ? [[{ source: height.source }, height.value]] : [],
    ),
  ];
}

function planFamilies({ status, now }: MetricsFacts): Family[] {
  const { plan, eta, readiness } = status;
  const name = { name: plan?.name ?? "" };
  const left = plan && eta ? [eta] : [];
  return [
    gauge("plan_info", "1 while a plan is scheduled.", plan ? [[{ ...name, origin: plan.origin }, 1]] : []),
    gauge("plan_height", "Height of the plan that is scheduled.", plan ? [[name, plan.height]] : []),
    gauge(
      "left_seconds",
      "Seconds until the plan's height.",
      left.map(({ seconds }) => [name, seconds]),
    ),
    gauge(
      "left_plus_minus_seconds",
      "The ± of it.",
      left.map(({ plus_minus }) => [name, plus_minus]),
    ),
    gauge(
      "estimated_timestamp_seconds",
      "When the plan's height is reached.",
      left.map(({ seconds }) => [name, Math.round(now / 1_000 + seconds)]),
    ),
    gauge(
      "ready",
      "1 when the node is ready for the plan: nothing is missing, wrong or unknown.",
      plan && !isUnderWay(status) ? [[name, verdictOf(status) === "ready" ? 1 : 0]] : [],
    ),
    gauge(
      "readiness",
      "1, for each thing that the plan needs, with its state and the command that comes next.",
      plan ? readiness.map(({ what, state, next }) => [{ ...name, what, state, next: next ?? "" }, 1]) : [],
    ),
  ];
}

function workFamilies({ status, totals, lastHaltSeconds, diskFree }: MetricsFacts): Family[] {
  const { progress, upgrades, restarts } = status;
  const what = { what: progress?.what ?? "" };
  return [
    gauge("progress_done", "What is done of the work under way.", progress ? [[what, progress.done]] : []),
    gauge("progress_total", "All of it; absent: not known.", progress?.total ? [[what, progress.total]] : []),
    counter("upgrades_total", "Switches to another version since the sidecar began.", upgrades),
    counter("restarts_total", "Starts of the application after it crashed.", restarts),
    counter("download_bytes_total", "Bytes that were downloaded.", totals.downloadBytes),
    counter("backup_bytes_total", "Bytes that were backed up.", totals.backupBytes),
    gauge(
      "last_halt_seconds",
      "From the end of the application at an upgrade's height until it made blocks again, of the last upgrade.",
      lastHaltSeconds === undefined ? [] : [[{}, lastHaltSeconds]],
    ),
    gauge(
      "disk_free_bytes",
      "Bytes that are free on the disk of a folder.",
      diskFree.map(([folder, bytes]) => [{ folder }, bytes]),
    ),
  ];
}

const gauge = (name: string, help: string, samples: readonly Sample[]): Family => ({
  name,
  type: "gauge",
  help,
  samples,
});
const counter = (name: string, help: string, value: number): Family => ({
  ...{ name, type: "counter", help },
  samples: [[{}, value]],
});

function familyText({ name, type, help, samples }: Family): string {
  const lines = samples.map(([labels, value]) => `${PREFIX}${name}${labelsText(labels)} ${value}\n`);
  return `# HELP ${PREFIX}${name} ${help}\n# TYPE ${PREFIX}${name} ${type}\n${lines.join("")}`;
}

/** What others wrote must not end the line: what does not show is written as its number before. */
function labelsText(labels: Labels): string {
  const parts = Object.entries(labels).map(([name, value]) => {
    const text = visible(value).replaceAll("\\", "\\\\").replaceAll('"', '\\"');
    return `${name}="${text}"`;
  });
  return parts.length === 0 ? "" : `{${parts.join(",")}}`;
}
