/** Answers as lines of JSON. */
import { describe, expect, test } from "vitest";
import { jsonLine } from "../../../../host/base/terminal/output.js";

describe("jsonLine()", () => {
  test("characters of HTML → escaped as Go's encoder does, and the same value when it is read", () => {
    const value = { a: "<b> & c", "<k>": [1, null] };
    expect(jsonLine(value)).toBe('{"a":"\\u003cb\\u003e \\u0026 c","\\u003ck\\u003e":[1,null]}');
    expect(JSON.parse(jsonLine(value))).toEqual(value);
  });

  test("a bigint → a text; characters that do not show → escaped", () => {
    expect(jsonLine({ height: 12n ** 20n })).toBe('{"height":"3833759992447475122176"}');
    expect(jsonLine("a\u202e\u0007")).toBe('"a\\u202e\\u0007"');
  });
});
