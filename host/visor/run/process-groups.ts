/**
 * Programs that a command runs and waits for, such as `pre-upgrade`. Each has a process group of its own, so it is stopped together with
 * the processes that it has started, also when this process is asked to stop.
 */
import type { ChildProcess } from "node:child_process";
import { constants } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { endApp } from "../decide/end-app.js";
import type { AppProcess, ProcessEnd } from "../decide/machine.js";
import { ownChildren } from "../decide/orphaned-processes.js";

/** Between SIGTERM and SIGKILL. */
const GRACE_MILLIS = 1_000;
/** Between two looks at what is left of a group. */
const LOOK_MILLIS = 20;
/** Signals by which a command is asked to stop. */
export const STOP_SIGNALS = ["SIGTERM", "SIGINT", "SIGQUIT", "SIGHUP"] as const;

const clock = {
  now: () => performance.now(),
  wall: () => Date.now(),
  sleep: (millis: number, signal?: AbortSignal) => sleep(millis, undefined, { signal }).catch(() => undefined),
};

interface Group extends AppProcess {
  /** Does any process of it run, its leader or another? */
  readonly isLeft: () => boolean;
}

const running = new Set<Group>();
let isListening = false;
let isStopping = false;

/**
 * Starts a process, with `detached`, and returns its group.
 * @throws whatever `start` throws; Error: this process was asked to stop
 */
export function startGroup(start: () => ChildProcess): { readonly child: ChildProcess; readonly group: Group } {
  if (isStopping) throw new Error("a signal stops this command");
  // Before the start: a signal that arrives between the two would end this process, and leave the program running.
  listen();
  const child = start();
  const group = groupOf(child);
  running.add(group);
  void group.ended.then(() => running.delete(group));
  return { child, group };
}

function groupOf(child: ChildProcess): Group {
  const { pid } = child;
  /** @returns whether there is a process to get it */
  const send = (signal: NodeJS.Signals | 0): boolean => {
    try {
      return pid !== undefined && process.kill(-pid, signal);
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === "EPERM";
    }
  };
  const kill = (signal: NodeJS.Signals) => void send(signal);
  return { pid, ended: endOf(child), isReady: false, call: () => undefined, kill, isLeft: () => send(0) };
}

/** For good: a signal that arrives together with the exit of the last program would be lost if nothing listened any more. */
function listen(): void {
  if (isListening) return;
  isListening = true;
  for (const signal of STOP_SIGNALS) process.on(signal, stopAll);
  process.on("exit", killAll);
}

/** SIGTERM, then SIGKILL for what is left after a second, also where the leader has exited before. */
export async function stopGroup(group: Group): Promise<void> {
  const until = clock.now() + GRACE_MILLIS;
  await endApp(group, { clock, signal: "SIGTERM", grace: GRACE_MILLIS });
  // If this process exits meanwhile, what is left is killed.
  running.add(group);
  while (group.isLeft() && clock.now() < until) await clock.sleep(LOOK_MILLIS);
  if (group.isLeft()) group.kill("SIGKILL");
  running.delete(group);
}

function killAll(): void {
  for (const group of running) group.kill("SIGKILL");
}

/** A command that listens for the signal itself stops its programs by its abort signal. Otherwise this process ends as by the signal. */
function stopAll(signal: NodeJS.Signals): void {
  if (isStopping || process.listenerCount(signal) > 1) return;
  // The command must not start another program meanwhile.
  isStopping = true;
  void Promise.all([...running].map(stopGroup)).then(() => endBySignal(signal));
}

/** Ends this process as the signal does without a listener. */
export function endBySignal(signal: NodeJS.Signals): never {
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
  // Process 1 of a container gets no signal that it does not listen for.
  process.exit(128 + constants.signals[signal]);
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
