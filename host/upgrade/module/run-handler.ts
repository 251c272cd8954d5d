/** Runs a Wasm handler over stores of any kind: for tools, indexers, tests, and chains with a block loop of their own. */

import { UpgradeError } from "../../base/errors/errors.js";
import { compareText, equalBytes } from "../../base/text/bytes.js";
import { GAS_LIMIT_MAX, INT64_MAX } from "../../base/types/limits.js";
import type { Height, KVStore, Plan, Timestamp, VersionMap } from "../../base/types/types.js";
import { CacheMultiStore, NamedStores } from "../../state/branch/kv/cache-multi-store.js";
import type { WritesCursor } from "../../state/branch/kv/writes-cursor.js";
import { writesDigest } from "../../state/branch/kv/writes-digest.js";
import { Core } from "../core/core.js";
import { declaredVersions } from "../handler/declared-versions.js";
import { encodeReceipt, type ReceiptFacts } from "../handler/encode-receipt.js";
import type { WasmHandler } from "../handler/handler.js";
import { type HandlerReport, requireLayout, runHandler } from "../handler/run/sandbox.js";
import { guardAfter, guardBefore } from "./guards.js";
import { type LogLevel, wasmHandler } from "./handlers.js";
import { DEFAULT_TABLE } from "./module-table.js";

/** What a handler runs with. All of it is part of consensus, except the last two members. */
export interface WasmHandlerInput {
  readonly chainId: string;
  /** Height of the upgrade block. */
  readonly height: Height;
  /** Time of the upgrade block, the only clock that a handler has. */
  readonly time: Timestamp;
  /** The plan, or its bytes as `Core.planBytes` returns them. */
  readonly plan: Plan | Uint8Array;
  /** The stored module versions (`Core.versionMap`). */
  readonly versionMap: VersionMap;
  /**
   * All stores of the chain by name, with the manifest's store upgrades made. The handler reaches those of its manifest; the guards
   * use the names of the others. Nothing may write to them while the handler runs.
   */
  readonly stores: ReadonlyMap<string, KVStore>;
  /** The manifest's limit when left out; at most 10^12. A chain leaves it out. */
  readonly gasLimit?: bigint;
  /** Refuse the mistakes that have hurt chains unless the manifest declares them. Default: true, which a chain keeps. */
  readonly guards?: boolean;
  /** Stores by module. A module without an entry owns the store of its own name, if it exists. Default: no entries. */
  readonly moduleStores?: ReadonlyMap<string, readonly string[]>;
  /** Modules that a handler removes only with `allows.removeModules`. Default: `gov` and `upgrade`. */
  readonly vitalModules?: readonly string[];
  /** Receives the handler's log: one line of at most 4 KiB per call. Exceptions are ignored. */
  readonly log?: (level: LogLevel, message: string) => void;
  /** Receives the handler's progress, in units of its choice. What it throws is dropped. */
  readonly progress?: (done: bigint, total: bigint) => void;
}

/** How many keys of one store a run changes. */
export interface StoreChanges {
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
  /** Keys that were written with the value they had, or deleted though absent. */
  readonly unchanged: number;
}

/** What a run would do. */
export interface WasmRehearsal {
  readonly report: HandlerReport;
  readonly versionMap: VersionMap;
  /** By store, of those that the handler may write, ascending by name. */
  readonly changes: ReadonlyMap<string, StoreChanges>;
}

/**
 * A run that succeeded. Its writes stay with it until `write()`; drop it, and nothing happened.
 *
 * @example
 * import { readFileSync } from "node:fs";
 * import { sha256 } from "@noble/hashes/sha2.js";
 * const handler = loadHandler(readFileSync("handler.wasm"), { sha256 });
 * const stores = new Map(["auth", "bank"].map((name) => [name, new MemoryKVStore()]));
 * const plan = { name: "v2", height: 10n, info: "" };
 * const time = { seconds: 1_800_000_000n, nanos: 0 };
 * const versionMap = new Map([["auth", 1n], ["bank", 1n]]);
 * const run = runWasmHandler(handler, { chainId: "chain-1", height: 10n, time, plan, versionMap, stores });
 * console.log(run instanceof WasmHandlerRun, run.versionMap.get("bank"), [...run.writes("bank")].length); // → true 2n 0
 * run.write();
 */
