/** The application, as the relay sees it: a process that serves, and ends. */
import type { Socket } from "node:net";
import type { Program } from "../../node/programs/layout.js";
import type { Plan } from "../decide/decision/plan-file.js";
import type { ProcessEnd } from "../decide/machine.js";
import { programEnd, TOO_OLD_EXIT, UPGRADE_NEEDED_EXIT } from "../decide/program-end.js";
import type { LastBlock } from "./abci-message.js";

/** A shell's status of a program that a signal ended is 128 and more. */
const SIGNALED_EXIT = 128;

export interface Worker {
  readonly program: Program;
  readonly pid: number | undefined;
  /** Settles when it is gone; never rejects. */
  readonly ended: Promise<ProcessEnd>;
  /** Waits until it serves, and asks where its chain is. Undefined: it ends. @throws UpgradeError UPG_REMOTE_REFUSED */
  lastBlock(): Promise<LastBlock | undefined>;
  /** The plan that is scheduled; undefined: none. @throws Error: it cannot be asked */
  plan(): Promise<Plan | undefined>;
  /** @throws Error: it does not serve, or not any more */
  connect(): Promise<Socket>;
  /** Asks it to end, and ends it when it does not. */
  stop(): Promise<ProcessEnd>;
}

/** What its end asks for. */
export type EndKind = "upgrade" | "too-old" | "again" | "crash" | "final";

/** Judges by the exit status. A worker that somebody else stopped is started again. */
export function kindOfEnd({ exit, signal, error }: ProcessEnd): EndKind {
  if (error) return "final";
  if (signal !== null || exit === null || exit >= SIGNALED_EXIT) return "crash";
  if (exit === UPGRADE_NEEDED_EXIT) return "upgrade";
  if (exit === TOO_OLD_EXIT) return "too-old";
  if (programEnd(exit, undefined)?.remedy === "again") return "again";
  return exit === 0 || exit === 15 ? "crash" : "final";
}

export function describeWorkerEnd({ exit, signal, error }: ProcessEnd): string {
  if (error) return `could not be started: ${error.message}`;
  return signal ? `ended by ${signal}` : `ended with ${exit}`;
}
