import fc from "fast-check";
import { expect, test } from "vitest";
import { type JsonValue, parseGoJson } from "../../../../host/upgrade/plan-info/go-json.js";

/** The value as `JSON.parse` gives it, as far as the reader keeps it. */
function shape(value: unknown): unknown {
  if (value === null) return { kind: "null" };
  if (typeof value === "boolean") return { kind: "bool" };
  if (typeof value === "number") return { kind: "number" };
  if (typeof value === "string") return { kind: "string", text: value.toWellFormed() };
  if (Array.isArray(value)) return { kind: "array" };
  const members = Object.entries(value as object).map(([key, part]) => ({
    key: key.toWellFormed(),
    value: shape(part),
  }));
  return { kind: "object", members };
}

function attempt<T>(work: () => T): { value: T } | undefined {
  try {
    return { value: work() };
  } catch {
    return undefined;
  }
}

test("parseGoJson() reads what JSON.parse reads, and refuses what it refuses", () => {
  // Keys beginning with a letter: JSON.parse moves those that look like numbers to the front.
  const key = fc.string({ unit: "binary", maxLength: 5 }).map((text) => `k${text}`);
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      fc.constantFrom(null, true, false, 0, -0.5, 1e30, 2e-7, "\u2028\ud800"),
      fc.string({ unit: "binary" }),
      fc.array(tie("value"), { maxLength: 4 }),
      fc.dictionary(key, tie("value"), { maxKeys: 4 }),
    ),
  }));
  const noise = fc.constantFrom(...'{}[]",:0123456789.eE+-tfnu\\ \n\t\u00e9\x00');
  const edit = fc.option(fc.tuple(fc.nat(), noise, fc.boolean()));
  fc.assert(
    fc.property(value, fc.nat({ max: 2 }), edit, (input, spaces, change) => {
      let text = JSON.stringify(input, null, spaces);
      if (change !== null) {
        const at = change[0] % (text.length + 1);
        text = text.slice(0, at) + change[1] + text.slice(change[2] ? at + 1 : at);
      }
      const expected = attempt(() => JSON.parse(text) as unknown);
      const actual = attempt(() => parseGoJson(text));
      expect(actual === undefined).toBe(expected === undefined);
      if (actual !== undefined && change === null) expect(actual.value).toEqual(shape(expected?.value));
    }),
    { numRuns: 3000 },
  );
});

test("parseGoJson() keeps repeated keys, in order", () => {
  const number: JsonValue = { kind: "number" };
  expect(parseGoJson('{"b":1,"a":{},"b":2}')).toEqual({
    kind: "object",
    members: [
      { key: "b", value: number },
      { key: "a", value: { kind: "object", members: [] } },
      { key: "b", value: number },
    ],
  });
});

test.each([
  ['"\\ud83d\\ude00"', "\u{1f600}"],
  ['"\\ud83d\\ud83d\\ude00"', "\ufffd\u{1f600}"],
  ['"\\ude00x"', "\ufffdx"],
  ['"\\ud800\\u0041"', "\ufffdA"],
  ['"\\"\\\\\\/\\b\\f\\n\\r\\t"', '"\\/\b\f\n\r\t'],
])("parseGoJson(%s) → that text", (json, text) => {
  expect(parseGoJson(json)).toEqual({ kind: "string", text });
});

test.each([
  ["", "at its end: expected a value"],
  ["{", "at its end: expected a key in double quotes"],
  ['"x', "at its end: expected a closing quote"],
  ["tru", "at its end: expected true"],
  ["-", "at its end: expected a digit"],
  ["1.", "at its end: expected a digit"],
  ["1e+", "at its end: expected a digit"],
  ["01", "at character 2: expected nothing more"],
  ['"\\', "at its end: a string has no such escape"],
  ['"\\u12', "at its end: expected four hexadecimal digits after \\u"],
  ['"\n"', "at character 2: a string must not have control characters"],
  ['"\x01"', "at character 2: a string must not have control characters"],
  ["'", "at character 1: expected a value"],
  ["é", "at character 1: expected a value"],
  ["\u{1f600}", "at character 1: expected a value"],
  ["{a", "at character 2: expected a key in double quotes"],
  ['{"a"}', 'at character 5: expected ":"'],
  ['{"a":1]', 'at character 7: expected "," or "}"'],
  ["[1}", 'at character 3: expected "," or "]"'],
])("parseGoJson(%j) → %s", (json, text) => {
  expect(() => parseGoJson(json)).toThrow(
    expect.objectContaining({ code: "UPG_INVALID_PLAN_INFO", message: `not valid JSON: ${text}` }),
  );
});