export class WasmHandlerRun {
  #branch: CacheMultiStore | undefined;

  /** @internal {@link runWasmHandler} makes them */
  constructor(
    private readonly handler: WasmHandler,
    private readonly height: Height,
    readonly report: HandlerReport,
    /** The stored versions with what the manifest declares: what `Core.apply` is given. */
    readonly versionMap: VersionMap,
    branch: CacheMultiStore,
  ) {
    this.#branch = branch;
  }

  /** The final writes to a store, keys ascending; `undefined` is a deletion. Empty for a store that the handler may not write. */
  *writes(store: string): IterableIterator<readonly [key: Uint8Array, value: Uint8Array | undefined]> {
    if (!this.report.stores.has(store)) return;
    const cursor = this.#open().store(store).pending();
    while (cursor.step()) yield writeAt(cursor);
  }

  /**
   * The protobuf bytes of the receipt, for `Core.setReceipt`.
   * @param roots of the stores, before and in the block's commit, where the chain has trees
   */
  receipt(roots: ReceiptFacts["roots"] = new Map()): Uint8Array {
    const { handler, height, report } = this;
    const branch = this.#open();
    const digest = (name: string) => writesDigest(branch.store(name), handler.sha256);
    const writes = new Map([...report.stores.keys()].map((name) => [name, digest(name)]));
    return encodeReceipt({ plan: handler.manifest.name, height, wasm: handler, report, writes, roots });
  }

  /**
   * Hands the writes to the stores: stores by name, keys ascending. Once. A store that throws keeps what it took until then: give
   * the run branches (`CacheKVStore`), and write those when the whole block is done.
   */
  write(): void {
    const branch = this.#open();
    this.#branch = undefined;
    branch.write();
  }

  /** Drops the writes. */
  discard(): void {
    this.#branch?.discard();
    this.#branch = undefined;
  }

  #open(): CacheMultiStore {
    if (this.#branch) return this.#branch;
    throw new UpgradeError("UPG_INVALID_ARGUMENT", "this run's writes were written or discarded before");
  }
}

/**
 * Runs a handler over stores of any kind, with the guards, gas and results of a node. Writes nothing to the stores:
 * `WasmHandlerRun.write` does.
 *
 * @throws UpgradeError UPG_INVALID_ARGUMENT and UPG_HANDLER_LAYOUT before anything runs; UPG_MIGRATION_* and UPG_HANDLER_* by the
 *   handler's doing, with `details.gas`; UPG_HANDLER_ENGINE when this engine or machine could not go on; what the stores throw
 *
 * @example
 * import { readFileSync } from "node:fs";
 * import { sha256 } from "@noble/hashes/sha2.js";
 * const handler = loadHandler(readFileSync("handler.wasm"), { sha256 });
 * const stores = new Map([["auth", new MemoryKVStore()], ["bank", new MemoryKVStore()]]);
 * const plan = { name: "v2", height: 10n, info: "" };
 * const time = { seconds: 1_800_000_000n, nanos: 0 };
 * const versionMap = new Map([["auth", 1n], ["bank", 1n]]);
 * const run = runWasmHandler(handler, { chainId: "chain-1", height: 10n, time, plan, versionMap, stores });
 * console.log(run.report.checks.map(({ name }) => name), decodeReceipt(run.receipt()).plan); // → [ 'supply', 'balances' ] v2
 * run.discard();
 */
