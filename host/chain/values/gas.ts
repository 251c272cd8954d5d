/**
 * Gas: what a transaction may cost every node. Reads and writes are counted at the stores by the Cosmos SDK's figures, so
 * that a client's estimate (simulate, times a little) is good here too. It depends on state and bytes alone.
 */

import { hostCall } from "../../base/errors/engine-limit.js";
import { usedLater } from "../../base/errors/synchronous.js";
import { TX_EVENT_BYTES_MAX } from "../../base/types/limits.js";
import type { FrameScan, KeyRange, KeyValue, KVStore, MultiStore } from "../../base/types/types.js";
import { CacheMultiStore } from "../../state/branch/kv/cache-multi-store.js";
import type { EventCounter } from "./events.js";
import { SDK, TxError } from "./tx-error.js";

const KEPT = "only nodes have it that ran the transaction since their start; take stores from the context of each call";

/** The Cosmos SDK's figures for its stores and transactions. */
export const GAS = Object.freeze({
  HAS: 1_000n,
  DELETE: 1_000n,
  READ_FLAT: 1_000n,
  READ_PER_BYTE: 3n,
  WRITE_FLAT: 2_000n,
  WRITE_PER_BYTE: 30n,
  ITERATE_FLAT: 30n,
  TX_PER_BYTE: 10n,
  /** Bytes of a transaction's events that cost nothing; ordinary transactions have fewer, and cost what they cost in the Cosmos SDK. */
  EVENT_BYTES_FREE: 65_536,
  EVENT_PER_BYTE: 10n,
  VERIFY_SECP256K1: 1_000n,
  VERIFY_ED25519: 590n,
  /** Bytes of the parameters that the Cosmos SDK reads before anything else; here they are constants. */
  PARAMETER_BYTES: 18n,
});

/** What a simulation counts up to: it has no limit of its own. */
export const GAS_UNLIMITED = 18_446_744_073_709_551_615n;

/** Charges of one transaction: each read or write of a store is one to three, each `consumeGas` one. */
const STEPS_MAX = 10_000_000;

export class GasMeter implements EventCounter {
  #used: bigint;
  /** `limit`; below zero once the meter is closed, so that being open costs no check of its own. */
  #last: bigint;
  #steps = 0;
  #eventBytes = 0;

  constructor(
    readonly limit: bigint = GAS_UNLIMITED,
    used = 0n,
  ) {
    this.#used = used;
    this.#last = limit;
  }

  get used(): bigint {
    return this.#used;
  }

