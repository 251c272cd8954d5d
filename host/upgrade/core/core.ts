/**
 * The upgrade module's core, typed. Every rule is the core's own; this side moves bytes, checks that a bigint fits in
 * 64 bits, and names what it returns. A method that takes a store reads and writes only the upgrade module's own store;
 * one that throws has written nothing.
 */

import { assert, UpgradeError } from "../../base/errors/errors.js";
import { concatBytes } from "../../base/text/bytes.js";
import { decodeText, encodeText } from "../../base/text/text.js";
import { RECEIPT_BYTES_MAX } from "../../base/types/limits.js";
import type { Decision, DoneUpgrade, Height, KVReader, KVStore, Plan, VersionMap } from "../../base/types/types.js";
import { WireWriter } from "../../base/wire/wire.js";
import { CacheKVStore } from "../../state/branch/kv/cache-kv.js";
import { CORE_WASM } from "./core-wasm.js";
import { CoreInstance, type Span } from "./instance.js";
import { decodePlanFields, encodePlanFields, isInt64, type PlanFields, planOfFields } from "./plan-fields.js";
import { decodeVersionMap, encodeNames, encodeVersionMap } from "./version-map.js";

const DECISIONS: readonly Decision[] = [
  "Idle",
  "Pending",
  "Skip",
  "Apply",
  "HaltUpgradeNeeded",
  "HaltBinaryTooEarly",
  "HaltHandlerMissing",
];

/** What the host knows and the core cannot: see `pre_block` in docs/abi.md. */
export interface PreBlockFacts {
  readonly hasHandler: boolean;
  readonly hasLastHandler: boolean;
  readonly isSkipHeight: boolean;
  readonly isFirstBlock: boolean;
}

function int64(
  what: string,
  value: bigint,
  code: "UPG_INVALID_HEIGHT" | "UPG_INVALID_ARGUMENT" = "UPG_INVALID_HEIGHT",
): bigint {
  if (!isInt64(value)) throw new UpgradeError(code, `${what} must be a bigint of 64 bits, got ${String(value)}`);
  return value;
}

/**
 * core.wasm, which decides about plans and keeps the records of store `upgrade` (docs/abi.md). Each call is given the store that
 * it reads or writes; the core itself remembers nothing between calls. Heights are 64-bit, durations nanoseconds.
 *
 * @example
 * const core = new Core();
 * const store = new MemoryKVStore();
 * core.schedule(store, 1n, { name: "v2", height: 100n, info: "" });
 * console.log(core.plan(store)?.height); // → 100n
 */
export class Core {
  readonly #instance: CoreInstance;

  /** `bytes`: another build of the core (debug); the bundled release build without. */
  constructor(bytes: Uint8Array = CORE_WASM()) {
    this.#instance = new CoreInstance(bytes);
  }

  // Transitions

