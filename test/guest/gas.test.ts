/** What the host takes for what it does, and that it takes it first. */
import { setFlagsFromString } from "node:v8";
import { describe, expect, test } from "vitest";
import { isUpgradeError } from "../../host/base/errors/errors.js";
import { fromHex } from "../../host/base/text/bytes.js";
import { HOST_PRICES } from "../../host/upgrade/handler/meter/schedule.js";
import { data, load, OUT } from "./build.js";
import { failure, IMPORTS, pairsOf, runGuest, runHandlerIn, STORES } from "./running.js";

const i32 = (...values: number[]) => values.map((value) => `(i32.const ${value})`).join(" ");
const KEYS = `${data(16, fromHex("0102"))} ${data(OUT + 4, fromHex("0200000001000000010203"))}`;
const STORED = { all: [["0102", "aabbcc"]] } as const;
const { byte } = HOST_PRICES;
/** One of the first writes of a run. */
const PUT = HOST_PRICES.put + HOST_PRICES.writeAlone;

/** Gas of one body of handler_run over that of another; the files are of one length. */
function difference(call: string): bigint {
  const parts = (body: string) => ({ imports: IMPORTS, run: `${body} (i32.const 0)`, more: KEYS });
  const gas = (body: string) => {
    const handler = load(parts(body), { stores: STORES });
    const { report } = runHandlerIn(handler, { stores: STORED });
    return report.gas - BigInt(handler.bytes.length * HOST_PRICES.fileByte);
  };
  return gas(call) - gas("");
}

describe("prices of the host", () => {
  test.each<[what: string, call: string, instructions: number, host: number]>([
    ["store_get", `(drop (call $get ${i32(0, 16, 2, 0, 9)}))`, 5 + 6 + 1, HOST_PRICES.store_get + (2 + 3) * byte],
    ["store_get of what is not there", `(drop (call $get ${i32(0, 16, 1, 0, 9)}))`, 12, HOST_PRICES.store_get + byte],
    ["store_set", `(drop (call $set ${i32(0, 16, 2, 100, 7)}))`, 12, PUT + (2 + 7) * byte],
    [
      "store_delete",
      `(drop (call $delete ${i32(0, 16, 2)}))`,
      3 + 6 + 1,
      HOST_PRICES.delete + HOST_PRICES.writeAlone + 2 * byte,
    ],
    [
      "store_scan",
      `(drop (call $scan ${i32(0, 16, 1, 0, 0, 0, 99)}))`,
      7 + 6 + 1,
      HOST_PRICES.store_scan + HOST_PRICES.scanPair + (1 + 8 + 2 + 3) * byte,
    ],
    ["store_write", `(drop (call $write ${i32(OUT + 4, 11)}))`, 2 + 6 + 1, HOST_PRICES.store_write + PUT + 11 * byte],
    ["log", `(call $log ${i32(1, 16, 5)})`, 3 + 6, HOST_PRICES.log + 5 * HOST_PRICES.logByte],
    ["log of more than is shown", `(call $log ${i32(1, 16, 9_000)})`, 9, HOST_PRICES.log + 4_096 * HOST_PRICES.logByte],
    ["progress", "(call $progress (i64.const 1) (i64.const 2))", 2 + 6, HOST_PRICES.progress],
  ])("%s", (_, call, instructions, host) => {
    expect(difference(call)).toBe(BigInt(instructions + host));
  });

  test("a handler that does nothing: its bytes, three calls, its context in", () => {
    const handler = load({}, { stores: STORES });
    const { report } = runHandlerIn(handler);
    // handler_in, handler_out and handler_run are one instruction each; the context has 20 bytes and more.
    const context = report.gas - BigInt(handler.bytes.length * HOST_PRICES.fileByte + 3 * HOST_PRICES.hostCall + 3);
    expect(context).toBeGreaterThanOrEqual(15n);
    expect(context).toBeLessThan(40n);
  });

  test("batches: in and out by the byte, frames as writes", () => {
    const manifest = { stores: STORES, scans: [{ store: "read" }] };
    const parts = (length: number) => ({
      batch: `(i32.store (i32.const ${OUT}) (local.get $len)) (i32.const ${length})`,
      more: KEYS,
    });
    const gas = (length: number) => runGuest(parts(length), { manifest, stores: { read: [["01", "aa"]] } }).report.gas;
    // 4 and 15 are LEBs of one byte, so the files have one length.
    expect(gas(15) - gas(4)).toBe(BigInt(PUT + 11 * byte));
  });
});

describe("gas runs out", () => {
  const set = `(drop (call $set ${i32(0, 16, 2, 100, 7)}))`;
  const handler = load({ imports: IMPORTS, run: `${set} (i32.const 0)`, more: KEYS }, { stores: STORES });
  const { gas } = runHandlerIn(handler).report;

  test("at any limit below what a run uses → UPG_MIGRATION_OUT_OF_GAS; at it, and above → the run", () => {
    for (let limit = 0n; limit < gas; limit += limit < gas - 1_000n ? 997n : 7n) {
      expect(() => runHandlerIn(handler, { input: { gasLimit: limit } })).toThrow(
        failure("UPG_MIGRATION_OUT_OF_GAS", `used up its gas of ${limit} in `),
      );
    }
    for (const gasLimit of [gas, gas + 1n, 1_000_000_000_000n]) {
      const { report, stores } = runHandlerIn(handler, { input: { gasLimit } });
      expect(report.gas).toBe(gas);
      expect(pairsOf(stores, "all")).toHaveLength(1);
    }
  });

  test("what was counted → in the error of a run that failed, never more than the limit", () => {
    const more = { imports: IMPORTS, run: `${set} unreachable`, more: KEYS };
    const broken = load(more, { stores: STORES });
    const spent = (gasLimit: bigint) => {
      try {
        return runHandlerIn(broken, { input: { gasLimit } }).report.gas;
      } catch (error) {
        return isUpgradeError(error) ? BigInt(error.details["gas"] ?? -1) : -2n;
      }
    };
    const trapped = spent(1_000_000n);
    expect(trapped).toBeGreaterThan(BigInt(PUT + broken.bytes.length * HOST_PRICES.fileByte));
    expect(trapped).toBeLessThanOrEqual(gas + BigInt(broken.bytes.length * HOST_PRICES.fileByte));
    expect(spent(trapped - 3_000n)).toBe(trapped - 3_000n);
  });

  test("before a write → it does not happen", () => {
    const base = gas - BigInt(PUT);
    const written: string[] = [];
    const stores = runHandlerIn(handler).base.branch();
    const store = stores.store("all");
    store.set = (key) => void written.push(String(key));
    expect(() => runHandlerIn(handler, { input: { stores, gasLimit: base } })).toThrow(
      failure("UPG_MIGRATION_OUT_OF_GAS"),
    );
    expect(written).toEqual([]);
  });
});

describe("an engine at its end", () => {
  test("memory.grow that is allowed and refused by the engine → UPG_HANDLER_ENGINE, not an answer", () => {
    const run = "(drop (memory.grow (i32.const 8))) (i32.const 0)";
    const handler = load({ run, memory: '(memory (export "memory") 16 64)' });
    expect(runHandlerIn(handler).report.memoryPages).toBe(24);
    setFlagsFromString("--wasm-max-mem-pages=20");
    try {
      expect(() => runHandlerIn(handler)).toThrow(failure("UPG_HANDLER_ENGINE", "not a result of the handler"));
    } finally {
      setFlagsFromString("--wasm-max-mem-pages=65536");
    }
  });
});
