/** Waits for another program, however long it takes: reminds of it, and reports that another file has taken its place. */
import { setTimeout as sleep } from "node:timers/promises";
import { fingerprint } from "../../node/programs/layout.js";

/** Between two log lines. */
export const REMINDER_MILLIS = 15_000;
const LOOK_MILLIS = 250;

export interface ProgramWaitOptions {
  readonly file: string;
  /** @param passed since the work began, such as `30 s` */
  readonly onReminder: (passed: string) => void;
  /** Another file is in its place, and whole. */
  readonly onReplaced: () => void;
}

/** Settles as `work` does. */
export async function waitForProgram<T>(
  work: Promise<T>,
  { file, onReminder, onReplaced }: ProgramWaitOptions,
): Promise<T> {
  const over = new AbortController();
  const begun = performance.now();
  const timer = setInterval(() => onReminder(`${Math.round((performance.now() - begun) / 1_000)} s`), REMINDER_MILLIS);
  // A file that cannot be looked at is not another one.
  untilReplaced(file, over.signal).then(
    (isReplaced) => isReplaced && onReplaced(),
    () => undefined,
  );
  try {
    return await work;
  } finally {
    clearInterval(timer);
    over.abort();
  }
}

/** False: `signal` came first. One that is being copied is another one at the next look. */
async function untilReplaced(file: string, signal: AbortSignal): Promise<boolean> {
  const before = fingerprint(file);
  for (let seen = before; ; ) {
    await sleep(LOOK_MILLIS, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return false;
    const found = fingerprint(file);
    if (found !== undefined && found !== before && found === seen) return true;
    seen = found;
  }
}
