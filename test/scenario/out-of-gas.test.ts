/** The real handler with less gas than it needs: wherever it ends, the chain is as it was, and can go on. */
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sha256 } from "../../host/base/native/sha256.js";
import { loadHandler, type WasmHandler } from "../../host/upgrade/handler/handler.js";
import { GAS_SCHEDULE } from "../../host/upgrade/handler/meter/schedule.js";
import { decodeReceipt } from "../../host/upgrade/handler/receipt.js";
import { V1 } from "../example-chain.js";
import { Chain, type Process } from "./chain.js";
import { SPLIT_BALANCES } from "./versions.js";

const POINTS = 40;

/** The handler with another limit in its manifest; the file keeps its length, which costs gas too. */
function limited(gasLimit: bigint): WasmHandler {
  const text = readFileSync(SPLIT_BALANCES, "latin1");
  const changed = text.replace(/"gasLimit":"\d+"/, (old) => `"gasLimit":"${gasLimit}"`.padEnd(old.length, " "));
  expect(changed.length).toBe(text.length);
  return loadHandler(Buffer.from(changed, "latin1"), { sha256 });
}

function beforeTheHeight(): Chain {
  const chain = new Chain();
  const old = chain.start({ versions: [V1] });
  old.schedule({ name: "v2", height: 4n });
  old.upTo(3n);
  return chain;
}

function receiptOf(process: Process) {
  const bytes = process.state.store("upgrade").get(Buffer.from("\u0004v2"));
  return decodeReceipt(bytes ?? new Uint8Array());
}

/** What an upgrade costs that ends well. */
const due = (() => {
  const process = beforeTheHeight().start({ handlers: [limited(99_999_999_999n)] });
  const { applied } = process.block();
  return { gas: applied?.report?.gas ?? 0n, receipt: receiptOf(process) };
})();

describe("gas of an upgrade", () => {
  test("is in the receipt with its schedule, and is the report's", () => {
    expect(due.gas).toBeGreaterThan(10_000n);
    expect(due.receipt).toMatchObject({ gas: due.gas, gasSchedule: GAS_SCHEDULE });
  });

  test("with exactly as much as it needs → it applies and has used it all", () => {
    const process = beforeTheHeight().start({ handlers: [limited(due.gas)] });
    expect(process.block().applied?.report?.gas).toBe(due.gas);
  });

  test("with one less, and at 40 points between → UPG_MIGRATION_OUT_OF_GAS (20), nothing written", () => {
    const chain = beforeTheHeight();
    const before = chain.contents();
    const runOut = (gasLimit: bigint) => {
      const failure = chain.start({ handlers: [limited(gasLimit)] }).untilHalt();
      expect(failure).toMatchObject({ code: "UPG_MIGRATION_OUT_OF_GAS", kind: { exit: 20 } });
      expect(chain.contents()).toEqual(before);
    };
    runOut(due.gas - 1n);
    runOut(1n);
    fc.assert(fc.property(fc.bigInt(1n, due.gas - 1n), runOut), { numRuns: POINTS });
  });

  test("gone → the chain goes on with the old version and a skip height", () => {
    const chain = beforeTheHeight();
    chain.start({ handlers: [limited(due.gas / 2n)] }).untilHalt();
    const old = chain.start({ versions: [V1], skipHeights: [4n] });
    old.blocks(3);
    expect(old).toMatchObject({ height: 6n, plan: undefined });
    expect(old.versions).toMatchObject({ auth: "1" });
  });
});
