/** Reading and writing bytes and protobuf with the kit, held to the host's own. */
import fc from "fast-check";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { WireWriter } from "../../../host/base/wire/wire.js";
import { bytes, runScene, type WasmHandler } from "../../../host/upgrade/test-kit/index.js";
import { handlerOf } from "./author.js";

// Compilers share the machine with everything else.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

/** `01` → 02: the message again, field by field; 03: numbers and lengths of its fields. */
const SOURCE = `
plan("wire", 1_000_000_000_000);
const all = store("all");
const reader = new ProtoReader();
const copy = new Writer(1);
const facts = new Writer(1);
const KEY_2 = Bytes.hex("02");
const KEY_3 = Bytes.hex("03");
const KEY_4 = Bytes.hex("04");
scan(all, "01", read);
migrate("all", 1, 2, writeAll);
function read(key: Bytes, value: Bytes): void {
  copy.clear();
  facts.clear();
  reader.open(value);
  while (reader.next()) {
    copy.bytes(reader.raw);
    facts.varint(reader.field).varint(reader.number).varint(reader.bytes.length);
  }
  all.set(KEY_2, copy);
  all.set(KEY_3, facts);
}
function writeAll(): void {
  copy.clear().u8(1).be16(0x0203).be32(0x04050607).be64(0x08090a0b0c0d0e0f).le32(1).le64(2).text("z\u00e4\u{1f331}");
  copy.decimal(0).decimal(18446744073709551615).varint(0).varint(18446744073709551615);
  copy.fieldNumber(1, 0).fieldNumber(2, 300).fieldText(3, "").fieldText(4, "four").fieldBytes(5, Bytes.hex(""));
  copy.fieldMessage(6, Bytes.hex("")).fieldBytes(7, Bytes.text("seven")).slice(Bytes.text("abcdef"), 2, 4);
  all.set(KEY_4, copy);
}`;

const field = fc.oneof(
  fc.tuple(fc.constant(0), fc.integer({ min: 1, max: 536_870_911 }), fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })),
  fc.tuple(fc.constant(2), fc.integer({ min: 1, max: 536_870_911 }), fc.uint8Array({ maxLength: 300 })),
);

function encode(fields: readonly (readonly [number, number, bigint | Uint8Array])[]) {
  const message = new WireWriter();
  const facts: Uint8Array[] = [];
  const fact = (value: bigint | number) => facts.push(new WireWriter().varint(value).finish());
  for (const [type, number, value] of fields) {
    message.tag(number, type);
    fact(number);
    if (value instanceof Uint8Array) {
      message.varint(value.length).raw(value);
      fact(0);
      fact(value.length);
    } else {
      message.varint(value);
      fact(value);
      fact(0);
    }
  }
  return { message: message.finish(), facts: bytes(...facts) };
}

describe("kit", () => {
  let handler: WasmHandler;
  beforeAll(async () => {
    handler = await handlerOf(SOURCE);
  });
  const runOn = (message: Uint8Array) => runScene(handler, { stores: { all: [[bytes(1), message]] } });

  test("ProtoReader over any message → its fields; copied raw they are the message", () => {
    fc.assert(
      fc.property(fc.array(field, { maxLength: 30 }), (fields) => {
        const { message, facts } = encode(fields);
        const { error, stores } = runOn(message);
        expect(error).toBeUndefined();
        expect(stores.store("all").get(bytes(2))).toEqual(message);
        expect(stores.store("all").get(bytes(3))).toEqual(facts);
      }),
      { numRuns: 100 },
    );
  });

  test("ProtoReader over fixed 32 and 64 bits → their numbers", () => {
    const { stores } = runOn(bytes("0x0d01000000", "0x110200000000000000"));
    expect(stores.store("all").get(bytes(3))).toEqual(bytes("0x010100020200"));
  });

  for (const [what, hex] of [
    ["a length past the end", "0x0a05aa"],
    ["a varint cut short", "0x0880"],
    ["a varint longer than needed", "0x088000"],
    ["a varint of more than 64 bits", "0x08ffffffffffffffffff02"],
    ["a group", "0x0b0c"],
    ["field number 0", "0x0001"],
    ["a fixed number cut short", "0x0d010000"],
  ] as const) {
    test(`ProtoReader over ${what} → the run ends, and says so`, () => {
      const { error } = runOn(bytes(hex));
      expect(error).toMatchObject({ code: "UPG_MIGRATION_FAILED", details: { code: "-4" } });
      expect(error?.message).toContain("malformed");
    });
  }

  test("Writer → every form, as the host writes it", () => {
    const { stores } = runOn(bytes());
    const numbers = bytes("0x0102030405060708090a0b0c0d0e0f", "0x01000000", "0x0200000000000000", "zä🌱");
    const varints = bytes("0", "18446744073709551615", "0x00", "0xffffffffffffffffff01");
    const fields = bytes("0x10ac02", "0x2204", "four", "0x3200", "0x3a05", "seven", "cd");
    expect(stores.store("all").get(bytes(4))).toEqual(bytes(numbers, varints, fields));
  });
});
