/** Runs a node until it halts, is asked to stop, or has made as many blocks as it was asked for. */

import { setTimeout as sleep } from "node:timers/promises";
import { messageOf, type UpgradeError } from "../../base/errors/errors.js";
import { formatTime } from "../../base/time/time.js";
import { type HaltRecord, haltRecord, withFacts } from "../../upgrade/module/halt.js";
import { wallClock } from "../embedded/clock.js";
import type { MadeBlock } from "../embedded/embedded-node.js";
import { somethingToDo, TIMER_MILLIS_MAX } from "../embedded/idle.js";
import { removeHaltRecord, writeHaltRecord } from "../home/halt-file.js";
import type { Home } from "../home/home.js";
import { localReceipt, writeLocalReceipt } from "../home/local-receipt.js";
import { supervisedStart } from "../home/supervised-start.js";
import type { OpenHome } from "./open-home.js";
import type { OpenNode } from "./open-node.js";

export interface RunOptions {
  /** Receives a description of each problem after which the node goes on. */
  readonly onWarning: (message: string) => void;
  /** Milliseconds between blocks; 0: as fast as they can be made. */
  readonly blockMillis: number;
  /** False: a block is made only when it has something to do. */
  readonly emptyBlocks?: boolean;
  /** Stop after this many; undefined: go on. */
  readonly maxBlocks?: number;
  readonly signal: AbortSignal;
  /** A block is about to be made. */
  readonly onBegin?: () => void;
  readonly onBlock: (block: MadeBlock) => void;
}

type Warned = Pick<RunOptions, "onWarning">;

/**
 * Makes blocks; returns when it was asked to stop.
 *
 * @throws Halt; UpgradeError
 *
 * @example
 * const chain = defineChain({ name: "notesd", modules: [auth(), bank(), staking(), gov(), upgrade()] });
 * const open = openNode({ chain, home: "home", clock: logicalClock(1_000_000_000n), log: () => undefined });
 * const { signal } = new AbortController();
 * await runNode(open, { blockMillis: 0, maxBlocks: 2, signal, onBlock: () => undefined, onWarning: console.log });
 * console.log(open.node.nextHeight); // → 3n
 * open.close();
 */
export async function runNode({ home, node }: Pick<OpenNode, "home" | "node">, options: RunOptions): Promise<void> {
  const pace = new Pace(options.blockMillis);
  for (let made = 0; made !== options.maxBlocks && !options.signal.aborted; made++) {
    if (options.emptyBlocks === false) await somethingToDo(node, options.signal);
    if (options.signal.aborted) return;
    pace.begin();
    options.onBegin?.();
    const block = node.makeBlock();
    if (made === 0) orWarn(options, "halt.json is out of date", () => removeHaltRecord(home));
    keepLocalReceipt(home, block, options);
    options.onBlock(block);
    // Even without a pause the process must receive signals, and the servers their clients.
    await pause(pace.left(), options.signal);
  }
}

/** As long as it says, also beyond what one timer counts; shorter when it is asked to stop. */
async function pause(millis: number, signal: AbortSignal): Promise<void> {
  for (let left = millis; ; left -= TIMER_MILLIS_MAX) {
    await sleep(Math.min(left, TIMER_MILLIS_MAX), undefined, { signal }).catch(() => undefined);
    if (left <= TIMER_MILLIS_MAX || signal.aborted) return;
  }
}

/**
 * Blocks by a clock that nobody sets: the machine's may go back by days, and a node would wait as long. A block that came
 * late takes its lateness from the pause that follows, not from all that follow.
 */
class Pace {
  #due = 0;

  constructor(private readonly blockMillis: number) {}

  begin(): void {
    const now = performance.now();
    if (now - this.#due > this.blockMillis) this.#due = now;
  }

  /** Milliseconds until the next one. */
  left(): number {
    this.#due += this.blockMillis;
    return Math.max(0, this.#due - performance.now());
  }
}

function keepLocalReceipt(home: Home, block: MadeBlock, options: Warned): void {
  const { applied, appHash } = block.result;
  if (!applied) return;
  const { milliseconds, appHashBefore } = block;
  const { height } = block.stored.header;
  orWarn(options, "the local receipt could not be written", () =>
    writeLocalReceipt(home, localReceipt({ applied, height, milliseconds, appHashBefore, appHash })),
  );
}

/** Exit statuses from here on are ends of a node, with a record; the rest are mistakes of the caller. */
export const RECORDED_FROM = 10;

/** Writes `halt.json` and gives the record, also when the disk refuses it; the caller prints it. */
export function recordHalt(held: OpenHome, error: UpgradeError, options: Warned): HaltRecord {
  const time = formatTime(wallClock.after({ seconds: 0n, nanos: 0 }));
  const { duePlan, lastUpgrade } = held.storedPlans();
  const { home, chain, startFlags } = held;
  const record = haltRecord(withFacts(error, lastUpgrade), {
    ...{ ...held.position(), duePlan, time, home: home.path, program: chain.name, startFlags },
    ...supervisedStart(),
  });
  orWarn(options, "halt.json could not be written", () => writeHaltRecord(home, record));
  return record;
}

/** What is done beside a block that is durable, or an end that is final, is worth a warning when it fails. */
function orWarn({ onWarning }: Warned, what: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    onWarning(`${what}: ${messageOf(error)}`);
  }
}
