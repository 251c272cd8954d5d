/** Work of another program, which may take any time: the log says that it is waited for, and a file that replaces it is noticed. */
import { setTimeout as sleep } from "node:timers/promises";
import { fingerprint } from "../../node/programs/layout.js";

/** Between two log lines. */
export const SAY_MILLIS = 15_000;
const LOOK_MILLIS = 250;

export interface Patience {
  readonly file: string;
  /** @param passed since the work began, such as `30 s` */
  readonly say: (passed: string) => void;
  /** Another file is in its place, and whole. */
  readonly replaced: () => void;
}

/** Settles as `work` does. */
export async function withPatience<T>(work: Promise<T>, { file, say, replaced }: Patience): Promise<T> {
  const over = new AbortController();
  const begun = performance.now();
  const timer = setInterval(() => say(`${Math.round((performance.now() - begun) / 1_000)} s`), SAY_MILLIS);
  // A file that cannot be looked at is not another one.
  untilReplaced(file, over.signal).then(
    (isReplaced) => isReplaced && replaced(),
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
