/**
 * The next program, started in the last blocks before its height and held back (base/terminal/standby.ts): at the height nothing but
 * opening the home is left to do. Both kinds of switch use it. A program that does not fit by then is stopped, and started as any other.
 */
import type { Files } from "../../base/files/files.js";
import type { Height } from "../../base/types/types.js";
import { fingerprint, type Program } from "../../node/programs/layout.js";

/** Before the height: so many blocks, and as many as are made in such a time where that is more. */
const BLOCKS = 30;
const MILLIS = 60_000;
/** Two looks may have a block between them and no time: a pace needs some. */
const PACE_MILLIS_MIN = 10_000;

/** A program that is to be started at a height. */
export interface UpcomingProgram {
  readonly program: Program;
  /** Of its first block. */
  readonly at: Height;
  /** Of the node that runs. */
  readonly height: Height;
  /** With which it is started. */
  readonly args: readonly string[];
}

export interface StandbyOptions<P> {
  readonly files?: Files;
  readonly now: () => number;
  /** Is everything in order with the program, as its file is now? Where not, it is asked again at the next look. */
  readonly isChecked: (program: Program) => boolean;
  /** Asked once for a file and its arguments: may it be started before its height? */
  readonly isStartable: (upcoming: UpcomingProgram) => Promise<boolean>;
  readonly start: (upcoming: UpcomingProgram) => P;
  /** It has not opened the home: nothing is lost. */
  readonly stop: (process: P) => Promise<unknown>;
}

interface StandbyProcess {
  /** It is held back, and has said so. */
  readonly isReady: boolean;
  /** Never rejects. */
  readonly ended: Promise<unknown>;
}

export class StandbyProgram<P extends StandbyProcess> {
  #waiting: { readonly key: string; readonly process: P } | undefined;
  /** File and arguments of the last attempt, whatever came of it. */
  #tried = "";
  /** The last attempt found that it may be started. */
  #isStartable = false;
  #last: { readonly at: number; readonly height: Height } | undefined;
  #window = BLOCKS;
  #isClosed = false;

  constructor(private readonly options: StandbyOptions<P>) {}

  /** After a block. Settles when the program was asked, which may take its time. @param upcoming undefined: none is known */
  async look(upcoming: UpcomingProgram | undefined): Promise<void> {
    const key = upcoming && this.#keyOf(upcoming.program, upcoming.args);
    if (!upcoming || (this.#waiting && this.#waiting.key !== key)) void this.drop();
    if (!upcoming || key === undefined || key === this.#tried || !this.#isNear(upcoming)) return;
    const { isChecked, isStartable, start } = this.options;
    if (!isChecked(upcoming.program)) return;
    this.#tried = key;
    this.#isStartable = false;
    const isAllowed = await isStartable(upcoming);
    // Its height came meanwhile, or nobody needs it any more.
    if (!isAllowed || this.#isClosed || this.#tried !== key) return;
    this.#isStartable = true;
    const waiting = { key, process: start(upcoming) };
    this.#waiting = waiting;
    void waiting.process.ended.then(() => {
      if (this.#waiting === waiting) this.#waiting = undefined;
    });
  }

  /** The process that waits, where it is this program with these arguments: it is the caller's from now on. */
  take(program: Program, args: readonly string[]): P | undefined {
    const waiting = this.#waiting;
    if (!waiting?.process.isReady || waiting.key !== this.#keyOf(program, args)) return undefined;
    this.#waiting = undefined;
    this.#isStartable = false;
    return waiting.process;
  }

  /** Does this program wait for its height? */
  isWaiting({ file }: Program): boolean {
    return this.#waiting?.process.isReady === true && this.#waiting.key.startsWith(`${file}\0`);
  }

  /** Was the program, as its file is now, asked in the last blocks, and may it be started? */
  isAsked(program: Program): boolean {
    const key = this.#keyOf(program, []);
    return this.#isStartable && key !== undefined && `${this.#tried}\0`.startsWith(`${key}\0`);
  }

  /** Settles when none waits any more. */
  async drop(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    this.#tried = "";
    this.#isStartable = false;
    if (waiting) await this.options.stop(waiting.process);
  }

  close(): Promise<void> {
    this.#isClosed = true;
    return this.drop();
  }

  #keyOf({ file }: Program, args: readonly string[]): string | undefined {
    const print = fingerprint(file, this.options.files);
    return print === undefined ? undefined : [file, print, ...args].join("\0");
  }

  #isNear({ at: next, height }: UpcomingProgram): boolean {
    const at = this.options.now();
    const last = this.#last;
    if (!last || at - last.at > MILLIS) this.#last = { at, height };
    else if (at - last.at >= PACE_MILLIS_MIN)
      this.#window = Math.max(BLOCKS, (Number(height - last.height) * MILLIS) / (at - last.at));
    return Number(next - height) <= this.#window;
  }
}
