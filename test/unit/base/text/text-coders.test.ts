import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fromBase64, toBase64 } from "../../../../host/base/text/bytes.js";
import { cutText, decodeByHand, encodeByHand, encodeText, isWellFormed } from "../../../../host/base/text/text.js";

const RUNS = 5_000;
const units = fc.array(fc.oneof(fc.integer({ min: 0, max: 0xffff }), fc.integer({ min: 0xd700, max: 0xe000 })));
/** Bytes near the borders of UTF-8. */
const bytes = fc
  .uint8Array({ maxLength: 12 })
  .chain((any) =>
    fc
      .array(fc.constantFrom(0x00, 0x41, 0x7f, 0x80, 0x9f, 0xa0, 0xbf, 0xc1, 0xc2, 0xe0, 0xed, 0xef, 0xf0, 0xf4, 0xf5))
      .map((near) => Uint8Array.of(...near, ...any)),
  );

describe("without the engine's coders", () => {
  test("isWellFormed() and encodeByHand() any text → as the engine's", () => {
    const check = (codes: number[]) => {
      const text = String.fromCharCode(...codes);
      expect(isWellFormed(text)).toBe(text.isWellFormed());
      expect(encodeByHand(text)).toEqual(new TextEncoder().encode(text));
    };
    fc.assert(fc.property(units, check), { numRuns: RUNS });
  });

  test("decodeByHand() any bytes → the text of a strict TextDecoder, or an error where that has one", () => {
    const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    const of = (decode: () => string) => {
      try {
        return decode();
      } catch {
        return undefined;
      }
    };
    const check = (given: Uint8Array) => {
      expect(of(() => decodeByHand(given))).toBe(of(() => strict.decode(given)));
    };
    fc.assert(fc.property(bytes, check), { numRuns: RUNS });
    check(Uint8Array.of(0xef, 0xbb, 0xbf, 0x41));
  });

  test("toBase64() and fromBase64() without Buffer → as with it", () => {
    const { Buffer } = globalThis;
    const plain = (work: () => void) => {
      Object.assign(globalThis, { Buffer: undefined });
      try {
        work();
      } finally {
        Object.assign(globalThis, { Buffer });
      }
    };
    const check = (given: Uint8Array) => {
      const text = Buffer.from(given).toString("base64");
      plain(() => {
        expect(toBase64(given)).toBe(text);
        expect(fromBase64(text)).toEqual(new Uint8Array(given));
      });
    };
    fc.assert(fc.property(fc.uint8Array({ maxLength: 40 }), check), { numRuns: RUNS });
    check(new Uint8Array(100_000).fill(0xfb));
    for (const wrong of ["A", "A===", "AA=A", "A A=", "AA==AA==", "é==="]) {
      plain(() => expect(() => fromBase64(wrong), wrong).toThrow(RangeError));
    }
  });

  test("cutText() any text and length → as many whole characters as fit", () => {
    const check = (codes: number[], max: number) => {
      const text = String.fromCharCode(...codes);
      const { read } = new TextEncoder().encodeInto(text, new Uint8Array(max));
      expect(cutText(text, max)).toBe(text.slice(0, read));
    };
    fc.assert(fc.property(units, fc.nat(20), check), { numRuns: RUNS });
  });

  test("encodeText() a lone surrogate → three bytes that no decoder takes", () => {
    expect(() => decodeByHand(encodeText("a\ud800"))).toThrow(URIError);
  });
});
