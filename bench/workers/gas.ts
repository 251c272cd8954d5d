/**
 * What a gas of each thing takes, beside a gas of split-balances, all in this one process: picoseconds of processor time.
 * Writes are measured with their commit. The arguments: keys of the large store; a part
 * of the names of the rows that are wanted.
 */
import { mkdtempSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { concatBytes } from "../../host/base/text/bytes.js";
import type { KVStore, VersionMap } from "../../host/base/types/types.js";
import { writeU32 } from "../../host/base/wire/u32.js";
import { WireWriter } from "../../host/base/wire/wire.js";
import { OP_PUT } from "../../host/state/branch/kv/frames.js";
import { LmdbDatabase } from "../../host/state/store/disk/lmdb-database.js";
import { CommitMultiStore } from "../../host/state/store/versions/commit-multi-store.js";
import { loadHandler, type WasmHandler } from "../../host/upgrade/handler/handler.js";
import { type HandlerReport, runHandler } from "../../host/upgrade/handler/run/sandbox.js";
import { largestHandler } from "../../test/guest/bombs/bombs.js";
import { SHAPES, type Shape } from "../../test/guest/bombs/shapes.js";
import { build, guest, IN } from "../../test/guest/build.js";
import type { Measured } from "../comparison.js";
import { type GasGuest, gasGuests, spilledScan } from "../gas/guests.js";
import { sha256 } from "./records.js";

/** What everything is measured against. */
const NORMAL = "split-balances";
const LARGE = Number(process.argv[2]);
const SMALL = 1_000;
const ACCOUNTS = 100_000;
const VALUE_BYTES = 32;
/** A run that is spilled holds so much here: what a run costs does not depend on its size. */
const RUN_BYTES = 262_144;
const ROUNDS = 3;
const GAS_LIMIT = 1_000_000_000_000n;

interface Sample {
  readonly row: string;
  readonly gas: number;
  readonly nanoseconds: number;
}

const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-gas-"));
const log = openSync(join(folder, "log"), "w");
let opened = 0;

function open(path: string, names: readonly string[], branchBytes?: number): CommitMultiStore {
  const options = branchBytes === undefined ? { sha256 } : { sha256, branchBytes };
  const stores = new CommitMultiStore(new LmdbDatabase(path), options);
  stores.mount(...names);
  stores.loadLatestVersion();
  return stores;
}

/** Keys of four bytes, scattered. */
function fill(store: KVStore, count: number): void {
  const frame = FRAME_BYTES;
  const frames = new Uint8Array(1_000 * frame);
  for (let done = 0; done < count; done += 1_000) {
    for (let i = 0; i < 1_000; i++) {
      const at = i * frame;
      writeU32(frames, at, ((OP_PUT << 30) | 4) >>> 0);
      writeU32(frames, at + 4, VALUE_BYTES);
      writeU32(frames, at + 8, Math.imul(done + i, 0x9e37_79b1) >>> 0);
    }
    store.writeFrames(frames);
  }
}

function cpu(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) * 1_000;
}

function run(handler: WasmHandler, stores: CommitMultiStore, versionMap: VersionMap, commit: boolean): HandlerReport {
  const branch = stores.branch();
  const report = runHandler(handler, {
    chainId: "bench-1",
    height: 7n,
    time: { seconds: 1n, nanos: 0 },
    planBytes: new Uint8Array(0),
    versionMap,
    stores: branch,
    base: stores,
    gasLimit: GAS_LIMIT,
    log: (level, msg) => writeSync(log, `${JSON.stringify({ level, time: Date.now(), plan: "v2", msg })}\n`),
    progress: () => undefined,
  });
  if (commit) {
    branch.write();
    stores.commit();
  } else branch.discard();
  return report;
}

/** The normal handler, from its scan to the commit. */
function splitBalances(): Sample {
  const handler = loadHandler(readFileSync("build/examples/split-balances.wasm"), { sha256 });
  const samples = Array.from({ length: ROUNDS }, () => {
    const path = join(folder, `normal-${opened++}.mdb`);
    const stores = open(
      path,
      handler.manifest.stores.map(({ name }) => name),
    );
    for (let i = 0; i < ACCOUNTS; i++) stores.store("auth").set(...account(i));
    stores.commit();
    const versions = [...handler.manifest.versions].filter(([, { from }]) => from);
    const versionMap = new Map(versions.map(([name, { from }]) => [name, BigInt(from?.[0] ?? 0)]));
    let report: HandlerReport | undefined;
    const nanoseconds = cpu(() => {
      report = run(handler, stores, versionMap, true);
    });
    stores.close();
    return { row: NORMAL, gas: Number(report?.gas), nanoseconds };
  });
  return best(samples);
}

function account(index: number): [key: Uint8Array, value: Uint8Array] {
  const address = new Uint8Array(20);
  for (let i = 0; i < 20; i += 4) writeU32(address, i, Math.imul(index + i, 0x9e37_79b1) >>> 0);
  const coin = new WireWriter()
    .string(1, "ustake")
    .string(2, String(1_000_000 + index))
    .finish();
  const value = new WireWriter()
    .bytes(1, address)
    .int(3, BigInt(index + 2))
    .message(16, coin)
    .finish();
  return [concatBytes(Uint8Array.of(1), address), value];
}

/** Whatever else the machine does only ever makes a round longer. */
function best(samples: readonly Sample[]): Sample {
  return samples.reduce((least, each) => (each.nanoseconds / each.gas < least.nanoseconds / least.gas ? each : least));
}

