/**
 * A thread that writes what a long commit stages: the system syncs one batch while the tree makes the next one. Batches
 * are written in the order in which they are given, one at a time, each in a transaction of its own.
 */
import { createRequire } from "node:module";
import { Worker } from "node:worker_threads";
import type { RootDatabaseOptionsWithPath } from "lmdb";
import { UpgradeError } from "../../../base/errors/errors.js";
import { writeU32 } from "../../../base/wire/u32.js";
import type { LastKey } from "./database.js";

/** What a commit stages at once, with room for keys, checksums and the last chunk of all. */
const BATCH_BYTES = 5 * 1_048_576;
const FIELD_BYTES = 4;
/** In the place of a value's length: the record is removed. */
const REMOVED = 0xffff_ffff;
/** A disk that does not take a batch in this time is not one that a node can go on with. Time in which the process is stopped does not count. */
const PATIENCE_SECONDS = 600;
const STEP_SECONDS = 10;
const HEAP_MIB = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 2, stackSizeMb: 1 };

/** Of the first number that both threads share; the second is the length of the batch or of an error's text. */
const IDLE = 0;
const BUSY = 1;
const FAILED = 2;
const ENDED = 3;

const LOCKED = "somebody else has made a version";

/** Runs in the thread. The batch begins with the key that must be the last one of a range, or nobody else has written. */
const WRITE = `
const { workerData: { lmdb, options, flags, state, bytes } } = require("node:worker_threads");
const view = Buffer.from(bytes.buffer);
const copies = [Buffer.allocUnsafeSlow(2_000), Buffer.allocUnsafeSlow(${BATCH_BYTES})];
let at = 0;
let db;
// LMDB reads no memory that threads share. One buffer for all values: copies of their own would pile up.
function field(copy = Buffer.alloc(view.readUInt32LE(at))) {
  const from = at + ${FIELD_BYTES};
  at = from + view.readUInt32LE(at);
  return copy.subarray(0, view.copy(copy, 0, from, at));
}
function write(end) {
  const [start, stop, last] = [field(), field(), field()];
  const [found = Buffer.alloc(0)] = db.getKeys({ start: stop, end: start, exclusiveStart: true, inclusiveEnd: true, reverse: true, limit: 1 });
  if (!last.equals(found)) throw new Error("${LOCKED}");
  while (at < end) {
    const key = field(copies[0]);
    if (view.readUInt32LE(at) === ${REMOVED}) { at += ${FIELD_BYTES}; db.removeSync(key); }
    else db.putSync(key, field(copies[1]));
  }
}
for (;;) {
  Atomics.wait(state, 0, ${IDLE});
  if (Atomics.load(state, 0) === ${ENDED}) break;
  let next = ${IDLE};
  try {
    db ??= require(lmdb).open(options);
    at = 0;
    db.transactionSync(() => write(state[1]), flags);
  } catch (error) {
    state[1] = view.write(String(error && error.message), 0, 1_000);
    next = ${FAILED};
  }
  Atomics.store(state, 0, next);
  Atomics.notify(state, 0);
  if (next === ${FAILED}) break;
}
if (db && Atomics.load(state, 0) !== ${FAILED}) db.close();
`;

export class LmdbStager {
  readonly #state = new Int32Array(new SharedArrayBuffer(2 * FIELD_BYTES));
  readonly #bytes = new Uint8Array(new SharedArrayBuffer(BATCH_BYTES));
  readonly #keys = new Set<string>();
  #at = 0;

  constructor(options: RootDatabaseOptionsWithPath, flags: number) {
    const lmdb = createRequire(import.meta.url).resolve("lmdb");
    const workerData = { lmdb, options, flags, state: this.#state, bytes: this.#bytes };
    const worker = new Worker(WRITE, {
      eval: true,
      workerData,
      name: "stager",
      resourceLimits: HEAP_MIB,
      execArgv: [],
    });
    worker.unref();
  }

  /** Begins a batch, which is written only while `expected` is so; waits for the one before. @throws Error of LMDB */
  begin({ start, end, last }: LastKey): void {
    this.wait();
    this.#at = 0;
    this.#keys.clear();
    for (const key of [start, end, last ?? new Uint8Array(0)]) this.#field(key);
  }

  /** Adds a record; `value` undefined: its removal. False when there is no room for it: the batch is another's to write. */
  hasAdded(key: Uint8Array, value: Uint8Array | undefined): boolean {
    if (this.#at + key.length + (value?.length ?? 0) + 2 * FIELD_BYTES > BATCH_BYTES) return false;
    this.#keys.add(nameOf(key));
    this.#field(key);
    if (value) this.#field(value);
    else this.#length(REMOVED);
    return true;
  }

  /** Gives the batch to the thread. */
  send(): void {
    this.#state[1] = this.#at;
    Atomics.store(this.#state, 0, BUSY);
    Atomics.notify(this.#state, 0);
  }

  /** Is this record in the batch that was sent last? */
  has(key: Uint8Array): boolean {
    return this.#keys.has(nameOf(key));
  }

  /** Until what was sent is in the file. @throws Error of LMDB, UpgradeError UPG_STORE_IO when the disk does not answer */
  wait(): void {
    let waited = 0;
    while (waited < PATIENCE_SECONDS && Atomics.wait(this.#state, 0, BUSY, STEP_SECONDS * 1_000) === "timed-out") {
      waited += STEP_SECONDS;
    }
    if (waited >= PATIENCE_SECONDS) {
      throw new UpgradeError(
        "UPG_STORE_IO",
        `the disk has not taken a batch of ${this.#at} bytes in ${PATIENCE_SECONDS} s`,
      );
    }
    if (Atomics.load(this.#state, 0) !== FAILED) return;
    const text = Buffer.from(this.#bytes.slice(0, this.#state[1])).toString();
    if (text === LOCKED) throw new UpgradeError("UPG_STORE_LOCKED", `cannot write what a commit stages: ${text}`);
    throw new Error(text);
  }

  /** The thread ends when it has written what it has. */
  end(): void {
    this.wait();
    Atomics.store(this.#state, 0, ENDED);
    Atomics.notify(this.#state, 0);
  }

  #field(bytes: Uint8Array): void {
    this.#length(bytes.length);
    this.#bytes.set(bytes, this.#at);
    this.#at += bytes.length;
  }

  #length(length: number): void {
    writeU32(this.#bytes, this.#at, length);
    this.#at += FIELD_BYTES;
  }
}

function nameOf(key: Uint8Array): string {
  return Buffer.from(key.buffer, key.byteOffset, key.length).toString("latin1");
}
