/** Unit files of systemd that run a sidecar on this home: values with which an upgrade goes wrong in the night. */
import { join } from "node:path";
import type { Files } from "../../programs/files.js";
import { decodeLossy } from "../../text.js";
import { type Finding, ok, type Patient, warning, wrong } from "./finding.js";
import { NO_RESTART, stopSeconds } from "./unit-file.js";

const FOLDERS = ["/etc/systemd/system", "/usr/lib/systemd/system", "/lib/systemd/system"];
const BYTES_MAX = 262_144;

export function unitFindings(patient: Patient): Finding[] {
  const units = patient.units ?? ownUnits(patient);
  const named = units.flatMap((file) => {
    const text = textOf(patient.files, file);
    return text === undefined ? [wrong("unit", `${file} is missing`)] : findingsOf(file, text, patient);
  });
  if (units.length > 1) {
    return [
      ...named,
      warning("unit", `several unit files run a sidecar on this home: ${units.join(", ")}; one of them may run`),
    ];
  }
  return named;
}

/** Those that name the home and a sidecar. */
function ownUnits({ files, read }: Patient): string[] {
  const { home } = read.settings;
  return FOLDERS.flatMap((folder) =>
    (files.list(folder) ?? []).filter((name) => name.endsWith(".service")).map((name) => join(folder, name)),
  ).filter((file) => {
    const text = textOf(files, file) ?? "";
    return /^ExecStart=.*(chainvisor|cosmovisor)/m.test(text) && text.includes(home);
  });
}

/** Undefined: there is none, or it cannot be read. */
function textOf(files: Files, file: string): string | undefined {
  try {
    const bytes = files.read(file, BYTES_MAX);
    return bytes && decodeLossy(bytes);
  } catch {
    return undefined;
  }
}

function findingsOf(file: string, text: string, { read }: Patient): Finding[] {
  const last = (key: string) => [...text.matchAll(new RegExp(`^${key}=(.*)$`, "gm"))].at(-1)?.[1]?.trim();
  if (/^ExecStart=.*cosmovisor/m.test(text))
    return [warning("unit", `${file} runs Cosmovisor on this home: one sidecar may run`, "chainvisor service")];
  const problems: string[] = [];
  const least = stopSeconds(read.settings);
  const stop = seconds(last("TimeoutStopSec") ?? "90");
  if (stop < least)
    problems.push(`TimeoutStopSec is ${stop} s: systemd kills the node before it has ended (at least ${least})`);
  if (last("KillMode") !== "mixed") problems.push("KillMode is not mixed: the node gets each signal twice");
  const prevented = (last("RestartPreventExitStatus") ?? "").split(/\s+/);
  const missing = NO_RESTART.filter((status) => !prevented.includes(String(status)));
  if (missing.length > 0)
    problems.push(`RestartPreventExitStatus lacks ${missing.join(" ")}: systemd restarts what cannot go on`);
  if (last("Type") === "notify" && last("NotifyAccess") !== "all") {
    problems.push("NotifyAccess is not all: systemd does not hear that the node runs");
  }
  if (last("Restart") === "always")
    problems.push("Restart is always: a node that was ended on purpose is started again");
  if (problems.length === 0) return [ok("unit", file)];
  return problems.map((text) => wrong("unit", `${file}: ${text}`, "chainvisor service"));
}

const UNIT_SECONDS: Readonly<Record<string, number>> = {
  ms: 0.001,
  s: 1,
  sec: 1,
  min: 60,
  m: 60,
  h: 3600,
  hr: 3600,
  d: 86_400,
};

/** `90`, `30min`, `1h 30min`, `infinity`; what cannot be read counts as long enough. */
function seconds(text: string): number {
  if (text === "infinity" || text === "0") return Number.POSITIVE_INFINITY;
  const parts = [...text.matchAll(/([0-9.]+)\s*([a-z]*)/g)];
  return parts.reduce((sum, [, count, unit]) => sum + Number(count) * (UNIT_SECONDS[unit || "s"] ?? Infinity), 0);
}
