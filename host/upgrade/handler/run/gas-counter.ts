/**
 * The gas of one run. While the guest runs, the metered code keeps the count; the host takes its own prices from the
 * same number, so there is one count and one end.
 */
import { assert, UpgradeError } from "../../../base/errors/errors.js";
import { METER_EXPORTS } from "../meter/meter-exports.js";
import { HOST_PRICES } from "../meter/schedule.js";

const EXACT_MAX = BigInt(Number.MAX_SAFE_INTEGER);

export type StopReason = "gas" | "stack" | "memory";

export class GasCounter {
  readonly limit: bigint;
  /** What is left while there is no guest yet. */
  #before: bigint;
  #gas: WebAssembly.Global<"i64"> | undefined;
  #stack: WebAssembly.Global<"i32"> | undefined;
  #refused: WebAssembly.Global<"i32"> | undefined;

  /** @param onCharge hears what the host takes, and what for */
  constructor(
    limit: bigint,
    private readonly onCharge?: (what: string, price: number) => void,
  ) {
    this.limit = limit;
    this.#before = limit;
  }

  /** @internal from now on the count is in the instance */
  bind(exports: WebAssembly.Exports): void {
    const { [METER_EXPORTS.gas]: gas, [METER_EXPORTS.stack]: stack, [METER_EXPORTS.refused]: refused } = exports;
    const areGlobals = [gas, stack, refused].every((each) => each instanceof WebAssembly.Global);
    assert(areGlobals, "a metered handler has no counters");
    this.#gas = gas as WebAssembly.Global<"i64">;
    this.#stack = stack as WebAssembly.Global<"i32">;
    this.#refused = refused as WebAssembly.Global<"i32">;
    this.#gas.value = this.#before;
  }

  /** Below 0: it is gone. */
  get left(): bigint {
    return this.#gas ? this.#gas.value : this.#before;
  }

  get used(): bigint {
    return this.limit - this.left;
  }

  /** @throws UpgradeError UPG_MIGRATION_OUT_OF_GAS, before the host does what it is for */
  charge(price: number, what: string): void {
    this.onCharge?.(what, price);
    const left = this.left - BigInt(price);
    if (this.#gas) this.#gas.value = left;
    else this.#before = left;
    if (left < 0n) throw this.outOfGas(what);
  }

  /** {@link charge} for bytes that cross. */
  chargeBytes(count: number, what: string): void {
    this.charge(count * HOST_PRICES.byte, what);
  }

  /** Metered code may end with a debt, which it would have found at the next check. */
  requireRest(call: string): void {
    if (this.left < 0n) throw this.outOfGas(call);
  }

  /** Why the metered code ended itself; undefined: it did not. */
  get stopReason(): StopReason | undefined {
    if (this.#refused?.value === 1) return "memory";
    if (this.left < 0n) return "gas";
    return (this.#stack?.value ?? 0) < 0 ? "stack" : undefined;
  }

  /** @param cause what ended the guest, with its stack */
  outOfGas(what: string, cause?: unknown): UpgradeError {
    const advice = "the handler does more work than its manifest allows; a higher gasLimit makes another handler";
    return new UpgradeError(
      "UPG_MIGRATION_OUT_OF_GAS",
      `the handler used up its gas of ${this.limit} in ${what}: ${advice}`,
      { cause, details: { limit: String(this.limit), call: what } },
    );
  }
}

/**
 * Many small prices while the guest does not run: added up here and taken from the counter by `settle`, since a look into the
 * instance costs more than what it pays for. Ends at the same price as if each were charged alone.
 */
export class GasTab {
  #taken = 0;
  /** What is known to be left; nothing before the first price. */
  #rest = 0;

  constructor(
    private readonly gas: GasCounter,
    private readonly what: string,
  ) {}

  /** @throws UpgradeError UPG_MIGRATION_OUT_OF_GAS */
  take(price: number): void {
    this.#taken += price;
    if (this.#taken > this.#rest) this.settle();
  }

  /** Due before anybody else looks at the counter. @throws UpgradeError UPG_MIGRATION_OUT_OF_GAS */
  settle(): void {
    if (this.#taken === 0) return;
    const price = this.#taken;
    this.#taken = 0;
    this.gas.charge(price, this.what);
    const { left } = this.gas;
    this.#rest = left < EXACT_MAX ? Number(left) : Number.MAX_SAFE_INTEGER;
  }
}
