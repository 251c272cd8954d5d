/** The status of a home's sidecar, for every command that reports it: of the one that runs, else what its files say. */

import type { Reached } from "../../decide/decision/decide.js";
import type { Plan } from "../../decide/decision/plan-file.js";
import { type NodeFacts, nodeFacts } from "../../decide/heights/node-facts.js";
import type { Machine } from "../../decide/machine.js";
import { isPending, lackingIn, NOT_READY_EXIT, verdictOf } from "../../decide/readiness.js";
import type { Settings } from "../../decide/settings.js";
import type { Readiness, VisorStatus } from "../../decide/status.js";
import { withUnseenPlan } from "../../decide/unseen-plan.js";
import { type Scheduled, type UpcomingPlans, upcomingPlans } from "../../stage/doctor/upcoming-plans.js";
import { planInState } from "../../stage/plan-in-state.js";
import { ofLastSupervisor } from "../../stage/start-command.js";
import { chainvisorOf } from "../../stage/supervision.js";
import { type Asked, type AskOptions, askStatus } from "../../status/ask.js";
import { socketPath } from "../../status/socket-path.js";
import { statusFromDisk } from "./from-disk.js";

/** For what the sidecar finds out at this moment. */
const PENDING_MILLIS_MAX = 30_000;
const LOOK_MILLIS = 250;

interface Sidecar {
  /** Undefined: it does not know yet. */
  readonly reached: Reached | undefined;
}

export interface FoundStatus {
  readonly status: VisorStatus;
  /** The plan that comes next, with what was found of it. */
  readonly scheduled: Scheduled | undefined;
  /** What the sidecar that runs has asked the node; undefined: none runs. */
  readonly sidecar: Sidecar | undefined;
  /** Of a sidecar that runs and does not respond: what it knows, nobody knows. */
  readonly silentPid?: string | undefined;
}

/** What the sidecar reports, with a plan of the state that it has not read yet; undefined: none runs, or it does not respond. */
export async function askSidecar(
  settings: Settings,
  machine: Pick<Machine, "files">,
  how: Omit<AskOptions, "socket"> = {},
): Promise<Asked | undefined> {
  const asked = await askStatus({ socket: socketPath(settings.root), ...how });
  if (!asked) return undefined;
  return { ...asked, status: withUnseenPlan(asked.status, await planInState(machine.files, settings)) };
}

/** A plan that was scheduled a moment ago is not reported as unknown: its program is tried within seconds. */
export async function askWhenJudged(
  settings: Settings,
  machine: Pick<Machine, "files" | "clock">,
  signal = new AbortController().signal,
): Promise<Asked | undefined> {
  const until = machine.clock.now() + PENDING_MILLIS_MAX;
  for (;;) {
    const asked = await askSidecar(settings, machine, { signal });
    const isAwaited = asked?.status.readiness.some(isPending) && !asked.status.rpc_failure;
    const isOver = !isAwaited || machine.clock.now() >= until;
    if (isOver || signal.aborted) return asked;
    await machine.clock.sleep(LOOK_MILLIS, signal);
  }
}

/** Waits for what the sidecar finds out at this moment. Never rejects. */
export async function statusOf(given: Settings, machine: Machine): Promise<FoundStatus> {
  const settings = ofLastSupervisor(machine.files, given);
  const asked = await askWhenJudged(settings, machine);
  if (asked) {
    const { status } = asked;
    const { height: last } = status;
    const reached = last ? { height: BigInt(last.value), source: last.source } : undefined;
    return { status, scheduled: scheduledIn(status), sidecar: { reached } };
  }
  const silentPid = chainvisorOf(settings);
  const status = await statusFromDisk(settings, machine, silentPid);
  return { status, scheduled: scheduledIn(status), sidecar: undefined, silentPid };
}

function scheduledIn({ plan, readiness }: VisorStatus): Scheduled | undefined {
  if (!plan) return undefined;
  const { name, height, info, origin } = plan;
  return { plan: { name, height: BigInt(height), info }, origin, readiness };
}

/**
 * The upgrades that are ahead, by the files, the state and the sidecar.
 * @param asked the plan that the node has scheduled; undefined: it was not asked, and the state of the home counts
 */
export async function upcomingOf(
  { sidecar, scheduled }: FoundStatus,
  settings: Settings,
  files: Machine["files"],
  asked?: Plan,
): Promise<UpcomingPlans & Pick<NodeFacts, "isOurs">> {
  const node = await nodeFacts({ files, settings, sidecar });
  const chain = asked ?? (await planInState(files, settings))?.plan;
  const { platform, arch } = process;
  const { isOurs } = node;
  return { ...upcomingPlans(files, settings, { platform, arch }, { scheduled, chain, node }), isOurs };
}

type Judged = Pick<FoundStatus, "status" | "silentPid">;

/** What keeps the node from being ready: also a sidecar that has failed, or does not respond. */
export function lackingOf({ status, silentPid }: Judged): readonly Readiness[] {
  const lacking = lackingIn(status);
  if (status.phase !== "failed" && silentPid === undefined) return lacking;
  const state = silentPid === undefined ? "wrong" : "unknown";
  return [{ what: "sidecar", state, detail: status.message, next: status.next[0] ?? null }, ...lacking];
}

/** Of a command that reports the status: the same for all of them. */
export const exitOf = ({ status, silentPid }: Judged): number =>
  silentPid !== undefined || verdictOf(status) === "not ready" ? NOT_READY_EXIT : 0;
