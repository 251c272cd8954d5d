// How far ahead a plan must lie so that a second vote can still cancel it (specification 7.7).
import { add, divideUpByU64, fromU64, u128 } from "../shared/u128";
import { UPG_INVALID_ARGUMENT, UPG_INVALID_HEIGHT } from "./codes";
import * as error from "./error";

/** start + ceil((2 * (voting + deposit) + safety) / block); durations in nanoseconds; below 0: -code. */
export function cancellableHeight(start: i64, voting: i64, deposit: i64, safety: i64, block: i64): i64 {
  if (start < 0 || voting < 0 || deposit < 0 || safety < 0 || block <= 0) {
    return error.fail(
      UPG_INVALID_ARGUMENT,
      "start and durations must not be negative, the block time must be positive",
    );
  }
  const period = add(fromU64(voting), fromU64(deposit));
  const time = add(add(period, period), fromU64(safety));
  const height: u128 = add(divideUpByU64(time, block), fromU64(start));
  const answer: i64 = height.hi != 0 || height.lo > <u64>i64.MAX_VALUE ? -1 : <i64>height.lo;
  heap.reset(); // as-bignum's numbers were the only things on the heap
  return answer < 0 ? error.fail(UPG_INVALID_HEIGHT, "the height does not fit in 64 bits") : answer;
}
