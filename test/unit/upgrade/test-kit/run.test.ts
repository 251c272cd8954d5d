/** What is a handler's failure, and what is a mistake of who runs it. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { openHandler, runScene } from "../../../../host/upgrade/test-kit/index.js";

const handler = openHandler(readFileSync("build/examples/split-balances.wasm"));

test("runScene() with too little gas → a run that failed, nothing changed; with a time that is no number → it throws", () => {
  const run = runScene(handler, {}, { gasLimit: 1n });
  expect(run).toMatchObject({ ok: false, gas: undefined, diff: {} });
  expect(run.error?.code).toBe("UPG_MIGRATION_OUT_OF_GAS");
  expect(() => runScene(handler, { time: 1.5 })).toThrow(RangeError);
});
