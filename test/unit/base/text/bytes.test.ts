import fc from "fast-check";
import { afterEach, describe, expect, test, vi } from "vitest";
import {
  equalBytes,
  fromBase64,
  fromHex,
  joinBytes,
  toBase64,
  toHex,
  toUpperHex,
} from "../../../../host/base/text/bytes.js";

afterEach(() => vi.unstubAllGlobals());

const inBoth = describe.each([
  ["Node", () => {}],
  ["a browser", () => vi.stubGlobal("Buffer", undefined)],
] as const);

inBoth("base64 in %s", (_, enter) => {
  test("toBase64(), fromBase64() with any bytes → what Node's Buffer makes, and the bytes again", () => {
    const coder = Buffer;
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 70 }), fc.nat(40_000), (part, zeros) => {
        const bytes = new Uint8Array(part.length + zeros);
        bytes.set(part, zeros);
        const expected = coder.from(bytes).toString("base64");
        enter();
        expect(toBase64(bytes)).toBe(expected);
        expect(equalBytes(fromBase64(expected), bytes)).toBe(true);
        vi.unstubAllGlobals();
      }),
      { numRuns: 50 },
    );
  });

  test("toBase64() with a view of a larger buffer → the view's bytes alone", () => {
    enter();
    expect(toBase64(Uint8Array.of(1, 2, 3, 4).subarray(1, 3))).toBe("AgM=");
  });

  test.each(["A", "AA", "AAA", "AA=", "A===", "====", "AA=A", "AAAA=", "AA==AAAA", "A-_A", "AAA A", "AAAA\n", "ÄAAA"])(
    "fromBase64() with %j → RangeError",
    (text) => {
      enter();
      expect(() => fromBase64(text)).toThrow(
        new RangeError(`not base64: ${JSON.stringify(text).replace("\\n", "\n")}`),
      );
    },
  );
});

test("joinBytes() of more parts than arguments fit on the stack → their bytes", () => {
  expect(joinBytes(Array.from({ length: 300_000 }, () => Uint8Array.of(7)))).toEqual(new Uint8Array(300_000).fill(7));
});

describe("hex", () => {
  test("toHex(), toUpperHex(), fromHex() → each other's inverse, either case", () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        expect(toHex(bytes)).toBe(Buffer.from(bytes).toString("hex"));
        expect(toUpperHex(bytes)).toBe(toHex(bytes).toUpperCase());
        expect(fromHex(toHex(bytes))).toEqual(bytes);
        expect(fromHex(toUpperHex(bytes))).toEqual(bytes);
      }),
    );
  });

  test.each(["0", "0g", "0x00", " 00"])("fromHex() with %j → RangeError", (text) => {
    expect(() => fromHex(text)).toThrow(RangeError);
  });
});
