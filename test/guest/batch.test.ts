/** Guests that migrate in batches: how the host cuts them, what it says with them, and that it makes no difference. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { utf8 } from "../../host/base/text/bytes.js";
import { type GuestParts, IN, load, OUT } from "./build.js";
import { MOVE, mover, REPORT } from "./mover.js";
import { arrayStores, IMPORTS, type Pairs, pairsOf, type Ran, runHandlerIn } from "./running.js";

const consume = (bytes: string) => `(i32.store (i32.const ${OUT}) ${bytes}) (i32.const 4)`;

function run(
  parts: GuestParts,
  stores: Readonly<Record<string, Pairs>>,
  batchBytes?: number,
  manifest: object = MOVE,
): Ran {
  const handler = load({ imports: IMPORTS, ...parts }, { ...manifest });
  const input = batchBytes === undefined ? {} : { batchBytes };
  return runHandlerIn(handler, { stores: { old: [], new: [], ...stores }, input });
}

/** Pairs with 2-byte keys from 0001 on, and values of the given lengths. */
function pairs(valueBytes: readonly number[]): Pairs {
  return valueBytes.map((bytes, i) => [(i + 1).toString(16).padStart(4, "0"), "ab".repeat(bytes)]);
}

describe("handler_batch", () => {
  test("a store of several batches → moved whole, batches packed by the rule, the last one marked", () => {
    const old = pairs(Array.from({ length: 30 }, () => 10));
    const ran = run({ batch: mover(100_000) }, { old }, 100);
    // Frames of 20 bytes: five fill 100.
    expect(ran.steps).toEqual([...Array.from({ length: 5 }, () => "0/100"), "1/100"]);
    expect(pairsOf(ran.stores, "new")).toEqual(old);
    expect(pairsOf(ran.stores, "old")).toEqual([]);
    expect(ran.report.stores.get("old")).toEqual({ written: 0, deleted: 30, bytes: 60 });
    expect(ran.report.stores.get("new")).toEqual({ written: 30, deleted: 0, bytes: 360 });
  });

  test("without another size, batches have up to 65,536 bytes", () => {
    const old = pairs(Array.from({ length: 200 }, () => 990));
    const ran = run({ batch: mover(200_000) }, { old });
    expect(ran.steps).toEqual(["0/65000", "0/65000", "0/65000", "1/5000"]);
    expect(pairsOf(ran.stores, "new")).toEqual(old);
  });

  test("a scan without pairs → one call with nothing and the mark", () => {
    expect(run({ batch: mover(100) }, {}).steps).toEqual(["1/0"]);
  });

  test("a larger frame travels alone, in a buffer that was asked for it once", () => {
    const handlerIn = `(call $progress (i64.const -1) (i64.extend_i32_u (local.get $cap))) (i32.const ${IN})`;
    const old = pairs([10, 70_000, 10, 10, 70_000, 70_001]);
    const ran = run({ in: handlerIn, batch: mover(200_000) }, { old });
    expect(ran.steps).toEqual(["-1/65536", "0/20", "-1/70010", "0/70010", "0/40", "0/70010", "-1/70011", "1/70011"]);
    expect(pairsOf(ran.stores, "new")).toEqual(old);
  });

  test("a larger frame for which the guest has no room → UPG_MIGRATION_FAILED", () => {
    const handlerIn = `(if (result i32) (i32.gt_u (local.get $cap) (i32.const 65536)) (then (i32.const 0)) (else (i32.const ${IN})))`;
    const refused = expect.objectContaining({
      code: "UPG_MIGRATION_FAILED",
      message: expect.stringContaining("handler_in(70010) refused"),
    });
    expect(() => run({ in: handlerIn, batch: mover(200_000) }, { old: pairs([70_000]) })).toThrow(refused);
  });

  test("what was not consumed comes again, packed afresh, and the last batch is marked again", () => {
    const old = pairs([10, 10, 10, 10, 10]);
    // Room for two frames of output, batches of three of input.
    const ran = run({ batch: mover(50) }, { old }, 60);
    expect(ran.steps).toEqual(["0/60", "1/60", "1/20"]);
    expect(pairsOf(ran.stores, "new")).toEqual(old);
  });

  test("what comes again is what the store holds, whatever the guest did to its buffer", () => {
    const spoil = `(memory.fill (i32.const ${IN}) (i32.const 255) (i32.const 65536))`;
    const batch = `(local $first i32) ${REPORT}
      (local.set $first (i32.add (i32.const 8) (i32.add (i32.load (i32.const ${IN})) (i32.load offset=4 (i32.const ${IN})))))
      ${spoil} (i32.store (i32.const ${OUT}) (local.get $first)) (i32.const 4)`;
    expect(run({ batch }, { old: pairs([1, 2, 3]) }, 100).steps).toEqual(["1/36", "1/25", "1/13"]);
  });

  test("scans run one after another, by their index, each inside its prefix", () => {
    const manifest = {
      stores: [
        { name: "old", access: "rw", prefixes: ["01", "02ff"] },
        { name: "new", access: "r" },
      ],
      scans: [
        { store: "old", prefix: "01" },
        { store: "new" },
        { store: "old", prefix: "02ff" },
        { store: "old", prefix: "0105" },
      ],
    };
    const stores: Record<string, Pairs> = {
      old: [
        ["00", ""],
        ["01", ""],
        ["0105", ""],
        ["02", ""],
        ["02ff", ""],
        ["02ff00", ""],
        ["03", ""],
      ],
      new: [["aa", "bb"]],
    };
    const ran = run({ batch: `${REPORT} ${consume("(local.get $len)")}` }, stores, undefined, manifest);
    expect(ran.steps).toEqual(["1/19", "1001/10", "2001/21", "3001/10"]);
  });

  test("a scan reads the store as it was before handler_run; store_get and store_scan see the writes", () => {
    const old = pairs([1, 1, 1]);
    const remove = "(drop (call $delete (i32.const 0) (i32.const 16) (i32.const 2)))";
    const look =
      "(call $progress (i64.const -2) (i64.extend_i32_s (call $get (i32.const 0) (i32.const 16) (i32.const 2) (i32.const 0) (i32.const 0))))";
    const count =
      "(call $progress (i64.const -3) (i64.extend_i32_s (call $scan (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 1024) (i32.const 1024))))";
    const ran = run(
      {
        run: `${remove} ${look} (i32.const 0)`,
        batch: mover(1_000, count),
        check: `${count} (i32.const 0)`,
        more: '(data (i32.const 16) "\\00\\02")',
      },
      { old },
    );
    expect(ran.steps).toEqual(["-2/-1", "-3/22", "1/33", "-3/0"]);
    expect(pairsOf(ran.stores, "new")).toEqual(old);
    expect(pairsOf(ran.base, "old")).toEqual(old);
  });

  test("a result does not depend on the size of batches", () => {
    const value = fc.oneof(fc.nat(40), fc.nat(2_000));
    const sizes = [1, 64, 1_000, 65_536];
    const handler = load({ imports: IMPORTS, batch: mover(3_000) }, MOVE);
    fc.assert(
      fc.property(fc.array(value, { maxLength: 40 }), (valueBytes) => {
        const old = pairs(valueBytes);
        const results = sizes.map((batchBytes) => {
          const stores = arrayStores({ old, new: [] });
          const { report, stores: branch } = runHandlerIn(handler, { stores: { old, new: [] }, input: { batchBytes } });
          expect(branch.names).toEqual(stores.names);
          // A call more is a call that costs.
          return { report: { ...report, gas: 0n }, old: pairsOf(branch, "old"), new: pairsOf(branch, "new") };
        });
        for (const result of results) expect(result).toEqual(results[0]);
        expect(results[0]?.new).toEqual(old);
      }),
      { numRuns: 60 },
    );
  });

  test("the context is untouched by batches: handler_check sees what handler_run saw", () => {
    const keep = `(memory.copy (i32.const 1024) (i32.const ${IN}) (local.get $len))`;
    const check = `(call $progress (i64.load (i32.const 1024)) (i64.load (i32.const ${IN}))) (i32.const 0)`;
    const ran = run({ run: `${keep} (i32.const 0)`, batch: consume("(local.get $len)"), check }, { old: pairs([100]) });
    const [before, after] = (ran.steps[0] ?? "").split("/");
    expect(after).toBe(before);
    // The first eight bytes: tag and length of the chain id, and the chain id.
    const bytes = Uint8Array.from(utf8("\n\u0006test-1"));
    expect(after).toBe(String(new DataView(bytes.buffer).getBigInt64(0, true)));
  });
});
