/** At which gas limits a handler is stopped: right at its host calls, and anywhere between. */
import { isUpgradeError } from "../../base/errors/errors.js";
import { CountedStores } from "./counted-stores.js";
import type { SceneRunner } from "./run.js";

/** Host calls at which gas runs out; more than these are sampled evenly. */
const HOST_CALLS_MAX = 200;

/** For each host call the greatest limit that does not reach it, ascending. */
export function limitsBeforeHostCalls(runner: SceneRunner, gas: bigint): bigint[] {
  const calls = new Map<bigint, number>();
  const callsWithin = (limit: bigint): number => {
    const known = calls.get(limit);
    if (known !== undefined) return known;
    const stores = new CountedStores(runner.base.branch());
    try {
      runner.call(stores, { gasLimit: limit });
    } catch (error) {
      if (!isUpgradeError(error)) throw error;
    }
    calls.set(limit, stores.calls);
    return stores.calls;
  };
  const total = callsWithin(gas);
  const count = Math.min(total, HOST_CALLS_MAX);
  return Array.from({ length: count }, (_, i) => {
    const call = count < total ? Math.floor((i * total) / count) : i;
    let low = 0n; // makes at most `call` calls
    let high = gas; // makes more
    while (high - low > 1n) {
      const middle = (low + high) / 2n;
      if (callsWithin(middle) <= call) low = middle;
      else high = middle;
    }
    return low;
  }).filter((limit) => limit > 0n);
}

/** Limits spread over a run by a generator with a fixed seed. */
export function seededLimits(seed: number, count: number, gas: bigint): bigint[] {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b_79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  return Array.from({ length: count }, () => 1n + ((BigInt(next()) * (gas - 1n)) >> 32n));
}
