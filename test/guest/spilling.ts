/** Runs handlers that write much in processes of their own, and watches their memory from outside. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build as bundle } from "esbuild";
import type { SpillLimits } from "../../host/state/store/disk/lmdb-spill.js";
import { build, type GuestParts, guest, type ManifestSource } from "./build.js";
import { IMPORTS } from "./running.js";

const ROOT = join(import.meta.dirname, "../..");
const POLL_MILLIS = 10;

export interface Ended {
  /** Code and message of the error that ended the run; empty: it was committed. */
  readonly ended: string;
  readonly databaseBytes: number;
  /** Files in the spill folder. */
  readonly left: number;
  /** Greatest RssAnon, in bytes. */
  readonly peak: number;
}

/** Bundles the worker; the answer is its file. */
export async function bundleWorker(): Promise<string> {
  const folder = join(ROOT, "build", "test");
  mkdirSync(folder, { recursive: true });
  const outfile = join(mkdtempSync(join(folder, "spilling-")), "worker.mjs");
  await bundle({
    entryPoints: [join(import.meta.dirname, "spilling-worker.ts")],
    ...{ outfile, bundle: true, platform: "node", format: "esm", target: "node20", packages: "external" },
    logLevel: "error",
  });
  return outfile;
}

export class SpillingRun {
  readonly folder: string;

  /** `folder`: on the disk in question; a temporary one when left out. */
  constructor(
    private readonly worker: string,
    folder = tmpdir(),
  ) {
    this.folder = mkdtempSync(join(folder, "chain-upgrade-spilling-"));
  }

  start(parts: GuestParts, manifest: ManifestSource & object, limits: SpillLimits = {}): ChildProcess {
    const file = join(this.folder, "handler.wasm");
    writeFileSync(file, build(guest({ imports: IMPORTS, ...parts }), { gasLimit: "1000000000000", ...manifest }));
    return this.#spawn(limits);
  }

  run(parts: GuestParts, manifest: ManifestSource & object, limits: SpillLimits = {}): Promise<Ended> {
    return watch(this.start(parts, manifest, limits));
  }

  /** The same handler as before. */
  again(limits: SpillLimits = {}): Promise<Ended> {
    return watch(this.#spawn(limits));
  }

  #spawn(limits: SpillLimits): ChildProcess {
    const args = [this.worker, join(this.folder, "handler.wasm"), this.folder, JSON.stringify(limits)];
    return spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  }

  /** Files in the spill folder now. */
  get spilled(): number {
    const path = join(this.folder, "spill");
    return existsSync(path) ? readdirSync(path).length : 0;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function watch(child: ChildProcess): Promise<Ended> {
  const texts = { out: "", err: "" };
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    texts.out += text;
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    texts.err += text;
  });
  let peak = 0;
  const poll = setInterval(() => {
    peak = Math.max(peak, anonymousBytes(child.pid));
  }, POLL_MILLIS);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      clearInterval(poll);
      if (code === 0) resolve({ ...(JSON.parse(texts.out) as Omit<Ended, "peak">), peak });
      else reject(new Error(`the worker ended with ${code}: ${texts.err}`));
    });
  });
}

function anonymousBytes(pid: number | undefined): number {
  try {
    return Number(/^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) * 1_024;
  } catch {
    return 0; // it has ended
  }
}

const i32 = (...values: number[]) => values.map((value) => `(i32.const ${value})`).join(" ");

export const STORE_A = { stores: [{ name: "a", access: "rw" }] };
/** Where the guests below keep a key and a value. */
const KEY_AT = 1_048_576;
const VALUE_AT = 2_097_152;
const MEMORY = '(memory (export "memory") 64)';

/**
 * Sets `count` keys of `keyBytes` that differ in four bytes at `differAt` and come in scattered order, with values of
 * `valueBytes`; then does `after`, and `each` after each of them.
 */
export function writer(
  count: number,
  keyBytes: number,
  valueBytes: number,
  { differAt = 0, each = "", after = "" } = {},
): GuestParts {
  const set = `(i32.store (i32.const ${KEY_AT + differAt}) (i32.mul (local.get $len) (i32.const 0x9e3779b1)))
    (drop (call $set ${i32(0, KEY_AT, keyBytes, VALUE_AT, valueBytes)})) ${each}`;
  const run = `(local.set $len (i32.const 0))
    (loop $next ${set} (local.set $len (i32.add (local.get $len) (i32.const 1)))
      (br_if $next (i32.lt_u (local.get $len) (i32.const ${count})))) ${after} (i32.const 0)`;
  return { run, memory: MEMORY };
}

/** A scan from the last key on with room for one small pair. */
export const SCAN = `(drop (call $scan ${i32(0, KEY_AT, 4, 0, 0, 524_288, 4_096)}))`;
/** Ends the run as failed. */
export const FAIL = `(call $fail ${i32(1, 0, 0)})`;
