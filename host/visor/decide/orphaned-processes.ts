/**
 * Processes that a sidecar has left running when it was killed. They are found by the environment that they were started with: a file
 * with their number would be missing where the sidecar was killed before it was written.
 */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { AppProcess, ProcessEnd } from "./machine.js";

/** Between two looks at a process that is no child. */
const LOOK_MILLIS = 20;

interface Found {
  readonly pid: number;
  readonly parent: string;
  /** With the pid it names one process for ever: pids are used again. */
  readonly startedAt: string;
}

/** Empty where there is no /proc: what still runs there keeps its lock on the home, and the next application is refused. */
export function left(variable: string, value: string): readonly AppProcess[] {
  const isThis = sameFolder(value);
  const valueIn = (pid: number) => environmentOf(pid).find((each) => each.startsWith(`${variable}=`));
  const marked = processIds().filter((pid) => isThis(valueIn(pid)?.slice(variable.length + 1)));
  const found = marked.flatMap((pid) => statOf(pid) ?? []);
  const pids = new Set(found.map(({ pid }) => String(pid)));
  // Process 1 is the parent of what others have left: so its own children are known by their numbers.
  return found.filter(({ pid, parent }) => !pids.has(parent) && !ownChildren.has(pid)).map(adopted);
}

/** A home has several names where links lead to it. */
function sameFolder(value: string): (other: string | undefined) => boolean {
  const own = identityOf(value);
  return (other) => other !== undefined && (other === value || (own !== undefined && identityOf(other) === own));
}

function identityOf(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev} ${ino}`;
  } catch {
    return undefined; // It is no folder of ours, whatever another process calls it.
  }
}

/** Processes of this sidecar that run, and are waited for where they were started. */
export const ownChildren = new Set<number>();

function processIds(): number[] {
  try {
    return readdirSync("/proc")
      .filter((name) => /^[0-9]+$/.test(name))
      .map(Number)
      .filter((pid) => pid !== process.pid);
  } catch {
    return [];
  }
}

/** Another user's cannot be read, and is none of ours. */
function environmentOf(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
  } catch {
    return [];
  }
}

/** Fields 3, 4 and 22; the name before them may hold anything. Undefined: it has ended. */
function statOf(pid: number): Found | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const [state = "", parent = ""] = fields;
    return state === "Z" || state === "X" ? undefined : { pid, parent, startedAt: fields[19] ?? "" };
  } catch {
    return undefined;
  }
}

function adopted({ pid, startedAt }: Found): AppProcess {
  const isThere = () => statOf(pid)?.startedAt === startedAt;
  const gone = async (): Promise<ProcessEnd> => {
    while (isThere()) await sleep(LOOK_MILLIS);
    return { exit: null, signal: null };
  };
  const kill = (signal: NodeJS.Signals) => {
    try {
      if (isThere()) process.kill(pid, signal);
    } catch {
      // It has ended since; `ended` is what counts.
    }
  };
  let ended: Promise<ProcessEnd> | undefined;
  return {
    ...{ pid, isReady: false, call: () => undefined, kill },
    // Looked for only where it is waited for.
    get ended() {
      ended ??= gone();
      return ended;
    },
  };
}
