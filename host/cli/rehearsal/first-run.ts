/** The run that is looked at closely, and the further ones that must come to the same. */
import { closeSync, openSync, writeSync } from "node:fs";
import { diskFailure } from "../../base/files/disk-errors.js";
import { equalBytes, toHex } from "../../base/text/bytes.js";
import { formatTime } from "../../base/time/time.js";
import type { Timestamp } from "../../base/types/types.js";
import type { App } from "../../chain/app/app.js";
import type { WasmHandler } from "../../upgrade/handler/handler.js";
import { UPGRADE_STORE } from "../../upgrade/module/upgrade-store.js";
import type { GasProfile } from "../../upgrade/test-kit/gas/gas-profile.js";
import { availableMemory, diskNeed } from "./block/machine-room.js";
import { askQueries } from "./block/module-queries.js";
import { watchPeakMemory } from "./block/peak-memory.js";
import { type BlockOptions, Rehearsal, type RehearsedBlock } from "./block/rehearse-block.js";
import { ChangeReader, type DescribedChange } from "./diff/described-change.js";
import { receiptJson, recordKinds } from "./diff/record-kinds.js";
import { storeChanges } from "./diff/store-changes.js";
import { changedByAgain } from "./idempotence.js";
import type { RehearseOptions } from "./rehearse-options.js";
import type { CheckList } from "./report/checks.js";
import type { MadeRun, RunResults } from "./run-results.js";

export interface RunFacts {
  readonly options: RehearseOptions;
  readonly block: BlockOptions;
  /** Loaded, its block not made. */
  readonly rehearsal: Rehearsal;
  /** Of the first run. */
  readonly time: Timestamp;
  /** Of all runs, that one first. */
  readonly times: readonly Timestamp[];
  readonly checks: CheckList;
  readonly profile: GasProfile | undefined;
  /** The one that runs; undefined: a function of the program. */
  readonly handler: WasmHandler | undefined;
}

const RUNS_DEFAULT = 2;
const SHOWN_DEFAULT = 5;

/** @throws Halt; UpgradeError as the block ends with */
export async function firstRun(facts: RunFacts): Promise<RunResults> {
  const { rehearsal, time, profile } = facts;
  const { app } = rehearsal;
  const nextEnd = app.nextEndTime;
  const validatorsBefore = app.validators?.length ?? 0;
  const available = availableMemory();
  const peak = watchPeakMemory();
  const block = closing(peak, () => rehearsal.run(time));
  const memory = { peak: peak.bytes, available };
  const disk = diskNeed(facts.block.home, block);
  const validators = { before: validatorsBefore, after: app.validators?.length ?? 0 };
  const diff = changesOf(facts, block);
  const { height } = facts.block.place;
  const queries = await askQueries({ app, genesis: facts.block.state.genesis, height, time });
  const more = furtherRuns(facts, block);
  judgeIdempotence(facts, block);
  const { reading } = rehearsal;
  return { block, profile, ...diff, queries, validators, disk, memory, ...more, nextEnd, reading };
}

function closing<T>(peak: { close(): void }, work: () => T): T {
  try {
    return work();
  } finally {
    peak.close();
  }
}

function changesOf(
  { options, block: { core, place } }: RunFacts,
  { app, result }: RehearsedBlock,
): Pick<RunResults, "changes" | "shown" | "changedPairs" | "diffFile"> {
  const [before, after] = [app.multiStore.at(place.height - 1n), app.multiStore.at(place.height)];
  const reader = new ChangeReader(recordKinds(app.chain, core));
  const shown: DescribedChange[] = [];
  const inStore = new Map<string, number>();
  const file = options.diff === undefined ? undefined : new LineFile(options.diff);
  let changedPairs = 0;
  try {
    const renamed = result.applied?.handler.storeUpgrades.renamed ?? [];
    const changes = storeChanges(before, after, { renamed }, (store, change) => {
      changedPairs++;
      const count = (inStore.get(store) ?? 0) + 1;
      inStore.set(store, count);
      const isShown = count <= (options.shown ?? SHOWN_DEFAULT);
      if (!isShown && !file) return;
      const described = reader.describe(store, change);
      if (isShown) shown.push(described);
      file?.write(described);
    });
    file?.finish();
    return { changes, shown, changedPairs, diffFile: options.diff };
  } finally {
    file?.close();
  }
}