  /** A meter of its own, with what this one has counted so far. */
  copy(): GasMeter {
    const copy = new GasMeter(this.limit, this.#used);
    copy.#steps = this.#steps;
    copy.#eventBytes = this.#eventBytes;
    return copy;
  }

  /**
   * The transaction is over: a module that kept its stores or `consumeGas` in a variable cannot use them, for a node that was started since
   * does not have them.
   */
  close(): void {
    this.#last = -1n;
  }

  /** For uses that may charge nothing. @throws UpgradeError UPG_INVALID_NONDETERMINISTIC once it is closed */
  requireOpen(): void {
    if (this.#last < 0n) throw usedLater("a store or gas of a transaction that is over", KEPT);
  }

  /** @throws TxError sdk 11 when the limit is passed; what was asked for counts all the same; UPG_INVALID_NONDETERMINISTIC once it is closed */
  consume(amount: bigint, location: string): void {
    this.#used += amount;
    // Where gas has no limit, in a simulation or by the fee, the calls of stores have one.
    if (++this.#steps > STEPS_MAX) {
      throw new TxError(
        SDK.OUT_OF_GAS,
        `out of steps in location: ${location}; a transaction charges ${STEPS_MAX} times at most`,
      );
    }
    if (this.#used <= this.#last) return;
    this.requireOpen();
    const what = `out of gas in location: ${location}; gasWanted: ${this.limit}, gasUsed: ${this.#used}`;
    throw new TxError(SDK.OUT_OF_GAS, what);
  }

  /** @throws TxError sdk 11 past the bytes that a transaction's events may have, and as `consume` */
  countEvent(bytes: number): void {
    const before = this.#eventBytes;
    this.#eventBytes += bytes;
    if (this.#eventBytes > TX_EVENT_BYTES_MAX) {
      throw new TxError(
        SDK.OUT_OF_GAS,
        `the events of a transaction have at most ${TX_EVENT_BYTES_MAX} bytes, got ${this.#eventBytes}`,
      );
    }
    const paid = this.#eventBytes - Math.max(before, GAS.EVENT_BYTES_FREE);
    if (paid > 0) this.consume(GAS.EVENT_PER_BYTE * BigInt(paid), "EventPerByte");
  }

  /** Dropped events are paid for, as reads and writes are. */
  nestedEvents(): this {
    return this;
  }
}

/** A store that charges for every use. */
class GasKVStore implements KVStore {
  constructor(
    private readonly store: KVStore,
    private readonly meter: GasMeter,
  ) {}

  get(key: Uint8Array): Uint8Array | undefined {
    this.meter.consume(GAS.READ_FLAT, "ReadFlat");
    const value = hostCall(() => this.store.get(key));
    this.#perByte(key.length + (value?.length ?? 0));
    return value;
  }

  has(key: Uint8Array): boolean {
    this.meter.consume(GAS.HAS, "Has");
    return hostCall(() => this.store.has(key));
  }

  *iterate(range?: KeyRange): IterableIterator<KeyValue> {
    this.meter.requireOpen();
    for (const pair of this.store.iterate(range)) {
      this.#perByte(pair[0].length + pair[1].length);
      this.meter.consume(GAS.ITERATE_FLAT, "IterNextFlat");
      yield pair;
    }
  }

  scan(range?: KeyRange): FrameScan {
    this.meter.requireOpen();
    const frames = this.store.scan(range);
    return {
      get passed() {
        return frames.passed;
      },
      get passedBytes() {
        return frames.passedBytes;
      },
      read: (out) => {
        const length = frames.read(out);
        if (length > 0) this.#perByte(length);
        return length;
      },
    };
  }

  set(key: Uint8Array, value: Uint8Array): void {
    this.meter.consume(GAS.WRITE_FLAT, "WriteFlat");
    this.meter.consume(GAS.WRITE_PER_BYTE * BigInt(key.length + value.length), "WritePerByte");
    hostCall(() => this.store.set(key, value));
  }

  delete(key: Uint8Array): void {
    this.meter.consume(GAS.DELETE, "Delete");
    hostCall(() => this.store.delete(key));
  }

  writeFrames(frames: Uint8Array): void {
    this.meter.consume(GAS.WRITE_FLAT, "WriteFlat");
    this.meter.consume(GAS.WRITE_PER_BYTE * BigInt(frames.length), "WritePerByte");
    this.store.writeFrames(frames);
  }

  #perByte(bytes: number): void {
    this.meter.consume(GAS.READ_PER_BYTE * BigInt(bytes), "ReadPerByte");
  }
}

/** Stores that charge for every use. */
export class GasMultiStore implements MultiStore {
  constructor(
    private readonly stores: MultiStore,
    private readonly meter: GasMeter,
  ) {}

  get names(): readonly string[] {
    return this.stores.names;
  }

  /** Of branches below. */
  get depth(): number {
    return (this.stores as { depth?: number }).depth ?? 0;
  }

  store(name: string): KVStore {
    return new GasKVStore(this.stores.store(name), this.meter);
  }

  branch(): CacheMultiStore {
    return new CacheMultiStore(this);
  }

  /** The same stores, for what is done once for the whole chain and not for the transaction that happens to be the first. */
  get uncounted(): MultiStore {
    return this.stores;
  }
}

/** The stores without what charges for their use. */
export function uncounted(stores: MultiStore): MultiStore {
  return stores instanceof GasMultiStore ? stores.uncounted : stores;
}
