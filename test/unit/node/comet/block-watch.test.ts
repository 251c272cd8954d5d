import { expect, test } from "vitest";
import { BlockWatch } from "../../../../host/node/comet/block-watch.js";

test("a block that is run twice, and committed → in its run both times, done at the commit alone", async () => {
  const watch = new BlockWatch();
  await watch.untilDone();
  expect([watch.isUnderWay, watch.isInRun]).toEqual([false, false]);
  watch.begin();
  const done = watch.untilDone().then(() => "done");
  expect([watch.isUnderWay, watch.isInRun]).toEqual([true, true]);
  watch.ran();
  expect([watch.isUnderWay, watch.isInRun]).toEqual([true, false]);
  watch.begin();
  expect(watch.isInRun).toBe(true);
  watch.ran();
  expect(await Promise.race([done, new Promise((resolve) => setTimeout(resolve, 5, "under way"))])).toBe("under way");
  watch.end();
  expect([watch.isUnderWay, watch.isInRun]).toEqual([false, false]);
  expect(await done).toBe("done");
});
