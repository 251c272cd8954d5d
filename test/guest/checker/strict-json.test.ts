import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { utf8 } from "../../../host/base/text/bytes.js";
import { fieldPath, type JsonValue, parseStrictJson } from "../../oracle/manifest/strict-json.js";

const parse = (text: string | Uint8Array, nestingMax = 8) =>
  parseStrictJson(
    typeof text === "string" ? utf8(text) : text,
    nestingMax,
    (path, what) => new SyntaxError(`${path}: ${what}`),
  );

/** As JSON.parse gives it. */
function plain(value: JsonValue): unknown {
  if (value instanceof Map) return Object.fromEntries([...value].map(([name, field]) => [name, plain(field)]));
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(plain);
  return typeof value === "bigint" ? Number(value) : value;
}

describe("parseStrictJson()", () => {
  test.each([
    ["null", null],
    ["true", true],
    ["false", false],
    ['""', ""],
    [' \t\r\n"a" \n', "a"],
    ["0", 0n],
    ["-7", -7n],
    ["18446744073709551615", 18446744073709551615n],
    [String.raw`"\"\\\/\b\f\n\r\té😀"`, '"\\/\b\f\n\r\té😀'],
    ['"\u007f"', "\u007f"],
    ["[]", []],
    ["[1,[2]]", [1n, [2n]]],
  ])("parseStrictJson(%s) gives the value", (text, value) => {
    expect(parse(text)).toEqual(value);
  });

  test("parseStrictJson() keeps an object's fields, also those named like parts of every object", () => {
    const value = parse('{"__proto__":1,"constructor":{"a":[]}}');
    expect(value).toEqual(
      new Map<string, unknown>([
        ["__proto__", 1n],
        ["constructor", new Map([["a", []]])],
      ]),
    );
  });

  test.each([
    ["", "$: a value is due at character 0, not the end"],
    ["nul", '$: a value is due at character 0, not "n"'],
    ["{} {}", '$: the end is due at character 3, not "{"'],
    ["[1,]", '$[1]: a value is due at character 3, not "]"'],
    ["[1 2]", '$: "," or "]" is due at character 3, not "2"'],
    ['{"a":1,}', '$: a field name is due at character 7, not "}"'],
    ["{a:1}", '$: a field name is due at character 1, not "a"'],
    ['{"a" 1}', '$.a: ":" is due at character 5, not "1"'],
    ['{"a":1 "b":2}', '$: "," or "}" is due at character 7, not "\\""'],
    ['{"a":{"b":1,"b":1}}', "$.a.b: this field occurs twice"],
    ['{"a":1,"\\u0061":1}', "$.a: this field occurs twice"],
    ['{"x y":1,"x y":1}', '$["x y"]: this field occurs twice'],
    ["01", "$: an integer begins with 0"],
    ["-01", "$: an integer begins with 0"],
    ["-0", "$: -0 is not an integer"],
    ["-", '$: a value is due at character 0, not "-"'],
    ["1.0", "$: an integer is due, not a fraction or exponent"],
    ["[1e3]", "$[0]: an integer is due, not a fraction or exponent"],
    ["123456789012345678901", "$: an integer of over 20 digits"],
    [`[${"9".repeat(10_000)}]`, "$[0]: an integer of over 20 digits"],
    ["NaN", '$: a value is due at character 0, not "N"'],
    ['"a', "$: a string without its end"],
    ['"\\', "$: unknown escape in a string"],
    ['"\\x41"', "$: unknown escape in a string"],
    ['"\\u12"', "$: \\u needs four hex digits"],
    ['"a\nb"', "$: a string holds a raw control character"],
    ['"\\ud800"', "$: a string holds half of a surrogate pair"],
    ['"\\udc00\\ud800"', "$: a string holds half of a surrogate pair"],
    ["\ufeff1", '$: a value is due at character 0, not "\ufffd"'],
    ["'a'", `$: a value is due at character 0, not "'"`],
    ["/**/1", '$: a value is due at character 0, not "/"'],
  ])("parseStrictJson(%j) → %s", (text, message) => {
    expect(() => parse(text)).toThrow(new SyntaxError(message));
  });

  test("parseStrictJson() with bytes that are not UTF-8 → says so", () => {
    expect(() => parse(Uint8Array.from([0x22, 0xff, 0x22]))).toThrow("$: not UTF-8");
    expect(() => parse(Uint8Array.from([0x22, 0xed, 0xa0, 0x80, 0x22]))).toThrow("$: not UTF-8");
  });

  test("parseStrictJson() takes the deepest nesting that is allowed, and not one level more", () => {
    const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
    expect(plain(parse(nested(8)))).toEqual([[[[[[[[]]]]]]]]);
    expect(() => parse(nested(9))).toThrow("nested deeper than 8 levels");
    expect(() => parse('{"a":'.repeat(100_000))).toThrow("nested deeper than 8 levels");
  });

  test("parseStrictJson() agrees with JSON.parse on what JSON.stringify writes", () => {
    const leaf = fc.oneof(fc.string({ unit: "binary" }), fc.maxSafeInteger(), fc.boolean(), fc.constant(null));
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof({ maxDepth: 5 }, leaf, fc.array(tie("value")), fc.dictionary(fc.string(), tie("value"))),
    }));
    fc.assert(
      fc.property(value, fc.constantFrom(undefined, 1), (json, indent) => {
        const text = JSON.stringify(json, undefined, indent);
        expect(plain(parse(text, 20))).toEqual(JSON.parse(text));
      }),
      { numRuns: 300 },
    );
  });

  test("parseStrictJson() of any text gives a value or a refusal, and never what JSON.parse refuses", () => {
    const pieces = fc.constantFrom(
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      '"',
      '"a"',
      '"b":',
      "1",
      "-",
      "0",
      ".",
      "e",
      " ",
      "\\",
      "true",
      "é",
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
        const text = parts.join("");
        let value: JsonValue;
        try {
          value = parse(text, 20);
        } catch (error) {
          expect(error).toBeInstanceOf(SyntaxError);
          return;
        }
        expect(plain(value)).toEqual(JSON.parse(text));
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("fieldPath()", () => {
  test("fieldPath() quotes a name that is not plain, shortens a long one and shows no control characters", () => {
    expect(fieldPath("$", "gasLimit")).toBe("$.gasLimit");
    expect(fieldPath("$.versions", "a b")).toBe('$.versions["a b"]');
    expect(fieldPath("$", "\u001b[31m\u009b")).toBe('$["\ufffd[31m\ufffd"]');
    expect(fieldPath("$", "x y".repeat(100)).length).toBeLessThan(120);
  });
});
