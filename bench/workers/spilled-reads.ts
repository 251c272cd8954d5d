/**
 * Scans and gets in a branch after it has spilled nothing, ten times and a hundred times what it may hold in memory:
 * what a read costs must not grow with what was written before it.
 */
import type { CacheKVStore } from "../../host/state/branch/kv/cache-kv.js";
import type { Measured } from "../comparison.js";
import { openStores, putScattered, withDatabase, writeRecords } from "./records.js";

const PAIRS = 200_000;
const VALUE_BYTES = 1_000;
const KEY_BYTES = 32;
/** What a branch holds in memory before it spills. */
const SPILL_BYTES = 16 * 1_048_576;
const READS = 20_000;
const RUNS = [0, 10, 100];
/** Of a scan, beside one where nothing was spilled. */
const SCAN_RATIO_MAX = 2;

const count = Number(process.argv[2]);

/** Writes so much that the branch has spilled as many runs. */
function writeRuns(branch: CacheKVStore, from: number, to: number): void {
  const perRun = Math.ceil(SPILL_BYTES / (KEY_BYTES + VALUE_BYTES + 8));
  const key = new Uint8Array(KEY_BYTES);
  const value = new Uint8Array(VALUE_BYTES);
  for (let i = from * perRun; i < to * perRun; i++) {
    putScattered(key, 0, KEY_BYTES, PAIRS + i);
    value.fill(i);
    branch.set(key, value);
  }
}

/** Nanoseconds of processor time that each of many reads takes. */
function nanos(read: (key: Uint8Array) => void): number {
  const key = new Uint8Array(KEY_BYTES);
  const before = process.cpuUsage();
  for (let i = 0; i < READS; i++) {
    putScattered(key, 0, KEY_BYTES, Math.imul(i, 7_919) % PAIRS);
    read(key);
  }
  const { user, system } = process.cpuUsage(before);
  return ((user + system) * 1_000) / READS;
}

withDatabase((path) => {
  const before = openStores(path, ["a"]);
  writeRecords(before.store("a"), PAIRS);
  before.commit();
  before.close();
  const multiStore = openStores(path, ["a"]);
  const rows = new Map<string, Measured & { samples: number[] }>();
  for (let round = 0; round < count; round++) {
    const branch = multiStore.branch().store("a");
    const out = new Uint8Array(1_200);
    let written = 0;
    for (const runs of RUNS) {
      writeRuns(branch, written, runs);
      written = runs;
      const scan = nanos((start) => branch.scan({ start }).read(out));
      const get = nanos((key) => branch.get(key));
      const lack = nanos((key) => {
        key[31] = (key[31] as number) ^ 1;
        branch.get(key);
      });
      for (const [name, value] of Object.entries({ scan, get, "get of none": lack })) {
        const row = `${name} after ${runs}`;
        const limit = name === "scan" ? { ratioMax: SCAN_RATIO_MAX } : {};
        const measured = rows.get(row) ?? { row, unit: "ns", samples: [], against: `${name} after 0`, ...limit };
        measured.samples.push(value);
        rows.set(row, measured);
      }
    }
    branch.discard();
  }
  multiStore.close();
  process.stdout.write(JSON.stringify([...rows.values()]));
});
