/** An upgrade run again with the receipt that was proven: its handler, its gas, progress, and a run that is called off. */
import { describe, expect, test } from "vitest";
import { isUpgradeError, type UpgradeError } from "../../../host/base/errors/errors.js";
import { sha256 } from "../../../host/base/native/sha256.js";
import { reExecute } from "../../../host/verify/re-execute.js";
import { reExecute as lazily } from "../../../host/verify/re-execute-lazily.js";
import type { RunProgress } from "../../../host/verify/run-watch.js";
import { build, guest } from "../../guest/build.js";
import { IMPORTS } from "../../guest/running.js";
import { splitBalances } from "../../scenario/versions.js";
import { thrownBy } from "../../thrown-by.js";
import { headersOf, upgraded, witnessOf } from "./upgraded-chain.js";

const i32 = (...values: number[]) => values.map((value) => `(i32.const ${value})`).join(" ");
const MAX = { maxBytes: 16 * 1_048_576, sha256 };

describe("reExecute() with the proven receipt", () => {
  const process = upgraded();
  const headers = headersOf(process, 4n);
  const { bytes: witness } = witnessOf(process, splitBalances(), 4n);
  const { bytes: handler, manifest } = splitBalances();
  const input = { ...MAX, witness, handler, headers };
  const { receipt } = reExecute(input);

  test("its own handler and gas → the same result, to the last unit of gas", () => {
    expect(receipt.gas).toBeLessThan(manifest.gasLimit);
    expect(reExecute({ ...input, receipt })).toEqual(reExecute(input));
  });

  test("another handler → UPG_HANDLER_HASH before a byte of it is compiled or run", () => {
    const endless = build(guest({ run: "(loop $l (br $l)) (i32.const 0)" }), { gasLimit: String(10n ** 12n) });
    for (const other of [endless, Uint8Array.of(1, 2, 3)]) {
      const refused = errorOf(() => reExecute({ ...input, handler: other, receipt }));
      expect(refused.code).toBe("UPG_HANDLER_HASH");
      expect(refused.message).toMatch(/has hash [0-9a-f]{64}, and the receipt names [0-9a-f]{64}: it was not run/);
    }
  });

  test("less gas than the chain's own run, another gas schedule → UPG_WITNESS_RESULT", () => {
    const short = { ...receipt, gas: receipt.gas - 1n };
    const refused = errorOf(() => reExecute({ ...input, receipt: short }));
    expect(refused.code).toBe("UPG_WITNESS_RESULT");
    expect(refused.message).toContain(`uses more gas than the ${short.gas} that the receipt counts`);
    const elsewhere = { ...receipt, gasSchedule: "gas-1" };
    expect(errorOf(() => reExecute({ ...input, receipt: elsewhere })).message).toContain('by schedule "gas-1"');
  });

  test("onProgress → stages in order, gas that rises to the receipt's, of the receipt's as its limit", () => {
    const seen: RunProgress[] = [];
    reExecute({ ...input, receipt, onProgress: (progress) => seen.push(progress) });
    const stages = seen.map(({ stage }) => stage);
    expect(stages.filter((stage, at) => stage !== stages[at - 1])).toEqual(["witness", "handler", "trees"]);
    expect(seen.at(-1)).toMatchObject({ gas: receipt.gas, gasLimit: receipt.gas, store: "upgrade" });
    for (const [at, { gas }] of seen.slice(1).entries()) expect(gas).toBeGreaterThanOrEqual(seen[at]?.gas ?? 0n);
    const scans = seen.filter(({ stage, recordsTotal }) => stage === "handler" && recordsTotal > 0);
    expect(scans.length).toBeGreaterThan(0);
  });

  test("a signal that is aborted, before or by onProgress → UPG_HANDLER_ENGINE with the reason", async () => {
    const reason = new Error("the reader pressed Cancel");
    const before = { ...input, signal: AbortSignal.abort(reason) };
    const stopped = { code: "UPG_HANDLER_ENGINE", message: expect.stringContaining("the reader pressed Cancel") };
    await expect(lazily(before)).rejects.toMatchObject(stopped);
    for (const stage of ["witness", "handler", "trees"] as const) {
      const controller = new AbortController();
      const onProgress = (now: RunProgress) => now.stage === stage && controller.abort(reason);
      await expect(lazily({ ...input, onProgress, signal: controller.signal })).rejects.toMatchObject(stopped);
    }
  });

  test("a timer of the same thread between two stages → stops the run; a callback that throws does not", async () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(new Error("time is up")));
    await expect(lazily({ ...input, signal: controller.signal })).rejects.toMatchObject({ code: "UPG_HANDLER_ENGINE" });
    const onProgress = () => {
      throw new Error("of the caller");
    };
    expect((await lazily({ ...input, onProgress })).receipt).toEqual(receipt);
  });

  test("a handler that reads for ever, stopped by onProgress → it ends long before its gas does", () => {
    const read = `(drop (call $get ${i32(0, 16, 1, 200, 0)}))`;
    const guestModule = guest({ imports: IMPORTS, run: `(loop $l ${read} (br $l)) (i32.const 0)` });
    const { storeUpgrades } = manifest;
    const reading = build(guestModule, {
      gasLimit: String(10n ** 12n),
      stores: [{ name: "auth", access: "r" }],
      versions: { auth: { from: [1], to: 2 }, bank: { from: [1], to: 2 } },
      storeUpgrades,
    });
    const controller = new AbortController();
    const onProgress = ({ gas }: RunProgress) => gas > 1_000_000n && controller.abort();
    const refused = errorOf(() => reExecute({ ...input, handler: reading, onProgress, signal: controller.signal }));
    expect(refused).toMatchObject({ code: "UPG_HANDLER_ENGINE" });
    expect(BigInt(String(refused.details?.["gas"]))).toBeLessThan(10n ** 10n);
  });
});

function errorOf(work: () => unknown): UpgradeError {
  const error = thrownBy(work);
  if (isUpgradeError(error)) return error;
  throw error;
}