const FRAME_BYTES = 8 + 4 + VALUE_BYTES;
/** Bytes of a batch that handler_batch takes. */
const TAKEN = {
  whole: "(local.get $len)",
  one: `(if (result i32) (local.get $len) (then (i32.add (i32.const 8)
    (i32.add (i32.load (i32.const ${IN})) (i32.load (i32.const ${IN + 4}))))) (else (i32.const 0)))`,
};
const STORES = { small: SMALL, large: LARGE, none: 0 };
/** The last of the locals that a guest of this bench declares. */
const Z = "(local $z i32)";
/** Puts of 64 KiB, four to a run, that come before all that is there. */
const spill = (runs: number) => `(loop $spill
  (i32.store (i32.const 32) (i32.shl (local.get $z) (i32.const 8)))
  (drop (call $set (i32.const 0) (i32.const 32) (i32.const 5) (i32.const 131072) (i32.const ${RUN_BYTES / 4})))
  (br_if $spill (i32.lt_u (local.tee $z (i32.add (local.get $z) (i32.const 1))) (i32.const ${runs * 4}))))`;

function measured({ name, parts, store = "none", spilled, writes = false, scans, cold = false }: GasGuest): Sample {
  const path = join(folder, `${store}.mdb`);
  const manifest = {
    stores: [{ name: store, access: "rw" }],
    ...(scans ? { scans: [{ store }] } : {}),
  };
  const batch = scans ? { batch: `(i32.store (i32.const 262144) ${TAKEN[scans]}) (i32.const 4)` } : {};
  const load = (run: string) => loadHandler(build(guest({ ...parts, ...batch, run }), manifest), { sha256 });
  const body = parts.run ?? "(i32.const 0)";
  const handler = load(spilled ? body.replace(Z, `${Z} ${spill(spilled)}`) : body);
  const samples: Sample[] = [];
  for (let round = 0; round < (writes || spilled !== undefined ? 2 : ROUNDS); round++) {
    const stores = open(path, [store], spilled === undefined ? undefined : RUN_BYTES);
    if (!cold) run(loadHandler(build(guest(), { stores: manifest.stores }), { sha256 }), stores, new Map(), false);
    const without = spilled
      ? costOf(() => run(load(spillOnly(spilled)), stores, new Map(), false))
      : { gas: 0, nanoseconds: 0 };
    const whole = costOf(() => run(handler, stores, new Map(), writes));
    samples.push({ row: name, gas: whole.gas - without.gas, nanoseconds: whole.nanoseconds - without.nanoseconds });
    stores.close();
  }
  return best(samples);
}

const spillOnly = (runs: number) => `${Z} ${spill(runs)} (i32.const 0)`;

function costOf(work: () => HandlerReport): { gas: number; nanoseconds: number } {
  let gas = 0;
  const nanoseconds = cpu(() => {
    gas = Number(work().gas);
  });
  return { gas, nanoseconds };
}

/** The dearest files to load that are taken, from their bytes to the end of a run that does nothing. */
function loading(name: string, locals: number): Sample {
  const bytes = largestHandler(SHAPES[name] as Shape, locals);
  const stores = open(join(folder, "none.mdb"), ["none"]);
  const whole = costOf(() => run(loadHandler(bytes, { sha256 }), stores, new Map(), false));
  stores.close();
  return { row: `loading: ${name}`, ...whole };
}

/** A scan of a handler that has spilled so much may take so many times what one takes that has spilled nothing. */
const SPILLED_RATIO_MAX = 2;
/** Of the rule of thumb in docs/gas.md: a billion gas of a normal handler is a tenth of a second, up to twice that; of any, one. */
const NORMAL_MILLISECONDS_MAX = 200;
const WORST_MILLISECONDS_MAX = 1_000;

/** What is due besides the limit of all rows. Picoseconds of a gas are milliseconds of a billion. */
function* rules(rows: readonly Measured[]): Iterable<Measured> {
  const scan = (runs: number) => rows.find(({ row }) => row === spilledScan(runs));
  const [none, most] = [scan(0), scan(100)];
  if (none && most) {
    const row = "store_scan, 100 runs spilled, beside none";
    yield { ...most, row, against: none.row, ratioMax: SPILLED_RATIO_MAX };
  }
  const billion = (row: string, each: Measured, valueMax: number): Measured => {
    return { row: `a billion gas: ${row}`, unit: "ms", samples: [Math.min(...each.samples)], valueMax };
  };
  const [normal, ...others] = rows as [Measured, ...Measured[]];
  yield billion(NORMAL, normal, NORMAL_MILLISECONDS_MAX);
  const worst = [normal, ...others].reduce((a, b) => (Math.min(...b.samples) > Math.min(...a.samples) ? b : a));
  yield billion("the worst", worst, WORST_MILLISECONDS_MAX);
}

/** Picoseconds of a gas, for bench/comparison.ts. */
function shown({ row, gas, nanoseconds }: Sample): Measured {
  const samples = [(nanoseconds / gas) * 1_000];
  return { row, unit: "ps/gas", samples, ...(row === NORMAL ? {} : { against: NORMAL }) };
}

try {
  for (const [name, count] of Object.entries(STORES)) {
    const stores = open(join(folder, `${name}.mdb`), [name]);
    fill(stores.store(name), count);
    stores.commit();
    stores.close();
  }
  const normal = splitBalances();
  const only = process.argv[3];
  const guests = gasGuests(LARGE).filter(({ name }) => only === undefined || name.includes(only));
  const loads = only === undefined ? [loading("ifs, a local changed in each", 8), loading("calls", 0)] : [];
  const rows = [normal, ...guests.map(measured), ...loads].map(shown);
  process.stdout.write(JSON.stringify([...rows, ...rules(rows)]));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
