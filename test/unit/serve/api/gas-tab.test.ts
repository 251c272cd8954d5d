/** A tab is the counter with fewer looks into the instance: the same count, the same end. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { GasCounter, GasTab } from "../../../../host/upgrade/handler/run/gas-counter.js";
import { thrownBy } from "../../../thrown-by.js";

const price = fc.nat({ max: 1_000_000 });
/** Also beyond what a number holds exactly. */
const limit = fc.oneof(fc.bigInt(0n, 10_000_000n), fc.bigInt(2n ** 53n - 1_000_000n, 2n ** 53n + 1_000_000n));

test("GasTab with any prices, settled now and then → count and end as if each price were charged alone", () => {
  fc.assert(
    fc.property(limit, fc.array(fc.tuple(price, fc.boolean())), (most, prices) => {
      const [alone, together] = [new GasCounter(most), new GasCounter(most)];
      const tab = new GasTab(together, "writes");
      for (const [each, isSettled] of prices) {
        const end = thrownBy(() => alone.charge(each, "writes"));
        expect(
          thrownBy(() => {
            tab.take(each);
            if (isSettled) tab.settle();
          }),
        ).toEqual(end);
        if (end) break;
      }
      thrownBy(() => tab.settle());
      expect(together.left).toBe(alone.left);
    }),
  );
});

test("GasTab of a counter that is below 0 → UPG_MIGRATION_OUT_OF_GAS at the first price", () => {
  const gas = new GasCounter(10n);
  thrownBy(() => gas.charge(11, "writes"));
  const tab = new GasTab(gas, "writes");
  tab.settle();
  expect(thrownBy(() => tab.take(1))).toMatchObject({ code: "UPG_MIGRATION_OUT_OF_GAS" });
  expect(gas.left).toBe(-2n);
});
