/** How far back a node's state goes, found in few steps. */
import { expect, test } from "vitest";
import { earliestHeight } from "../../../../host/serve/query/settings.js";

const LAST_MAX = 40n;

test("earliestHeight() of any run of kept heights → its first, in about twice as many looks as its length has bits", () => {
  for (let last = 1n; last <= LAST_MAX; last++) {
    for (let first = 1n; first <= last; first++) {
      let looks = 0;
      const has = (height: bigint) => {
        looks++;
        return height >= first && height <= last;
      };
      expect(earliestHeight(has, last), `${first} to ${last}`).toBe(first);
      expect(looks).toBeLessThanOrEqual(2 * (last - first + 1n).toString(2).length + 1);
    }
  }
});
