/** The codec of receipts in check.wasm, held against the one in TypeScript. */
import { expect, test } from "vitest";
import { Checker } from "../../../host/upgrade/handler/check/checker.js";
import { decodeReceipt, type Receipt, receiptBytes } from "../../../host/upgrade/handler/receipt.js";
import { mutated } from "../fuzz/mutate.js";
import { Random } from "../random/random.js";
import { flatReceipt, readFlatReceipt } from "./receipts.js";

const checker = new Checker();
const ROUNDS = 4_000;
const SEED = 20_271;
const filled = (byte: number) => new Uint8Array(32).fill(byte);
const NONE = new Uint8Array(0);

const FULL: Receipt = {
  ...{ plan: "v2", height: -1n, handlerSha256: filled(0xab), abi: 4_294_967_295 },
  ...{ gasSchedule: "gas-2", gas: 2n ** 64n - 1n, checks: ["supply", "", "ü⁂"] },
  stores: [
    {
      ...{ name: "auth", written: 0n, deleted: 5n, bytes: 70_000n },
      ...{ rootBefore: NONE, rootAfter: NONE, writesSha256: NONE },
    },
    {
      ...{ name: "bank", written: 2n ** 63n, deleted: 0n, bytes: 300n },
      ...{ rootBefore: filled(1), rootAfter: filled(2), writesSha256: filled(0xcd) },
    },
  ],
};
const EMPTY: Receipt = {
  ...{ plan: "", height: 0n, handlerSha256: NONE, abi: 0, gasSchedule: "", gas: 0n, stores: [], checks: [] },
};

test.each([FULL, EMPTY])("a receipt → the same bytes as receiptBytes(), and back", (receipt) => {
  const bytes = checker.encodeReceipt(flatReceipt(receipt));
  expect(bytes).toEqual(receiptBytes(receipt));
  expect(readFlatReceipt(checker.decodeReceipt(receiptBytes(receipt)) as Uint8Array)).toEqual(receipt);
});

test("a flat receipt that ends too soon or too late, or has a hash of 31 bytes → refused", () => {
  const flat = flatReceipt(FULL);
  for (let length = 0; length < flat.length; length++)
    expect(checker.encodeReceipt(flat.subarray(0, length))).toBeUndefined();
  expect(checker.encodeReceipt(Uint8Array.of(...flat, 0))).toBeUndefined();
  expect(checker.encodeReceipt(flatReceipt({ ...FULL, handlerSha256: filled(1).subarray(1) }))).toBeUndefined();
});

test(`${ROUNDS} mutated receipts, seed ${SEED} → taken where decodeReceipt() takes them, with the same fields`, () => {
  const seeds = [receiptBytes(FULL), receiptBytes(EMPTY), receiptBytes({ ...FULL, stores: [], checks: [] })];
  let taken = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const random = new Random(SEED + Math.imul(round, 0x9e3779b1));
    const bytes = mutated(random.pick(seeds), random, random.pick(seeds));
    const found = checker.decodeReceipt(bytes);
    const due = decoded(bytes);
    const what = `seed ${SEED}, round ${round}`;
    expect(found && readFlatReceipt(found), what).toEqual(due);
    if (due) taken++;
  }
  expect(taken).toBeGreaterThan(ROUNDS / 50);
});

function decoded(bytes: Uint8Array): Receipt | undefined {
  try {
    return decodeReceipt(bytes);
  } catch {
    return undefined;
  }
}
