/** Waits for a program that runs, however long it takes: reminds of it, and reports that another file has taken its place. */
import { fingerprint } from "../../node/programs/layout.js";
import type { Clock } from "./machine.js";

const LOOK_MILLIS = 250;

export interface ProgramWaitOptions {
  readonly clock: Pick<Clock, "sleep">;
  /** Between two reminders. */
  readonly reminderMillis: number;
  /** @param passed milliseconds since the work began */
  readonly onReminder: (passed: number) => void;
  /** The program's file, and what is called when another one is in its place, and whole. Default: nothing looks for one. */
  readonly replacement?: { readonly file: string; readonly onReplaced: () => void };
}

/** Settles as `work` does. */
export async function waitForProgram<T>(work: Promise<T>, options: ProgramWaitOptions): Promise<T> {
  const { replacement } = options;
  const over = new AbortController();
  void remind(options, over.signal);
  // A file that cannot be looked at is not another one.
  if (replacement) lookForOther(replacement, options.clock, over.signal).catch(() => undefined);
  try {
    return await work;
  } finally {
    over.abort();
  }
}

async function remind({ clock, reminderMillis, onReminder }: ProgramWaitOptions, over: AbortSignal): Promise<void> {
  for (let passed = reminderMillis; ; passed += reminderMillis) {
    await clock.sleep(reminderMillis, over);
    if (over.aborted) return;
    onReminder(passed);
  }
}

/** One that is being copied is another one at the next look. */
async function lookForOther(
  { file, onReplaced }: NonNullable<ProgramWaitOptions["replacement"]>,
  clock: Pick<Clock, "sleep">,
  over: AbortSignal,
): Promise<void> {
  const before = fingerprint(file);
  for (let seen = before; ; ) {
    await clock.sleep(LOOK_MILLIS, over);
    if (over.aborted) return;
    const found = fingerprint(file);
    if (found !== undefined && found !== before && found === seen) return onReplaced();
    seen = found;
  }
}
