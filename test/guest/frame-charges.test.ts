/** Framed writes are charged frame by frame: what a failed run counted, and which error wins, follow from their order. */
import { describe, expect, test } from "vitest";
import { isUpgradeError } from "../../host/base/errors/errors.js";
import { concatBytes, fromHex } from "../../host/base/text/bytes.js";
import { HOST_PRICES, longPrice } from "../../host/upgrade/handler/meter/schedule.js";
import { thrownBy } from "../thrown-by.js";
import { data, load, OUT } from "./build.js";
import { failure, IMPORTS, runHandlerIn, STORES } from "./running.js";

const OPS = 0x2000;
const PUT = HOST_PRICES.put + HOST_PRICES.writeAlone;
/** A key of more than 1,024 bytes is paid for by its length too. */
const LONG_KEY = 1_100;

function put(head: number, key: Uint8Array): Uint8Array {
  const words = new DataView(new ArrayBuffer(8));
  words.setUint32(0, (head | key.length) >>> 0, true);
  return concatBytes(new Uint8Array(words.buffer), key);
}

const inPart = (first: number) => put(2 << 24, fromHex(`0${first}0a`));
const long = put(2 << 24, concatBytes(Uint8Array.of(1), new Uint8Array(LONG_KEY - 1)));
/** All of one length, so that runs differ in where the bad one is alone. */
const BAD: readonly (readonly [what: string, frame: Uint8Array, message: string])[] = [
  ["malformed", put(0x8000_0000, fromHex("010a")), "unknown operation 2"],
  ["of a store that is not listed", put(9 << 24, fromHex("010a")), "there is no store 9"],
  ["of a store that is only read", put(1 << 24, fromHex("010a")), 'a write to store "read"'],
  ["outside the prefixes", inPart(3), "key 030a lies outside"],
];

/** The same frames by each way in, as a handler and what it then says. */
const WAYS = [
  ["store_write", (ops: Uint8Array) => write(ops)],
  ["handler_batch", (ops: Uint8Array) => batch(ops)],
] as const;

function write(ops: Uint8Array) {
  const run = `(drop (call $write (i32.const ${OPS}) (i32.const ${ops.length}))) (i32.const 0)`;
  return load({ imports: IMPORTS, run, more: data(OPS, ops) }, { stores: STORES });
}

function batch(ops: Uint8Array) {
  const more = data(OUT, concatBytes(new Uint8Array(4), ops));
  const parts = { imports: IMPORTS, batch: `(i32.const ${4 + ops.length})`, more };
  return load(parts, { stores: STORES, scans: [{ store: "read" }] });
}

describe.each(WAYS)("frames of %s", (_, handlerOf) => {
  const gasOfFailure = (ops: Uint8Array, gasLimit?: bigint) => {
    const error = thrownBy(() => runHandlerIn(handlerOf(ops), gasLimit === undefined ? {} : { input: { gasLimit } }));
    return isUpgradeError(error) ? BigInt(error.details["gas"] ?? -1) : -1n;
  };

  test.each(BAD)("a third frame %s → the gas of the two before it, and the trap", (_what, bad, message) => {
    const [first, third] = [concatBytes(bad, inPart(1), inPart(1)), concatBytes(inPart(1), inPart(1), bad)];
    expect(gasOfFailure(third) - gasOfFailure(first)).toBe(BigInt(2 * PUT));
    expect(() => runHandlerIn(handlerOf(third))).toThrow(failure("UPG_HANDLER_TRAP", message));
  });

  test("a third frame that is bad, after one with a long key → that key's length too", () => {
    const [, bad] = BAD[3] as (typeof BAD)[number];
    const [first, third] = [concatBytes(bad, long, inPart(1)), concatBytes(long, inPart(1), bad)];
    expect(gasOfFailure(third) - gasOfFailure(first)).toBe(BigInt(2 * PUT + longPrice(LONG_KEY)));
  });

  test.each(BAD)(
    "a third frame %s, after the gas is gone → out of gas; gas for two exactly → the trap",
    (_what, bad) => {
      const ops = concatBytes(inPart(1), inPart(1), bad);
      const enough = gasOfFailure(ops);
      const run = (gasLimit: bigint) => () => runHandlerIn(handlerOf(ops), { input: { gasLimit } });
      expect(run(enough)).toThrow(failure("UPG_HANDLER_TRAP"));
      expect(run(enough - 1n)).toThrow(failure("UPG_MIGRATION_OUT_OF_GAS", "framed writes"));
      expect(gasOfFailure(ops, enough - 1n)).toBe(enough - 1n);
      expect(run(enough - BigInt(PUT) - 1n)).toThrow(failure("UPG_MIGRATION_OUT_OF_GAS"));
    },
  );

  test("a bad frame, after frames of another store → their gas too", () => {
    const inTop = put(3 << 24, fromHex("ff0a"));
    const [, bad] = BAD[0] as (typeof BAD)[number];
    const [first, last] = [concatBytes(bad, inTop, inPart(1)), concatBytes(inTop, inPart(1), bad)];
    expect(gasOfFailure(last) - gasOfFailure(first)).toBe(BigInt(2 * PUT));
  });
});
