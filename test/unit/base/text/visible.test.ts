/** Characters that do not show are written as their numbers, and nothing else changes. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hasHidden, visible, visibleJson, visibleLines } from "../../../../host/base/text/visible.js";

const SEED = 20_262;

describe("visible()", () => {
  test.each([
    ["a name", "a name"],
    ["Zürich 東京 🙂", "Zürich 東京 🙂"],
    ["a\u001b[2Jb", "a\\u001b[2Jb"],
    ["a\u009bb\u007f", "a\\u009bb\\u007f"],
    ["up\u202egrade", "up\\u202egrade"],
    ["up\u2066gra\u2069de", "up\\u2066gra\\u2069de"],
    ["up\u200bgr\u200dade\ufeff", "up\\u200bgr\\u200dade\\ufeff"],
    ["soft\u00adhyphen", "soft\\u00adhyphen"],
    ["two\nlines\t\u2028", "two\\u000alines\\u0009\\u2028"],
    ["tag\u{e0041}", "tag\\U000e0041"],
  ])("visible(%j) → %j", (text, shown) => {
    expect(visible(text)).toBe(shown);
    expect(hasHidden(text)).toBe(text !== shown);
  });

  test("visibleLines() keeps breaks and tabs, and only those", () => {
    expect(visibleLines("a\tb\nc\rd\u202e")).toBe("a\tb\nc\\u000dd\\u202e");
  });

  test("visible() of any text → nothing hidden is left; a second time changes nothing", () => {
    const text = fc.string({ unit: "binary" });
    fc.assert(
      fc.property(text, (each) => {
        const shown = visible(each);
        expect(hasHidden(shown)).toBe(false);
        expect(visible(shown)).toBe(shown);
      }),
      { seed: SEED },
    );
  });

  test("visibleJson() of any JSON → nothing hidden is left, and the same value", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (each) => {
        const shown = visibleJson(JSON.stringify({ [each]: `${each}\u202e\u{e0041}` }));
        expect(hasHidden(shown)).toBe(false);
        expect(JSON.parse(shown)).toEqual({ [each]: `${each}\u202e\u{e0041}` });
      }),
      { seed: SEED },
    );
  });
});
