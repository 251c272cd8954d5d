/**
 * Programs that a command runs and waits for, such as `pre-upgrade`. Each has a process group of its own, so it is stopped together with
 * the processes that it has started, also when this process is asked to stop.
 */
import type { ChildProcess } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { endApp } from "../sidecar/end-app.js";
import { ownChildren } from "../sidecar/left-processes.js";
import type { AppProcess, ProcessEnd } from "../sidecar/machine.js";

/** Between SIGTERM and SIGKILL. */
const GRACE_MILLIS = 1_000;
const SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

const clock = {
  now: () => performance.now(),
  wall: () => Date.now(),
  sleep: (millis: number, signal?: AbortSignal) => sleep(millis, undefined, { signal }).catch(() => undefined),
};

const running = new Set<AppProcess>();

/**
 * Starts a process, with `detached`, and returns its group.
 * @throws whatever `start` throws
 */
export function startGroup(start: () => ChildProcess): { readonly child: ChildProcess; readonly group: AppProcess } {
  // Before the start: a signal that arrives between the two would end this process, and leave the program running.
  listen();
  let child: ChildProcess;
  try {
    child = start();
  } catch (error) {
    stopListening();
    throw error;
  }
  const group = groupOf(child);
  running.add(group);
  void group.ended.then(() => {
    running.delete(group);
    stopListening();
  });
  return { child, group };
}

function groupOf(child: ChildProcess): AppProcess {
  const { pid } = child;
  const kill = (signal: NodeJS.Signals) => {
    try {
      if (pid !== undefined) process.kill(-pid, signal);
    } catch {
      // No process of the group is left.
    }
  };
  return { pid, ended: endOf(child), isReady: false, call: () => undefined, kill };
}

function listen(): void {
  if (running.size > 0) return;
  for (const signal of SIGNALS) process.on(signal, stopAll);
  process.on("exit", killAll);
}

function stopListening(): void {
  if (running.size > 0) return;
  for (const signal of SIGNALS) process.off(signal, stopAll);
  process.off("exit", killAll);
}

/** SIGTERM, then SIGKILL for what is left after a second. */
export async function stopGroup(group: AppProcess): Promise<void> {
  await endApp(group, { clock, signal: "SIGTERM", grace: GRACE_MILLIS });
  group.kill("SIGKILL");
}

function killAll(): void {
  for (const group of running) group.kill("SIGKILL");
}

/** A command that listens for the signal itself stops its programs by its abort signal. Otherwise this process ends as by the signal. */
function stopAll(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return;
  // Kept until the end: the command must not start another program meanwhile.
  void Promise.all([...running].map(stopGroup)).then(() => {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

export function endOf(child: ChildProcess): Promise<ProcessEnd> {
  const { pid } = child;
  if (pid !== undefined) ownChildren.add(pid);
  return new Promise((resolve) => {
    child.on("error", (error) => pid === undefined && resolve({ exit: null, signal: null, error }));
    child.once("exit", (exit, signal) => {
      if (pid !== undefined) ownChildren.delete(pid);
      resolve({ exit, signal });
    });
  });
}
