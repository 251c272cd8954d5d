/** Where the host takes gas in a run: just below each of these points a run ends, at it the price is paid. */
import { GasCounter, GasTab } from "../../../host/upgrade/handler/run/gas-counter.js";

/** The gas used after each price that the host took while `work` ran, ascending. */
export function chargesOf(work: () => unknown): bigint[] {
  const { charge } = GasCounter.prototype;
  const { take } = GasTab.prototype;
  const points = new Set<bigint>();
  let used = 0n;
  GasCounter.prototype.charge = function (price, what) {
    const before = this.used;
    used = before + BigInt(price);
    points.add(used);
    charge.call(this, price, what);
  };
  GasTab.prototype.take = function (price) {
    used += BigInt(price);
    points.add(used);
    take.call(this, price);
  };
  try {
    work();
  } finally {
    Object.assign(GasCounter.prototype, { charge });
    Object.assign(GasTab.prototype, { take });
  }
  return [...points].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
}

/** At most so many of a list, evenly. */
export function sampled<T>(list: readonly T[], count: number): T[] {
  if (list.length <= count) return [...list];
  return Array.from({ length: count }, (_, i) => list[Math.floor((i * list.length) / count)] as T);
}
