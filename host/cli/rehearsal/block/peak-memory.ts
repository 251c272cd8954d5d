/**
 * The most memory that a piece of work takes, pages of files left out: those that LMDB maps are the system's to take back,
 * and `maxRSS` counts them. The kernel keeps no such peak, so a thread looks every few milliseconds while the work blocks.
 */
import { readFileSync } from "node:fs";
import { Worker } from "node:worker_threads";

const LOOK_MILLIS = 5;
const STATUS_FILE = "/proc/self/status";
const RSS_ANON = /^RssAnon:\s+(\d+) kB$/m;
const KIB = 1_024;

const LOOK = `
const { workerData: { memory, file, millis } } = require("node:worker_threads");
const { readFileSync } = require("node:fs");
const peak = new Int32Array(memory);
setInterval(() => {
  const kib = Number(${RSS_ANON}.exec(readFileSync(file, "utf8"))?.[1] ?? 0);
  if (kib > Atomics.load(peak, 0)) Atomics.store(peak, 0, kib);
}, millis);
`;

export interface PeakMemory {
  /** Bytes. */
  readonly bytes: number;
  close(): void;
}

/** Where the system does not say it (it is Linux that does), the peak of everything that is mapped. */
export function watchPeakMemory(): PeakMemory {
  if (anonymousKib() === 0) {
    return {
      get bytes() {
        return process.resourceUsage().maxRSS * KIB;
      },
      close: () => undefined,
    };
  }
  const memory = new SharedArrayBuffer(4);
  const peak = new Int32Array(memory);
  const workerData = { memory, file: STATUS_FILE, millis: LOOK_MILLIS };
  const worker = new Worker(LOOK, { eval: true, workerData, name: "peak-memory" });
  worker.unref();
  return {
    get bytes() {
      return Math.max(Atomics.load(peak, 0), anonymousKib()) * KIB;
    },
    close: () => void worker.terminate(),
  };
}

function anonymousKib(): number {
  try {
    return Number(RSS_ANON.exec(readFileSync(STATUS_FILE, "utf8"))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
