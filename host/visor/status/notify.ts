/**
 * What systemd is notified of, where it started the sidecar (`Type=notify`, `NotifyAccess=all`). Node.js has no datagram sockets of
 * this kind, so `systemd-notify` sends it, one message after the other. Nothing waits for it.
 */
import type { Machine } from "../decide/machine.js";
import type { Phase, StatusBoard, VisorStatus } from "../decide/status.js";

/** While it is in one of these, a start may take long: an upgrade's block, a copy of the data. */
const LONG: ReadonlySet<Phase> = new Set(["halted", "backing up", "switching", "migrating", "downloading"]);
const EXTEND_MILLIS = 20_000;
const EXTEND_MICROS = 3 * EXTEND_MILLIS * 1_000;
const SEND_MILLIS = 5_000;
const MICROS_PER_MILLI = 1_000;

export interface NotifyOptions {
  readonly machine: Machine;
  readonly board: StatusBoard;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

/** Returns what ends it. */
export function notifySystemd(options: NotifyOptions): () => Promise<void> {
  if (!options.env["NOTIFY_SOCKET"]) return () => Promise.resolve();
  const notify = new Notify(options);
  const endListening = options.board.onChange((status) => notify.show(status));
  const over = new AbortController();
  notify.keepUp(over.signal);
  return async () => {
    endListening();
    over.abort();
    await notify.send("STOPPING=1");
  };
}

class Notify {
  #last: Promise<void> = Promise.resolve();
  #line = "";
  #isReady = false;

  constructor(private readonly options: NotifyOptions) {}

  show(status: VisorStatus): void {
    const line = statusLine(status);
    if (line === this.#line) return;
    this.#line = line;
    const isReady = status.program !== null && !this.#isReady;
    this.#isReady ||= isReady;
    void this.send(...(isReady ? ["READY=1"] : []), `STATUS=${line}`);
  }

  /** The watchdog, and more time in what takes long. */
  keepUp(signal: AbortSignal): void {
    const { clock } = this.options.machine;
    const watchdog = Number(this.options.env["WATCHDOG_USEC"] ?? 0) / MICROS_PER_MILLI;
    const each = async (millis: number, words: () => string[]) => {
      while (!signal.aborted) {
        const found = words();
        if (found.length > 0) void this.send(...found);
        await clock.sleep(millis, signal);
      }
    };
    if (watchdog > 0) void each(watchdog / 2, () => ["WATCHDOG=1"]);
    const isLong = () => LONG.has(this.options.board.current.phase);
    void each(EXTEND_MILLIS, () => (isLong() ? [`EXTEND_TIMEOUT_USEC=${EXTEND_MICROS}`] : []));
  }

  send(...words: string[]): Promise<void> {
    const { machine, env, cwd } = this.options;
    this.#last = this.#last.then(async () => {
      await machine.processes.run("systemd-notify", { args: words, env, cwd, millisMax: SEND_MILLIS });
    });
    return this.#last;
  }
}

function statusLine({ phase, plan, message }: VisorStatus): string {
  const what = plan ? `${phase}: "${plan.name}" at height ${plan.height}` : phase;
  return (message === "" ? what : `${what}: ${message}`).replaceAll(/\s+/g, " ");
}
