/**
 * Runs a handler (docs/abi.md): `handler_run`, each scan of the manifest to its end, `handler_check`. The caller gives a
 * branch of the stores and drops it when this throws; the guest lives for one run.
 */

import { assert, isUpgradeError, UpgradeError } from "../../../base/errors/errors.js";
import { bestEffort } from "../../../base/errors/synchronous.js";
import { prefixEnd } from "../../../base/text/bytes.js";
import { BATCH_BYTES } from "../../../base/types/limits.js";
import type { MultiStore, OnProgress } from "../../../base/types/types.js";
import { readU32 } from "../../../base/wire/u32.js";
import { requireLayout } from "../check/layout.js";
import type { WasmHandler } from "../handler.js";
import type { ManifestScan } from "../manifest/manifest-types.js";
import { pairsPrice } from "../meter/pairs-price.js";
import { HOST_PRICES } from "../meter/schedule.js";
import { ScanBatches } from "./batches.js";
import { trap } from "./failures.js";
import { fullMemoryText } from "./full-memory.js";
import { GasCounter } from "./gas-counter.js";
import { Guest } from "./guest.js";
import { GuestBuffers } from "./guest-buffers.js";
import { GuestMemory } from "./guest-memory.js";
import { type GuestReports, HostImports } from "./host-imports.js";
import {
  type CheckResult,
  decodeChecks,
  decodeReturnedVersions,
  encodeContext,
  type UpgradeContextFields,
} from "./messages.js";
import { applyFrames } from "./output-frames.js";
import { Place, type RunObserver } from "./run-position.js";
import { type StoreCounts, StoreHandles } from "./store-handles.js";

export { requireLayout } from "../check/layout.js";

export interface HandlerInput extends UpgradeContextFields, GuestReports {
  /** A branch of the handler's own: it reads and writes here. */
  readonly stores: MultiStore;
  /** The stores as the store loader left them: what scans read. Nothing may write to them during the run. */
  readonly base: MultiStore;
  /**
   * Bytes of a batch. Part of consensus: only a harness gives another than the default, to compare results; as a function,
   * which is given the number of the scan and the pairs of it that are consumed, at most the default.
   */
  readonly batchBytes?: number | ((scan: number, consumed: number) => number);
  /** Gas that the run may use; the manifest's limit when left out. A block never gives another. */
  readonly gasLimit?: bigint;
  /** Hears how far scans and checks have come. */
  readonly onProgress?: OnProgress | undefined;
  /** @internal */
  readonly observer?: RunObserver | undefined;
}

export interface HandlerReport {
  /** What `handler_run` returned; undefined for 0 bytes: the versions that the manifest declares. */
  readonly versionMap: ReadonlyMap<string, bigint> | undefined;
  /** Gas used, by schedule `gas-2`: the same on every machine. */
  readonly gas: bigint;
  /** Writes to each store that the handler may change, ascending by store name. */
  readonly stores: ReadonlyMap<string, StoreCounts>;
  /** Invariants that held; a run with one that does not hold fails. */
  readonly checks: readonly CheckResult[];
  /** Pages of 64 KiB that the memory has at the end, which is its peak. */
  readonly memoryPages: number;
}

const LAST_BATCH = 1;
/** `handler_batch` returns `u32 consumed`, then framed writes. */
const CONSUMED_BYTES = 4;

/**
 * What the guest does wrong says in `details.gas` how much was counted until then, at most the limit, and in `details.phase`
 * where that was; in a scan `details.key` is the first pair that it has not consumed (place.ts).
 *
 * @throws UpgradeError UPG_HANDLER_LAYOUT before anything runs; UPG_MIGRATION_FAILED, UPG_MIGRATION_INVARIANT,
 *   UPG_MIGRATION_VERSION_MAP, UPG_MIGRATION_OUT_OF_GAS, UPG_HANDLER_STACK, UPG_HANDLER_TRAP by the guest's doing; UPG_HANDLER_ENGINE when the engine or the machine
 *   could not go on, which says nothing about the handler; and what the stores throw
 */
export function runHandler(handler: WasmHandler, input: HandlerInput): HandlerReport {
  requireLayout(handler.manifest, input.versionMap);
  const gas = new GasCounter(input.gasLimit ?? handler.manifest.gasLimit, input.observer?.onCharge);
  input.observer?.onGas?.(() => gas.used);
  const place = new Place();
  const memory = new GuestMemory();
  try {
    return new HandlerRun(handler, input, gas, place, memory).run();
  } catch (error) {
    if (!isUpgradeError(error) || !/^UPG_(MIGRATION|HANDLER)_/.test(error.code)) throw error;
    const used = gas.left < 0n ? gas.limit : gas.used;
    const details = { ...place.details(memory.pages), ...error.details, gas: String(used) };
    const memoryFull = fullMemoryText(handler, details);
    const message = memoryFull === undefined ? error.message : `${error.message}, ${memoryFull}`;
    throw new UpgradeError(error.code, message, { cause: error, details });
  }
}

class HandlerRun {
  readonly #handler: WasmHandler;
  readonly #handles: StoreHandles;
  readonly #guest: Guest;
  readonly #buffers: GuestBuffers;
  readonly #context: Uint8Array;
  readonly #gas: GasCounter;
  readonly #input: HandlerInput;
  readonly #place: Place;

