/** The receipt's codec, next to the library that other clients read receipts with. */
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ReceiptSchema } from "../../../../host/base/gen/chain/upgrade/v1/receipt_pb.js";
import { fromHex } from "../../../../host/base/text/bytes.js";
import { decodeReceipt, type Receipt, receiptBytes } from "../../../../host/upgrade/handler/receipt.js";
import { code } from "../../state/store/support.js";

const uint64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
const digest = fc.oneof(fc.constant(new Uint8Array(0)), fc.uint8Array({ minLength: 32, maxLength: 32 }));
const text = fc.string({ unit: "grapheme", maxLength: 20 });
const store = fc.record({
  ...{ name: text, written: uint64, deleted: uint64, bytes: uint64 },
  ...{ rootBefore: digest, rootAfter: digest, writesSha256: digest },
});
const receipt: fc.Arbitrary<Receipt> = fc.record({
  ...{ plan: text, height: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), handlerSha256: digest },
  ...{ abi: fc.nat(2 ** 32 - 1), gasSchedule: text, gas: uint64 },
  ...{ stores: fc.array(store, { maxLength: 4 }), checks: fc.array(text, { maxLength: 4 }) },
});

describe("receiptBytes() and decodeReceipt()", () => {
  test("any receipt → the bytes of protobuf-es, and back (property)", () => {
    fc.assert(
      fc.property(receipt, (given) => {
        const message = create(ReceiptSchema, { ...given, stores: [...given.stores], checks: [...given.checks] });
        const bytes = receiptBytes(given);
        expect(bytes).toEqual(toBinary(ReceiptSchema, message));
        expect(decodeReceipt(bytes)).toEqual(given);
      }),
    );
  });

  test("decodeReceipt() any bytes → what protobuf-es reads, or UPG_STORE_CORRUPT (property)", () => {
    const damaged = fc.tuple(receipt, fc.nat(400), fc.nat(255)).map(([given, at, byte]) => {
      const bytes = receiptBytes(given);
      bytes[at % Math.max(1, bytes.length)] = byte;
      return bytes;
    });
    fc.assert(
      fc.property(fc.oneof(damaged, fc.uint8Array({ maxLength: 60 })), (bytes) => {
        let read: Receipt;
        try {
          read = decodeReceipt(bytes);
        } catch (error) {
          expect(error).toMatchObject({ code: "UPG_STORE_CORRUPT" });
          return;
        }
        expect(fromBinary(ReceiptSchema, bytes)).toMatchObject({ plan: read.plan, gas: read.gas, checks: read.checks });
      }),
    );
  });

  test("decodeReceipt() of a program without digests → none; a digest of 31 bytes, an unknown field → UPG_STORE_CORRUPT", () => {
    expect(decodeReceipt(fromHex("3a030a0161")).stores).toMatchObject([{ name: "a", writesSha256: new Uint8Array(0) }]);
    expect(() => decodeReceipt(fromHex(`3a213a1f${"00".repeat(31)}`))).toThrow(code("UPG_STORE_CORRUPT"));
    expect(() => decodeReceipt(fromHex("4a00"))).toThrow(code("UPG_STORE_CORRUPT"));
  });
});
