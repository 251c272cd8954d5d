/** Receipts of the hosts in other languages are, byte by byte, those of the node: each has the same facts in its tests, and these bytes. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { toHex } from "../../host/base/text/bytes.js";
import { decodeReceipt, type Receipt, receiptBytes } from "../../host/upgrade/handler/receipt.js";
import { ROOT } from "../house/sources.js";

const filled = (byte: number) => new Uint8Array(32).fill(byte);
const none = new Uint8Array();

const RECEIPT: Receipt = {
  ...{ plan: "v2", height: 9_007_199_254_740_993n, handlerSha256: filled(0xab), abi: 1 },
  ...{ gasSchedule: "gas-2", gas: 2n ** 64n - 1n, checks: ["supply", "balances"] },
  stores: [
    {
      ...{ name: "auth", written: 0n, deleted: 5n, bytes: 70_000n },
      ...{ rootBefore: none, rootAfter: none, writesSha256: none },
    },
    {
      ...{ name: "bank", written: 3n, deleted: 0n, bytes: 300n },
      ...{ rootBefore: filled(1), rootAfter: filled(2), writesSha256: filled(0xcd) },
    },
  ],
};

test.each(["embed/go/receipt_test.go", "embed/rust/tests/it/receipts.rs", "embed/python/tests/test_receipt.py"])(
  "receiptBytes() of the facts in %s → the bytes there, and back",
  (file) => {
    const bytes = receiptBytes(RECEIPT);
    expect(readFileSync(join(ROOT, file), "utf8").replaceAll(/["+\\\s]/g, "")).toContain(toHex(bytes));
    expect(decodeReceipt(bytes)).toEqual(RECEIPT);
  },
);
