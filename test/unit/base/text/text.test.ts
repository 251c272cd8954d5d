import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cutText, decodeLossy, decodeText, decodeUtf16, encodeText } from "../../../../host/base/text/text.js";

describe("decodeText()", () => {
  test("decodeText() of encodeText() with any well-formed text → the text, a byte order mark too", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        expect(decodeText(encodeText(`\ufeff${text}`))).toBe(`\ufeff${text}`);
      }),
    );
  });

  test.each([
    ["a lone surrogate", encodeText("\ud800")],
    ["a byte that begins nothing", Uint8Array.of(0x61, 0xff)],
    ["an overlong form", Uint8Array.of(0xc0, 0x80)],
    ["a sequence cut short", Uint8Array.of(0xe2, 0x82)],
  ])("decodeText() with %s → TypeError, or the caller's error; decodeLossy() → U+FFFD", (_, bytes) => {
    expect(() => decodeText(bytes)).toThrow(TypeError);
    expect(() => decodeText(bytes, (cause) => new RangeError("mine", { cause }))).toThrow(new RangeError("mine"));
    expect(decodeLossy(bytes)).toContain("\ufffd");
  });
});

describe("decodeUtf16()", () => {
  test("decodeUtf16() with units, an odd byte after them → the text", () => {
    expect(decodeUtf16(Uint8Array.of(0x61, 0, 0xac, 0x20, 0x62))).toBe("a€");
    expect(decodeUtf16(Uint8Array.of(0xff, 0xfe, 0x00, 0xd8))).toBe("\ufeff\ufffd");
  });
});

describe("cutText()", () => {
  test("cutText() with any text and limit → the longest beginning that fits", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.nat(60), (text, bytesMax) => {
        const cut = cutText(text, bytesMax);
        const characters = [...text];
        const taken = [...cut].length;
        expect(text.startsWith(cut)).toBe(true);
        expect(encodeText(cut).length).toBeLessThanOrEqual(bytesMax);
        if (taken < characters.length) {
          expect(encodeText(characters.slice(0, taken + 1).join("")).length).toBeGreaterThan(bytesMax);
        }
      }),
    );
  });
});