  constructor(handler: WasmHandler, input: HandlerInput, gas: GasCounter, place: Place, memory: GuestMemory) {
    this.#handler = handler;
    this.#input = input;
    this.#place = place;
    this.#context = encodeContext(input);
    this.#gas = gas;
    this.#reach("loading");
    this.#gas.charge(handler.bytes.length * HOST_PRICES.fileByte, "loading");
    this.#handles = new StoreHandles(handler.manifest, input.stores, input.base, this.#gas);
    const imports = new HostImports(memory, this.#handles, this.#gas, input);
    this.#guest = new Guest(handler.module, imports.object(), memory, this.#gas);
    input.observer?.onGuest?.(this.#guest.exports);
    if (this.#guest.has("_initialize")) {
      this.#reach("_initialize");
      this.#guest.call("_initialize");
    }
    this.#buffers = new GuestBuffers(this.#guest, this.#gas);
  }

  run(): HandlerReport {
    const versionMap = this.#migrate();
    this.#handler.manifest.scans.forEach((scan, index) => {
      this.#scan(scan, index);
    });
    const checks = this.#check();
    const gas = this.#gas.used;
    return { versionMap, gas, stores: this.#handles.counts(), checks, memoryPages: this.#guest.memory.pages };
  }

  #migrate(): ReadonlyMap<string, bigint> | undefined {
    this.#reach("handler_run");
    this.#buffers.give(this.#context);
    const length = this.#writing(() => this.#guest.callForLength("handler_run", this.#context.length));
    return length === 0 ? undefined : decodeReturnedVersions(this.#buffers.output(length, "handler_run"));
  }

  #scan({ store, prefix }: ManifestScan, index: number): void {
    const base = this.#handles.byName(store)?.base;
    assert(base, `a checked manifest scans "${store}", which it does not list`);
    const end = prefix && prefixEnd(prefix);
    const scan = base.scan(prefix && { start: prefix, end });
    const { batchBytes, onProgress, observer } = this.#input;
    const bytesOf = typeof batchBytes === "function" ? batchBytes : () => batchBytes ?? BATCH_BYTES;
    const batches = new ScanBatches(scan, typeof batchBytes === "number" ? batchBytes : BATCH_BYTES);
    const total = onProgress ? (base.pairCount?.(prefix, end) ?? 0) : 0;
    this.#place.atScan(index, store, this.#guest.memory.pages);
    observer?.onPlace?.(this.#place.name, this.#gas.used);
    do {
      if (onProgress) bestEffort(() => onProgress("scan", store, batches.consumed, total));
      observer?.onBatch?.(index, batches.consumed, this.#guest.memory.pages);
      batches.batchBytes = bytesOf(index, batches.consumed);
      batches.pack();
      this.#place.atBatch(batches);
      this.#batch(batches, index);
    } while (!batches.isDone);
  }

  #batch(batches: ScanBatches, index: number): void {
    const { bytes, start, end, isLast } = batches;
    const frames = bytes.subarray(start, end);
    // Its bytes are paid for where they cross.
    this.#gas.charge(pairsPrice(frames) - frames.length * HOST_PRICES.byte, "a batch");
    this.#buffers.give(frames);
    this.#writing(() => {
      const length = this.#guest.callForLength("handler_batch", index, end - start, isLast ? LAST_BATCH : 0);
      if (length < CONSUMED_BYTES) throw trap(`handler_batch returned ${length} bytes, its count alone has 4`);
      const output = this.#buffers.output(length, "handler_batch");
      const consumed = readU32(output, 0);
      if (consumed === 0 && end > start) throw trap(`handler_batch consumed nothing of ${end - start} bytes`);
      if (!batches.consume(consumed)) {
        throw trap(`handler_batch consumed ${consumed} of ${end - start} bytes, which is not where a frame ends`);
      }
      applyFrames(this.#handles, output.subarray(CONSUMED_BYTES));
    });
  }

  /** Invariants see the same context as `handler_run`. */
  #check(): readonly CheckResult[] {
    if (!this.#guest.has("handler_check")) return [];
    bestEffort(() => this.#input.onProgress?.("checks", "", 0, 0));
    this.#reach("handler_check");
    this.#buffers.give(this.#context);
    const length = this.#guest.callForLength("handler_check", this.#context.length);
    const checks = decodeChecks(this.#buffers.output(length, "handler_check"));
    const broken = checks.filter(({ ok }) => !ok);
    if (broken.length === 0) return checks;
    const list = broken.map(({ name, message }) => (message === "" ? name : `${name}: ${message}`)).join("; ");
    throw new UpgradeError("UPG_MIGRATION_INVARIANT", `a check of the handler failed: ${list}`, {
      details: { checks: broken.map(({ name }) => name).join(",") },
    });
  }

  #reach(name: string): void {
    this.#place.at(name);
    this.#input.observer?.onPlace?.(name, this.#gas.used);
  }

  /** The calls that may write. */
  #writing<T>(work: () => T): T {
    this.#handles.mayWrite = true;
    const result = work();
    this.#handles.mayWrite = false;
    return result;
  }
}
