/** The time of a block when the machine's clock jumps. */
import fc from "fast-check";
import { afterEach, expect, test, vi } from "vitest";
import { compareTimes } from "../../../../host/base/time/time.js";
import { wallClock } from "../../../../host/node/embedded/clock.js";

afterEach(() => vi.restoreAllMocks());

test("wallClock.after() while the clock goes back and forth by years → each block a millisecond later at least", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 4_000_000_000_000 }), { minLength: 2 }), (moments) => {
      let last = { seconds: 1_767_225_600n, nanos: 999_999_999 };
      for (const moment of moments) {
        vi.spyOn(Date, "now").mockReturnValue(moment);
        const next = wallClock.after(last);
        const nanos = (next.seconds - last.seconds) * 1_000_000_000n + BigInt(next.nanos - last.nanos);
        expect(compareTimes(next, last)).toBeGreaterThan(0);
        expect(nanos >= 1_000_000n).toBe(true);
        expect(next.nanos >= 0 && next.nanos < 1_000_000_000).toBe(true);
        last = next;
      }
    }),
  );
});
