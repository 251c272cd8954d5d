/** Where a run was when it failed: what the details of its error say, and what an observer sees. */
import { describe, expect, test } from "vitest";
import { isUpgradeError, type UpgradeError } from "../../host/base/errors/errors.js";
import type { HandlerInput } from "../../host/upgrade/handler/run/sandbox.js";
import { type GuestParts, load } from "./build.js";
import { runHandlerIn } from "./running.js";

const PAIRS = [
  ["01", "aa"],
  ["0102", "bb"],
  ["0103", "cc"],
] as const;
const MANIFEST = { stores: [{ name: "all", access: "rw" }], scans: [{ store: "all" }] };
/** Consumes everything; traps when the second byte of the first key is `at`. */
const trapsAt = (at: number) =>
  `(if (i32.eq (i32.load8_u (i32.const 65545)) (i32.const ${at})) (then unreachable))
   (i32.store (i32.const 262144) (local.get $len)) (i32.const 4)`;

function failure(parts: GuestParts, input: Partial<HandlerInput> = {}, manifest: object = MANIFEST): UpgradeError {
  try {
    runHandlerIn(load(parts, { ...manifest }), { stores: { all: PAIRS }, input });
  } catch (error) {
    if (isUpgradeError(error)) return error;
    throw error;
  }
  throw new Error("the run did not fail");
}

describe("runHandler(), of a guest that fails", () => {
  test("in handler_run → phase handler_run, no scan, no key", () => {
    const { details } = failure({ run: "unreachable", batch: "(i32.const 0)" });
    expect(details).toMatchObject({ phase: "handler_run", memory: String(16 * 65_536), trap: "unreachable" });
    expect(details).not.toHaveProperty("key");
  });

  test("that ends itself when its memory is full → out of memory by name, after the trap; code and trap are those of any other", () => {
    const grows = "(loop $again (br_if $again (i32.ne (memory.grow (i32.const 16)) (i32.const -1)))) unreachable";
    const full = failure({ run: grows, batch: trapsAt(9) });
    expect([full.code, full.details["trap"]]).toEqual(["UPG_HANDLER_TRAP", "unreachable"]);
    expect(full.message).toBe("the handler trapped in handler_run: unreachable, out of memory: 32 MiB");
    const small = failure({ run: grows, batch: trapsAt(9), memory: '(memory (export "memory") 16 48)' });
    expect(small.message).toBe("the handler trapped in handler_run: unreachable, out of memory: 3 MiB");
    const inScan = failure({ batch: trapsAt(3).replace("unreachable", grows) }, { batchBytes: 1 });
    expect(inScan.message).toMatch(
      /^the handler trapped in handler_batch: unreachable, out of memory: 32 MiB, grows 16252928 bytes a pair$/,
    );
    for (const memory of ['(memory (export "memory") 16)', '(memory (export "memory") 16 16)']) {
      expect(failure({ run: "unreachable", batch: trapsAt(9), memory }).message).toBe(
        "the handler trapped in handler_run: unreachable",
      );
    }
    expect(
      failure({
        batch: trapsAt(9),
        run: grows.replace("unreachable", "(drop (i32.div_u (i32.const 1) (i32.const 0))) (i32.const 0)"),
      }).message,
    ).toBe("the handler trapped in handler_run: division by zero");
  });

  test("in the third batch of a pair each → the scan, its store, two pairs consumed, the third one's key", () => {
    const { details } = failure({ batch: trapsAt(3) }, { batchBytes: 1 });
    expect(details).toMatchObject({ phase: 'scan 0 of store "all"', scan: "0", store: "all", pairs: "2", key: "0103" });
  });

  test("in a batch of all pairs → the key of the first", () => {
    const { details } = failure({ batch: "unreachable" });
    expect(details).toMatchObject({ pairs: "0", key: "01", memory_before: String(16 * 65_536) });
  });

  test("with batches that become one pair each after the first → the same pair as when all are", () => {
    const batchBytes = (_scan: number, consumed: number) => (consumed < 1 ? 11 : 1);
    const { details } = failure({ batch: trapsAt(3) }, { batchBytes });
    expect(details).toMatchObject({ pairs: "2", key: "0103" });
  });

  test("in handler_check, after a scan → phase handler_check, and no key of the scan", () => {
    const { details } = failure({ batch: trapsAt(9), check: "unreachable" });
    expect(details).toMatchObject({ phase: "handler_check", trap: "unreachable" });
    expect(details).not.toHaveProperty("key");
  });

  test("a key longer than 256 bytes → its beginning", () => {
    const handler = load({ batch: "unreachable" }, MANIFEST);
    const stores = { all: [["01".repeat(300), "aa"]] as const };
    expect(() => runHandlerIn(handler, { stores })).toThrow(
      expect.objectContaining({ details: expect.objectContaining({ key: `${"01".repeat(256)}…` }) }),
    );
  });
});

describe("runHandler(), with an observer", () => {
  test("→ the places in order with the gas until each, every batch with its pages, and all that the host charged", () => {
    const places: string[] = [];
    const batches: unknown[] = [];
    let charged = 0;
    const observer = {
      onPlace: (place: string, gas: bigint) => places.push(`${place} ${gas > 0n}`),
      onBatch: (...batch: readonly number[]) => batches.push(batch),
      onCharge: (_what: string, price: number) => {
        charged += price;
      },
    };
    const parts = { batch: trapsAt(9), check: "(i32.const 0)" };
    const { report } = runHandlerIn(load(parts, MANIFEST), {
      stores: { all: PAIRS },
      input: { observer, batchBytes: 1 },
    });
    expect(places).toEqual(["loading false", "handler_run true", 'scan 0 of store "all" true', "handler_check true"]);
    expect(batches).toEqual([
      [0, 0, 16],
      [0, 1, 16],
      [0, 2, 16],
    ]);
    expect(charged).toBeGreaterThan(0);
    expect(BigInt(charged)).toBeLessThan(report.gas);
    expect(runHandlerIn(load(parts, MANIFEST), { stores: { all: PAIRS }, input: { batchBytes: 1 } }).report).toEqual(
      report,
    );
  });
});