export function runWasmHandler(handler: WasmHandler, input: WasmHandlerInput): WasmHandlerRun {
  requireBounds(input);
  const { chainId, height, time, plan, versionMap, gasLimit, log, progress, guards = true } = input;
  const base = new NamedStores(new Map([...input.stores].sort(([a], [b]) => compareText(a, b))));
  const branch = new CacheMultiStore(base);
  const registered = wasmHandler(handler);
  const table = {
    moduleStores: input.moduleStores ?? DEFAULT_TABLE.moduleStores,
    vitalModules: input.vitalModules ?? DEFAULT_TABLE.vitalModules,
  };
  if (guards) guardBefore(registered, versionMap, base, table);
  requireLayout(handler.manifest, versionMap);
  const planBytes = plan instanceof Uint8Array ? plan : new Core().encodePlan(plan);
  const facts = { chainId, height, time, planBytes, versionMap, stores: branch, base, log, progress };
  const report = runHandler(handler, gasLimit === undefined ? facts : { ...facts, gasLimit });
  const after = declaredVersions(handler, versionMap, report);
  if (guards) guardAfter(registered, branch, { before: versionMap, after }, table);
  return new WasmHandlerRun(handler, height, report, after, branch);
}

/**
 * Runs a handler as {@link runWasmHandler} does, counts what it would change, and drops its writes.
 *
 * @throws UpgradeError as {@link runWasmHandler}
 *
 * @example
 * import { readFileSync } from "node:fs";
 * import { sha256 } from "@noble/hashes/sha2.js";
 * const handler = loadHandler(readFileSync("handler.wasm"), { sha256 });
 * const stores = new Map([["auth", new MemoryKVStore()], ["bank", new MemoryKVStore()]]);
 * const plan = { name: "v2", height: 10n, info: "" };
 * const time = { seconds: 1_800_000_000n, nanos: 0 };
 * const versionMap = new Map([["auth", 1n], ["bank", 1n]]);
 * const { changes } = rehearseWasmHandler(handler, { chainId: "chain-1", height: 10n, time, plan, versionMap, stores });
 * console.log(changes.get("bank")?.added); // → 0
 */
export function rehearseWasmHandler(handler: WasmHandler, input: WasmHandlerInput): WasmRehearsal {
  const run = runWasmHandler(handler, input);
  try {
    const { report, versionMap } = run;
    const changes = new Map<string, StoreChanges>();
    for (const name of report.stores.keys()) changes.set(name, changesOf(run, name, input.stores.get(name)));
    return { report, versionMap, changes };
  } finally {
    run.discard();
  }
}

function changesOf(run: WasmHandlerRun, name: string, store: KVStore | undefined): StoreChanges {
  const counts = { added: 0, changed: 0, removed: 0, unchanged: 0 };
  for (const [key, after] of run.writes(name)) {
    const before = store?.get(key);
    const isSame = before && after ? equalBytes(before, after) : before === after;
    counts[isSame ? "unchanged" : !before ? "added" : after ? "changed" : "removed"]++;
  }
  return counts;
}

function writeAt(cursor: WritesCursor): readonly [Uint8Array, Uint8Array | undefined] {
  const { isDeleted } = cursor;
  if (!isDeleted) cursor.loadValue();
  const { bytes, keyAt, keyLen, valueAt, valueLen } = cursor;
  return [bytes.slice(keyAt, keyAt + keyLen), isDeleted ? undefined : bytes.slice(valueAt, valueAt + valueLen)];
}

function requireBounds({ height, gasLimit, stores }: WasmHandlerInput): void {
  const refuse = (what: string) => new UpgradeError("UPG_INVALID_ARGUMENT", what);
  if (typeof height !== "bigint" || height > INT64_MAX || height < -INT64_MAX - 1n) {
    throw refuse(`a height is a bigint of 64 bits, got ${String(height)} (${typeof height})`);
  }
  if (gasLimit !== undefined && (typeof gasLimit !== "bigint" || gasLimit < 0n || gasLimit > GAS_LIMIT_MAX)) {
    throw refuse(`a gas limit is a bigint from 0 to ${GAS_LIMIT_MAX}, got ${String(gasLimit)} (${typeof gasLimit})`);
  }
  if (!(stores instanceof Map)) throw refuse("stores is a Map of stores by name");
}
