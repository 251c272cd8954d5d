/** What the doctor looks at with, and what it says. */
import type { Files } from "../../../base/files/files.js";
import type { Plan } from "../../decide/decision/plan-file.js";
import type { NodeFacts } from "../../decide/heights/node-facts.js";
import type { ReadSettings } from "../../decide/settings/read.js";
import type { Scheduled } from "./upcoming-plans.js";

/** `wrong`: an upgrade would fail, or the node does not start. `warning`: it may be meant. */
export type Level = "ok" | "warning" | "wrong";

export interface Finding {
  readonly level: Level;
  /** What was looked at, in a word or two. */
  readonly what: string;
  /** In words, with the file. */
  readonly detail: string;
  /** A command to paste, or a setting; null: nothing to do. */
  readonly next: string | null;
}

export interface Patient {
  readonly files: Files;
  readonly read: ReadSettings;
  /** Node's names of this machine. */
  readonly platform: string;
  readonly arch: string;
  /** Unit files that the operator named; undefined: those of the system are searched. */
  readonly units: readonly string[] | undefined;
  /** Why the application would not start, or not make the plan's block, as a unit starts it; by unit file. */
  readonly unitStarts?: ReadonlyMap<string, readonly string[]> | undefined;
  /** That runs on the home; undefined: none runs, or it was not asked. */
  readonly sidecar?: object | undefined;
  /** Why the sidecar that runs does not know whether the chain has scheduled an upgrade; undefined: it knows, or none runs. */
  readonly unread?: { readonly detail: string; readonly next: string } | undefined;
  /** The plan that comes next, by the sidecar that runs, else by the state of the home. */
  readonly scheduled?: Scheduled | undefined;
  /** The plan that the state of the home holds. */
  readonly chain?: Plan | undefined;
  /** Why no chain begins with the genesis document; undefined: one does, or the home has blocks. */
  readonly genesis?: string | undefined;
  /** The plan of the current program, read before the node's height; null: none; undefined: it is read now. */
  readonly linked?: Plan | null | undefined;
  /** Undefined: its height was not looked at. */
  readonly node?: NodeFacts | undefined;
}

export const ok = (what: string, detail: string): Finding => ({ level: "ok", what, detail, next: null });

export const warning = (what: string, detail: string, next: string | null = null): Finding => ({
  level: "warning",
  ...{ what, detail, next },
});

export const wrong = (what: string, detail: string, next: string | null = null): Finding => ({
  level: "wrong",
  ...{ what, detail, next },
});
