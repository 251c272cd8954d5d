/** Everything that `doctor` looks at on a home, for every command that reports it. */
import { nodeFacts } from "../../decide/heights/node-facts.js";
import type { Machine, RunEnd } from "../../decide/machine.js";
import { isUnderWay } from "../../decide/readiness.js";
import type { ReadSettings } from "../../decide/settings/read.js";
import type { Readiness } from "../../decide/status.js";
import { unreadPlan } from "../../decide/unseen-plan.js";
import { linkedPlan } from "../../stage/current-link.js";
import { examine } from "../../stage/doctor/doctor.js";
import type { Finding } from "../../stage/doctor/finding.js";
import { unusableGenesis } from "../../stage/doctor/genesis-file.js";
import { unitStarts } from "../../stage/doctor/unit-starts.js";
import { planInState } from "../../stage/plan-in-state.js";
import { wasStopped } from "../../stage/probe.js";
import { ofLastSupervisor } from "../../stage/start-command.js";
import { type FoundStatus, statusOf } from "./status-of.js";

interface ExaminedHome {
  readonly found: FoundStatus;
  readonly findings: readonly Finding[];
}

/** @param units unit files that the operator named; undefined: those of the system are searched */
export async function examineHome(
  given: ReadSettings,
  real: Machine,
  units?: readonly string[],
): Promise<ExaminedHome> {
  const machine = withoutSecondWait(real);
  const read = { ...given, settings: ofLastSupervisor(real.files, given.settings) };
  const { platform, arch } = process;
  const { files } = machine;
  // Before the height: a sidecar may switch at any moment, and it reports the height that it knew before.
  const before = linkedPlan(files, read.settings);
  const found = await statusOf(read.settings, machine);
  const linked = isUnderWay(found.status) ? null : before;
  const { sidecar, scheduled } = found;
  const node = await nodeFacts({ files, settings: read.settings, sidecar });
  const chain = (await planInState(files, read.settings))?.plan;
  const starts = await unitStarts({ read, machine, units, plan: scheduled?.plan.name });
  const unread = unreadPlan(found.status);
  const patient = {
    files,
    read,
    platform,
    arch,
    units,
    sidecar,
    scheduled,
    chain,
    node,
    linked,
    genesis: await unusableGenesis(read.settings, machine, node),
    unread,
    unitStarts: starts,
  };
  return { found, findings: examine(patient) };
}

/** A command that was stopped at its time limit is not run again, with other variables either: each run would take as long. */
function withoutSecondWait({ processes, ...rest }: Machine): Machine {
  const stopped = new Map<string, RunEnd>();
  const run: Machine["processes"]["run"] = async (file, options) => {
    // Its path may have the link `current` in it.
    const command = JSON.stringify([printOf(rest.files, file), options.args]);
    const end = stopped.get(command) ?? (await processes.run(file, options));
    if (wasStopped(end)) stopped.set(command, end);
    return end;
  };
  return { ...rest, processes: { ...processes, run } };
}

function printOf(files: Machine["files"], file: string): string {
  try {
    return files.facts(file)?.print ?? file;
  } catch {
    return file;
  }
}

/** The same for a warning: what makes the node not ready is no warning besides. */
export const unsaid = (findings: readonly Finding[], lacking: readonly Readiness[]): Finding[] =>
  findings.filter(({ level, detail }) => level !== "warning" || !lacking.some((each) => each.detail === detail));

/** One thing is reported once, by the finding that has its words. */
export const isSaidIn = (findings: readonly Finding[], detail: string): boolean =>
  findings.some((each) => each.level === "wrong" && each.detail.includes(detail));