/** The same block again, at other times. What may differ is the gas of reading the time, and the receipt that names it. */
function furtherRuns(
  { options, block, times, checks }: RunFacts,
  { app, appHash, millis, time }: RehearsedBlock,
): Pick<RunResults, "runs" | "dependsOnTime"> {
  const first: MadeRun = { time, appHash, millis, effect: effectOf(app, block.place.plan.name) };
  const wanted = options.runs ?? RUNS_DEFAULT;
  if (wanted < 2 || times.length < 2) {
    for (const name of ["determinism", "time"] as const) checks.notChecked(name, "the block was made once: --runs 2");
    return { runs: [first], dependsOnTime: undefined };
  }
  const runs = [first, ...times.slice(1, wanted).map((each) => againAt(block, each))];
  const other = runs.find(({ effect }) => effect !== first.effect);
  if (!other) {
    checks.passed("determinism");
    checks.passed("time");
    return { runs, dependsOnTime: false };
  }
  // At another time another effect is no chance; at the same time it is.
  const again = againAt(block, time);
  if (equalBytes(again.appHash, appHash)) checks.passed("determinism");
  else checks.found("determinism", PARTED);
  checks.found(
    "time",
    `the state after a block of ${formatTime(other.time)} is another one than after ${formatTime(time)}`,
  );
  return { runs: [...runs, again], dependsOnTime: true };
}

const PARTED = "the same block on the same state came to two app hashes: validators would part at this height";

function againAt(block: BlockOptions, time: Timestamp): MadeRun {
  const rehearsal = new Rehearsal({ ...block, log: () => undefined });
  try {
    const { app, appHash, millis } = rehearsal.run(time);
    return { time, appHash, millis, effect: effectOf(app, block.place.plan.name) };
  } finally {
    rehearsal.close();
  }
}

/** The state after the block, but for the gas in its receipt. */
function effectOf(app: App, plan: string): string {
  const { stores } = app.at();
  const roots = stores.names
    .filter((name) => name !== UPGRADE_STORE)
    .map((name) => [name, toHex(stores.rootHash(name))]);
  const receiptKey = toHex(app.keeper.core.receiptKey(plan));
  const pairs = [...stores.store(UPGRADE_STORE).iterate()].map(([key, value]) => {
    const bytes = toHex(key);
    return [bytes, bytes === receiptKey ? { ...(receiptJson(value) as object), gas: "" } : toHex(value)];
  });
  return JSON.stringify([roots, pairs]);
}

function judgeIdempotence(facts: RunFacts, made: RehearsedBlock): void {
  const { options, handler, checks } = facts;
  if (!options.isIdempotent) {
    checks.notChecked("idempotence", "nobody has declared that the handler may run twice: --idempotent");
  } else if (handler) checkAgain(facts, made, handler);
  else checks.notChecked("idempotence", "the handler is a function of the program, which runs in its block alone");
}

function checkAgain({ block, time, checks }: RunFacts, made: RehearsedBlock, handler: WasmHandler): void {
  const facts = { handler, time, chainId: block.state.genesis.chainId, height: block.place.height };
  const changed = changedByAgain(made, block.place.plan, block.core, facts);
  if (changed === undefined) checks.passed("idempotence");
  else checks.found("idempotence", changed);
}

/** Lines of JSON, written a block at a time. */
class LineFile {
  readonly #file: number;
  #lines: string[] = [];
  #length = 0;

  /** @throws UpgradeError UPG_STORE_IO, UPG_STORE_FULL */
  constructor(private readonly path: string) {
    this.#file = this.#mapped(() => openSync(path, "w", 0o644));
  }

  write(line: object): void {
    const text = `${JSON.stringify(line)}\n`;
    this.#lines.push(text);
    this.#length += text.length;
    if (this.#length > 1_048_576) this.finish();
  }

  finish(): void {
    const bytes = Buffer.from(this.#lines.join(""));
    this.#lines = [];
    this.#length = 0;
    for (let done = 0; done < bytes.length; ) done += this.#mapped(() => writeSync(this.#file, bytes, done));
  }

  close(): void {
    closeSync(this.#file);
  }

  #mapped<T>(work: () => T): T {
    try {
      return work();
    } catch (cause) {
      throw diskFailure("write", `cannot write ${this.path}`, this.path, cause);
    }
  }
}
