/**
 * Does a handler's memory stay as it is, however many pairs a scan has? There is no garbage collector, and 32 MiB are soon
 * full: a handler that passes on a hundred pairs can fail on a million. So each scan is handed the scene's pairs again and again,
 * in one instance, with what it wrote dropped after each round, and the pages of its memory are watched.
 */

import { isUpgradeError } from "../../base/errors/errors.js";
import { prefixEnd } from "../../base/text/bytes.js";
import { memoryBounds } from "../handler/run/full-memory.js";
import type { RunObserver } from "../handler/run/run-position.js";
import { PAGE_BYTES } from "../wasm/limits.js";

import { RepeatingStores, ResettableStores } from "./repeated-stores.js";
import type { SceneRunner } from "./run.js";
import type { StandardCheck } from "./standard-check.js";

/** A leak of 16 bytes, the least that AssemblyScript allocates, grows the memory of a new handler by then. */
export const MEMORY_PAIRS = 50_000;
/** About a second of a normal handler's work. */
const GAS_MAX = 10_000_000_000n;
const MIB = 1_048_576;

interface Growth {
  /** Pairs that were consumed, and bytes of memory before it grew. */
  readonly pairs: number;
  readonly bytes: number;
}

/** Ends a run from outside. */
class Enough extends Error {}

/** How the memory grows over the pairs of one scan, all of them seen once before. */
class ScanWatch {
  readonly growths: Growth[] = [];
  /** Pairs that were handed out. */
  pairs = 0;
  /** The code that a pair handed out again ended the run with. */
  end = "";
  #pages = 0;

  constructor(
    private readonly scan: number,
    private readonly round: number,
    private readonly pairsMax: number,
  ) {}

  run(runner: SceneRunner): void {
    const stores = new ResettableStores(runner.base);
    const observer: RunObserver = {
      onBatch: (scan, consumed, pages) => {
        if (scan === this.scan) this.#look(stores, consumed, pages);
      },
    };
    const base = new RepeatingStores(runner.base, this.scan);
    try {
      runner.call(stores, { base, observer, batchBytes: 1, gasLimit: GAS_MAX });
    } catch (error) {
      if (isUpgradeError(error)) this.end = error.code;
      else if (!(error instanceof Enough)) throw error;
    }
  }

  #look(stores: ResettableStores, consumed: number, pages: number): void {
    if (consumed === 0) stores.hold();
    else if (consumed % this.round === 0) stores.reset();
    this.pairs = consumed;
    // Buffers may grow to the longest pair: in the first round.
    if (consumed > this.round && pages > this.#pages) {
      this.growths.push({ pairs: consumed, bytes: this.#pages * PAGE_BYTES });
    }
    this.#pages = pages;
    if (this.growths.length === 2 || consumed >= this.pairsMax) throw new Enough();
  }

  /** Bytes a pair: between two growths, when the memory was full each time; after one, at most. 0: none was seen. */
  get bytesPerPair(): number {
    const [first, second] = this.growths;
    if (!first) return 0;
    if (!second) return Math.ceil(first.bytes / first.pairs);
    return Math.round((second.bytes - first.bytes) / (second.pairs - first.pairs));
  }
}

/** @param pairsMax pairs of each scan, the scene's again and again */
export function checkMemory(runner: SceneRunner, pairsMax: number): StandardCheck {
  const name = "memory";
  const { handler, scene } = runner;
  const watches = handler.manifest.scans.flatMap(({ store, prefix }, scan) => {
    const range = prefix && { start: prefix, end: prefixEnd(prefix) };
    const round = [...runner.base.store(store).iterate(range)].length;
    return round === 0 ? [] : [{ store, scan, watch: new ScanWatch(scan, round, Math.max(pairsMax, 3 * round)) }];
  });
  for (const { watch } of watches) watch.run(runner);
  const growing = watches.filter(({ watch }) => watch.bytesPerPair > (scene.bytesPerPair ?? 0));
  const most = memoryBounds(handler).max;
  if (growing.length > 0) return { name, ok: false, message: growing.map((each) => growthText(each, most)).join("; ") };
  return { name, ok: true, message: flatText(watches.map(({ watch }) => watch)) };
}

interface Watched {
  readonly store: string;
  readonly scan: number;
  readonly watch: ScanWatch;
}

function growthText({ store, scan, watch: { bytesPerPair, growths } }: Watched, most: number): string {
  const about = growths.length === 1 ? "at most " : "";
  const full = `${most / MIB} MiB are full after about ${Math.floor(most / bytesPerPair)} pairs`;
  return `scan ${scan} of store "${store}" grows ${about}${bytesPerPair} bytes a pair: ${full}; make once what is used for every pair`;
}

function flatText(watches: readonly ScanWatch[]): string {
  if (watches.length === 0) return "no scan has a pair to look at";
  const grown = watches.filter(({ bytesPerPair }) => bytesPerPair > 0);
  if (grown.length > 0)
    return `grows ${Math.max(...grown.map(({ bytesPerPair }) => bytesPerPair))} bytes a pair, as the scene allows`;
  const ended = watches.find(({ end }) => end !== "" && end !== "UPG_MIGRATION_OUT_OF_GAS");
  const pairs = `over ${Math.min(...watches.map((watch) => watch.pairs))} pairs`;
  return ended ? `flat ${pairs}; a pair that comes again ends the run with ${ended.end}` : `flat ${pairs}`;
}