  /** @throws UpgradeError UPG_INVALID_PLAN_* */
  schedule(store: KVStore, height: Height, plan: Plan): void {
    this.scheduleBytes(store, height, this.#planMessage(plan));
  }

  scheduleBytes(store: KVStore, height: Height, plan: Uint8Array): void {
    this.#write(store, (core) => core.call("plan_schedule", int64("height", height), ...args(core.put(plan))));
  }

  clear(store: KVStore): void {
    this.#write(store, (core) => core.call("plan_clear"));
  }

  /** The decision of the state table for the block of this height. Reads only. */
  preBlock(store: KVReader, height: Height, facts: PreBlockFacts): Decision {
    const flags =
      (facts.hasHandler ? 1 : 0) |
      (facts.hasLastHandler ? 2 : 0) |
      (facts.isSkipHeight ? 4 : 0) |
      (facts.isFirstBlock ? 8 : 0);
    const number = this.#run(store, (core) => core.call("pre_block", int64("height", height), flags));
    const decision = DECISIONS[Number(number)];
    assert(decision, `core.wasm returned the unknown decision ${number}`);
    return decision;
  }

  /**
   * Versions, protocol version + 1, plan cleared, Done; `planBytes` are those that the decision was made on.
   * @throws UpgradeError UPG_BUG_PLAN_CHANGED, UPG_MIGRATION_VERSION_MAP, UPG_INVALID_VERSION_MAP
   */
  apply(store: KVStore, height: Height, planBytes: Uint8Array, versions: VersionMap, removes: readonly string[]): void {
    this.#write(store, (core) => {
      const plan = core.put(planBytes);
      const map = core.put(encodeVersionMap(versions));
      const names = core.put(encodeNames(removes));
      core.call("apply", int64("height", height), ...args(plan), ...args(map), ...args(names));
    });
  }

  /** Genesis: the map replaces what is stored. */
  setVersionMap(store: KVStore, versions: VersionMap): void {
    this.#write(store, (core) => core.call("version_map_set", ...args(core.put(encodeVersionMap(versions)))));
  }

  /** @throws UpgradeError UPG_INVALID_VALUE when it has no byte or more than `RECEIPT_BYTES_MAX` */
  setReceipt(store: KVStore, name: string, receipt: Uint8Array): void {
    // Beyond this the core might have no room to look at it.
    if (receipt.length > RECEIPT_BYTES_MAX) {
      throw new UpgradeError("UPG_INVALID_VALUE", "a receipt has 1 byte to 512 KiB");
    }
    this.#write(store, (core) =>
      core.call("receipt_set", ...args(core.put(encodeText(name))), ...args(core.put(receipt))),
    );
  }

  // Reads

  /** The stored plan's protobuf bytes. */
  planBytes(store: KVReader): Uint8Array | undefined {
    return this.#run(store, (core) => core.fetch("plan_get"));
  }

  plan(store: KVReader): Plan | undefined {
    const bytes = this.planBytes(store);
    return bytes && this.decodePlan(bytes);
  }

  /** Height at which the upgrade was applied; 0n: never. */
  doneHeight(store: KVReader, name: string): Height {
    return BigInt(this.#run(store, (core) => core.call("done_height", ...args(core.put(encodeText(name))))));
  }

  lastDone(store: KVReader): DoneUpgrade | undefined {
    const bytes = this.#run(store, (core) => core.fetch("last_done"));
    return bytes && { height: view(bytes).getBigInt64(0, true), name: decodeText(bytes.subarray(8)) };
  }

  moduleVersion(store: KVReader, module: string): bigint | undefined {
    const bytes = this.#run(store, (core) => core.fetch("version_get", ...args(core.put(encodeText(module)))));
    return bytes && view(bytes).getBigUint64(0, true);
  }

  /** Every module, ascending by name. */
  versionMap(store: KVReader): Map<string, bigint> {
    const bytes = this.#run(store, (core) => core.fetch("version_map_get"));
    return decodeVersionMap(bytes ?? new Uint8Array());
  }

  /** 0n before the first upgrade. */
  protocolVersion(store: KVReader): bigint {
    const bytes = this.#run(store, (core) => core.fetch("protocol_version"));
    return bytes ? view(bytes).getBigUint64(0, true) : 0n;
  }

  receipt(store: KVReader, name: string): Uint8Array | undefined {
    return this.#run(store, (core) => core.fetch("receipt_get", ...args(core.put(encodeText(name)))));
  }

  // Pure

  planKey(): Uint8Array {
    return this.#pure("key_plan");
  }

  doneKey(name: string): Uint8Array {
    return this.#pure("key_done", name);
  }

  versionKey(module: string): Uint8Array {
    return this.#pure("key_version", module);
  }

  protocolKey(): Uint8Array {
    return this.#pure("key_protocol");
  }

  receiptKey(name: string): Uint8Array {
    return this.#pure("key_receipt", name);
  }

  /** The rules that need no state. @throws UpgradeError UPG_INVALID_PLAN_* */
  validatePlan(bytes: Uint8Array): void {
    this.#run(undefined, (core) => core.call("plan_validate", ...args(core.put(bytes))));
  }

  /** @throws UpgradeError UPG_INVALID_PLAN_*; UPG_INVALID_PLAN_DEPRECATED when a client state is set */
  encodePlan(plan: Plan): Uint8Array {
    const fields = encodePlanFields(plan);
    return this.#fetchPure((core) => core.fetch("plan_encode", ...args(core.put(fields))));
  }

  /** The plan's bytes, a client state included: `plan_encode` refuses one, and validation has rules that come first. */
  #planMessage(plan: Plan): Uint8Array {
    const { upgradedClientState: state, ...rest } = plan;
    const bytes = this.encodePlan(rest);
    if (!state) return bytes;
    const any = new WireWriter().string(1, state.typeUrl).bytes(2, state.value).finish();
    return concatBytes(bytes, new WireWriter().message(5, any).finish());
  }

  /**
   * A set client state comes back with its fields empty: the core knows only that it is present.
   * @throws UpgradeError UPG_INVALID_PLAN_BYTES, also when name or info is not UTF-8
   */
  decodePlan(bytes: Uint8Array): Plan {
    return planOfFields(this.decodePlanFields(bytes));
  }

  /** The fields as they are in the bytes, texts undecoded. @throws UpgradeError UPG_INVALID_PLAN_BYTES */
  decodePlanFields(bytes: Uint8Array): PlanFields {
    return decodePlanFields(this.#fetchPure((core) => core.fetch("plan_decode", ...args(core.put(bytes)))));
  }

  /** The message that operators search for. `subject`: the plan's bytes, or the last upgrade's name. */
  haltText(decision: Decision, height: Height, appVersion: bigint, subject: Uint8Array | string): string {
    const bytes = typeof subject === "string" ? encodeText(subject) : subject;
    const text = this.#fetchPure((core) =>
      core.fetch(
        "halt_text",
        DECISIONS.indexOf(decision),
        int64("height", height),
        BigInt.asIntN(64, appVersion),
        ...args(core.put(bytes)),
      ),
    );
    return decodeText(text);
  }

  /** The bytes of upgrade-info.json; `height` is the block's. */
  upgradeInfo(height: Height, planBytes: Uint8Array): Uint8Array {
    return this.#fetchPure((core) => core.fetch("upgrade_info", int64("height", height), ...args(core.put(planBytes))));
  }

  /** start + ceil((2 * (voting + deposit) + safety) / block); durations in nanoseconds. */
  cancellableHeight(start: Height, votingNs: bigint, depositNs: bigint, safetyNs: bigint, blockNs: bigint): Height {
    const durations = [votingNs, depositNs, safetyNs, blockNs].map((ns) =>
      int64("a duration", ns, "UPG_INVALID_ARGUMENT"),
    );
    return BigInt(this.#run(undefined, (core) => core.call("cancellable_height", int64("start", start), ...durations)));
  }

  /** On a branch: a store that fails, or a trap, between two writes leaves none of them. */
  #write(store: KVStore, operation: (core: CoreInstance) => void): void {
    const branch = new CacheKVStore(store);
    this.#run(branch, operation);
    branch.write();
  }

  #run<T>(store: KVReader | undefined, operation: (core: CoreInstance) => T): T {
    return this.#instance.run(store, () => operation(this.#instance));
  }

  #fetchPure(operation: (core: CoreInstance) => Uint8Array | undefined): Uint8Array {
    const bytes = this.#run(undefined, operation);
    assert(bytes, "a pure call of core.wasm returned ABSENT");
    return bytes;
  }

  #pure(name: string, subject?: string): Uint8Array {
    return this.#fetchPure((core) =>
      subject === undefined ? core.fetch(name) : core.fetch(name, ...args(core.put(encodeText(subject)))),
    );
  }
}

function args(span: Span): [number, number] {
  return [span.ptr, span.len];
}

function view(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
