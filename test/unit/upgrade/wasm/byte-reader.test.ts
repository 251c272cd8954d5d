import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ByteReader } from "../../../../host/upgrade/wasm/byte-reader.js";

const reader = (...bytes: number[]) => new ByteReader(Uint8Array.from(bytes));
const refused = (message: string | RegExp) => expect.objectContaining({ message: expect.stringMatching(message) });

function signedLeb(value: bigint, bytes = 0): number[] {
  const out: number[] = [];
  for (;;) {
    const byte = Number(BigInt.asUintN(7, value));
    value >>= 7n;
    const isEnd = (value === 0n && byte < 0x40) || (value === -1n && byte >= 0x40);
    if (isEnd && out.length + 1 >= bytes) return [...out, byte];
    out.push(byte | 0x80);
  }
}

describe("ByteReader.u32()", () => {
  test.each([
    [[0x00], 0],
    [[0x7f], 127],
    [[0x80, 0x01], 128],
    [[0x80, 0x80, 0x80, 0x80, 0x00], 0],
    [[0xff, 0xff, 0xff, 0xff, 0x0f], 0xffff_ffff],
  ])("u32() of %j is %i", (bytes, value) => {
    const read = reader(...bytes);
    expect(read.u32("x")).toBe(value);
    expect(read.isDone).toBe(true);
  });

  test.each([
    [[], "cut short"],
    [[0x80], "cut short"],
    [[0xff, 0xff, 0xff, 0xff, 0x10], "not an unsigned 32-bit"],
    [[0xff, 0xff, 0xff, 0xff, 0x8f, 0x00], "not an unsigned 32-bit"],
    [[0x80, 0x80, 0x80, 0x80, 0x80, 0x00], "not an unsigned 32-bit"],
  ])("u32() of %j → %s", (bytes, message) => {
    expect(() => reader(...bytes).u32("x")).toThrow(refused(message));
  });
});

describe("ByteReader.u64()", () => {
  test("u64() reads ten bytes and refuses what does not fit in 64 bits", () => {
    const ones = Array.from({ length: 9 }, () => 0xff);
    expect(reader(...ones, 0x01).u64("x")).toBe(2 ** 64);
    expect(reader(0x80, 0x80, 0x80, 0x80, 0x10).u64("x")).toBe(2 ** 32);
    expect(() => reader(...ones, 0x02).u64("x")).toThrow(refused("not an unsigned 64-bit"));
    expect(() => reader(...ones, 0x81, 0x00).u64("x")).toThrow(refused("not an unsigned 64-bit"));
  });
});

describe("ByteReader.s32(), s33(), skipS64()", () => {
  test("s32() and s33() read back every integer of their width, also in longer forms", () => {
    const bounded = (bits: bigint) => fc.bigInt({ min: -(1n << (bits - 1n)), max: (1n << (bits - 1n)) - 1n });
    fc.assert(
      fc.property(bounded(32n), bounded(33n), fc.nat(5), (narrow, wide, bytes) => {
        expect(reader(...signedLeb(narrow, bytes)).s32("x")).toBe(Number(narrow));
        expect(reader(...signedLeb(wide, bytes)).s33("x")).toBe(Number(wide));
      }),
    );
  });

  test("skipS64() takes every 64-bit constant in at most ten bytes", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(1n << 63n), max: (1n << 63n) - 1n }), fc.nat(10), (value, bytes) => {
        const read = reader(...signedLeb(value, bytes));
        read.skipS64("x");
        expect(read.isDone).toBe(true);
      }),
    );
    const zeros = Array.from({ length: 10 }, () => 0x80);
    expect(() => reader(...zeros, 0x00).skipS64("x")).toThrow(refused("not a signed 64-bit"));
    expect(() => reader(...zeros.slice(1), 0x02).skipS64("x")).toThrow(refused("not a signed 64-bit"));
  });

  test.each([
    [0x0f, "a positive number of 33 bits"],
    [0x70, "a negative number of 33 bits"],
    [0x80, "a sixth byte"],
    [0x08, "a sign in bit 31 that is not repeated"],
  ])("s32() whose fifth byte is %i (%s) → refused", (last) => {
    expect(() => reader(0x80, 0x80, 0x80, 0x80, last, 0x00).s32("x")).toThrow(refused("not a signed 32-bit"));
  });
});

describe("ByteReader.name(), count(), skip()", () => {
  test("name() reads strict UTF-8 and keeps a byte order mark", () => {
    expect(reader(0x03, 0xef, 0xbb, 0xbf).name("a name")).toBe("\ufeff");
    expect(() => reader(0x01, 0xff).name("a name")).toThrow(refused("a name is not UTF-8"));
    expect(() => reader(0x03, 0xed, 0xa0, 0x80).name("a name")).toThrow(refused("not UTF-8"));
    expect(() => reader(0x05, 0x61).name("a name")).toThrow(refused("cut short: a name needs 5 bytes"));
    expect(() => reader(0xff, 0xff, 0xff, 0xff, 0x0f).name("a name")).toThrow(refused("needs 4294967295 bytes"));
  });

  test("count() takes its limit and not one more, and names the place", () => {
    expect(reader(0x05).count("things", 5)).toBe(5);
    const limit = expect.objectContaining({
      code: "UPG_HANDLER_LIMIT",
      offset: 0,
      message: "6 things, at most 5 are allowed",
    });
    expect(() => reader(0x06).count("things", 5)).toThrow(limit);
  });

  test("a reader of a part never reads past it", () => {
    const part = new ByteReader(Uint8Array.of(1, 2, 3, 4), 1, 3);
    expect(part.byte("x")).toBe(2);
    expect(() => part.skip(2, "x")).toThrow(refused("cut short"));
    part.skip(1, "x");
    expect(() => part.byte("x")).toThrow(refused("cut short"));
  });
});
