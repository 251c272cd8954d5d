/**
 * The status in the form of a node's own `/chain/upgrade/v1/status`, which the verification page reads: for as long as the node
 * is silent, the page shows what the sidecar knows. Texts that may have a path of this machine in them are left out.
 */

import { decodeLossy } from "../../base/text/text.js";
import type { HaltRecord } from "../../upgrade/module/halt.js";
import { servedHalt } from "../../upgrade/module/halt-served.js";
import type { Machine } from "../decide/machine.js";
import type { Phase } from "../decide/status.js";
import type { Shown } from "./view.js";

const HALT_BYTES_MAX = 1_048_576;
/** Not known, or no block was made: the page then shows no last block. */
const NO_HEIGHT = "0";

/** Phases that the page knows. */
const FORMS: Readonly<Record<Phase, "running" | "waiting" | "halted" | "migrating" | "failed">> = {
  starting: "running",
  running: "running",
  waiting: "waiting",
  downloading: "waiting",
  ready: "waiting",
  halted: "halted",
  "backing up": "halted",
  switching: "halted",
  migrating: "migrating",
  stopped: "halted",
  failed: "failed",
};

export function nodeForm({ status }: Shown, halt: HaltRecord | undefined, home: string): object {
  const { phase, plan, height, progress } = status;
  return {
    unproven: "what the supervisor of this node says: nothing of it is proven, and the node itself does not respond",
    ...{ phase: FORMS[phase], supervisor_phase: phase, height: height?.value ?? lastCommitted(halt) ?? NO_HEIGHT },
    ...{ block_time: null, block_seconds: [], last_upgrade: null },
    plan: plan && { name: plan.name, height: plan.height, info: plan.info },
    progress: progress && {
      ...{ phase: progress.what, store: "", done: Number(progress.done), total: Number(progress.total ?? 0) },
      stages: [],
    },
    halt: halt && (FORMS[phase] === "halted" || FORMS[phase] === "failed") ? servedHalt(halt, home, []) : null,
  };
}

/** A record that another program wrote may have anything there. */
function lastCommitted(halt: HaltRecord | undefined): string | undefined {
  const text: unknown = halt?.last_committed_height;
  return typeof text === "string" && /^[0-9]{1,16}$/.test(text) ? text : undefined;
}

/** The record of a home of this project's programs; undefined: there is none that can be read. */
export function haltRecordOf(home: string, files: Machine["files"]): HaltRecord | undefined {
  try {
    const bytes = files.read(`${home}/data/halt.json`, HALT_BYTES_MAX);
    const record = bytes && (JSON.parse(decodeLossy(bytes)) as Partial<HaltRecord>);
    const isWhole =
      typeof record?.code === "string" && typeof record.message === "string" && typeof record.next === "string";
    return isWhole ? ({ ...record, commands: record.commands ?? [] } as HaltRecord) : undefined;
  } catch {
    return undefined;
  }
}
