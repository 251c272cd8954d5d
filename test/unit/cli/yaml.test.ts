import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isUpgradeError } from "../../../host/base/errors/errors.js";
import { jsonToYaml, type YamlValue } from "../../../host/base/terminal/yaml/yaml.js";
import { readMember } from "./yaml-reader.js";

describe("jsonToYaml() prints collections", () => {
  test.each<[string, YamlValue, string]>([
    ["an empty object", {}, "{}\n"],
    ["an empty list", [], "[]\n"],
    ["a text alone", "v2", "v2\n"],
    ["scalars", [null, true, false, 0, -1], "- null\n- true\n- false\n- 0\n- -1\n"],
    ["empty collections", { a: {}, b: [], c: [{}, []] }, "a: {}\nb: []\nc:\n- {}\n- []\n"],
    ["nested objects", { plan: { name: "v2", height: "10" } }, 'plan:\n  height: "10"\n  name: v2\n'],
    [
      "a list of objects, at the columns of the member that holds it",
      {
        module_versions: [
          { name: "auth", version: "2" },
          { name: "bank", version: "4" },
        ],
      },
      'module_versions:\n- name: auth\n  version: "2"\n- name: bank\n  version: "4"\n',
    ],
    ["lists of lists", [[1, [2]], [{ a: [3] }]], "- - 1\n  - - 2\n- - a:\n    - 3\n"],
    ["a text of lines in a list", ["a\nb", "c"], "- |-\n  a\n  b\n- c\n"],
    ["an object of an object of a list", { a: { b: ["c"] } }, "a:\n  b:\n  - c\n"],
  ])("%s", (_, value, yaml) => {
    expect(jsonToYaml(value)).toBe(yaml);
  });

  test("in any order of members → the same text", () => {
    const value = { item10: 1, item2: 1, b: 1, B: 1, é: 1, "1": 1, "": 1, "-": 1, a: 1 };
    const yaml = `"": 1\n'-': 1\n"1": 1\nB: 1\na: 1\nb: 1\nitem2: 1\nitem10: 1\né: 1\n`;
    fc.assert(
      fc.property(fc.shuffledSubarray(Object.entries(value), { minLength: 9 }), (entries) => {
        expect(jsonToYaml(Object.fromEntries(entries))).toBe(yaml);
      }),
    );
  });

  test("with a key longer than 128 bytes, or of several lines → `? key` and `: value`", () => {
    const [simple, long] = ["k".repeat(128), "é".repeat(65)];
    expect(jsonToYaml({ [simple]: 1, [long]: [2], "a\nb": { c: 3 } })).toBe(
      `? |-\n  a\n  b\n: c: 3\n${simple}: 1\n? ${long}\n: - 2\n`,
    );
  });

  test("in an object or in a list → the same lines, further to the right", () => {
    const { value } = fc.letrec<{ value: YamlValue }>((tie) => ({
      value: fc.oneof(
        { depthSize: "small", withCrossShrink: true },
        fc.constantFrom<YamlValue>(null, true, 7, "text", "10", " ", "", {}, []),
        fc.array(tie("value"), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom("a", "b", "item2", "item10"), tie("value"), { maxKeys: 3 }),
      ),
    }));
    const indented = (yaml: string) => yaml.replace(/^/gm, "  ").slice(0, -2);
    fc.assert(
      fc.property(value, (inner) => {
        const yaml = jsonToYaml(inner);
        const isBlock = typeof inner === "object" && inner !== null && !/^(\{\}|\[\])\n$/.test(yaml);
        expect(jsonToYaml([inner])).toBe(`- ${indented(yaml).slice(2)}`);
        const inMember = Array.isArray(inner) ? yaml : indented(yaml);
        expect(jsonToYaml({ k: inner })).toBe(isBlock ? `k:\n${inMember}` : `k: ${yaml}`);
      }),
    );
  });
});

describe("jsonToYaml() prints texts", () => {
  const asMember = (text: string) => jsonToYaml({ k: text }).slice("k: ".length, -1);

  test.each([
    'quote"s',
    "it's",
    "back\\slash",
    "é 升级",
    ...`v2 v2.0.0-rc1 a/b ../etc -flag a:b a#b v2?x=1#y <b>&amp;</b> https://example.com/info.json?checksum=md5:1234
      yEs nUll 12monkeys 1.2.3 0x 0xg 09:5x 2020-02-30 2021-13-01 2020-1-1T1:2:3 1e999 99-1-1 << = _1 .nAn .5_
      \ufffd`.split(/\s+/),
  ])("%j as it is", (text) => {
    expect(asMember(text)).toBe(text);
  });

  test.each([
    "2020-01-02  03:04:05",
    "",
    ...`~ null Null true TRUE y N no On off 0 -0 +1 10 1_000 0x1f -0X1F 0o17 017 0b101 -0b1 0b-1 1e3 1. .5 .5_0 -.5e-3
      .inf -.INF .NaN 18446744073709551615 0xffffffffffffffff 99999999999999999999 1:20 190:20:30.15 2020-01-02
      2020-1-2 2020-02-29T23:59:59.5Z 2020-2-29t1:2:3+01:00 0001-01-01T00:00:00Z`.split(/\s+/),
  ])("%j in double quotes, because bare it is no text", (text) => {
    expect(asMember(text)).toBe(`"${text}"`);
  });

  test.each([
    " ",
    " v2 ",
    "a: b",
    "a:",
    "- x",
    "-",
    "? x",
    "? ",
    ": x",
    "a #b",
    "#a",
    "{}",
    "[]",
    '{"a":1}',
    "&a",
    "*a",
    "!a",
    "|",
    ">",
    "%",
    "@",
    "`",
    '"',
    "--- a",
    "...",
  ])("%j in single quotes, because bare it is something of YAML's", (text) => {
    expect(asMember(text)).toBe(`'${text}'`);
  });

  test.each([
    ["'", "''''"],
    ["'a'", "'''a'''"],
    ["tab\there", '"tab\\there"'],
    ["nul\0", '"nul\\0"'],
    ["\x01\x1f\x1b\x07\b\v\f\r", '"\\x01\\x1F\\e\\a\\b\\v\\f\\r"'],
    ["\ta\n", '"\\ta\\n"'],
    ['a\\\t"', '"a\\\\\\t\\""'],
    ["🚀 up", '"\\U0001F680 up"'],
    ["\ud83d", "\ufffd"],
    ["a\ufeff", '"a\\uFEFF"'],
    ["\ufeffa b", '"\\uFEFF\\x61\\x20\\x62"'],
    ["a \nb", '"a \\nb"'],
    ["a\nb ", '"a\\nb "'],
    ["\u2028x\u2029y", "'\u2028  x\u2029  y'"],
    ["a\u2028 b", '"a\\L b"'],
    ["a\tb\u2029", '"a\\tb\\P"'],
    ["a\u00a0b\te", '"a\u00a0b\\te"'],
  ])("%j → %j", (text, form) => {
    expect(asMember(text)).toBe(form);
  });

  test.each([
    ["one line", "a\n", "k: |\n  a\n"],
    ["no break at the end", "a\nb", "k: |-\n  a\n  b\n"],
    ["empty lines", "a\n\nb\n", "k: |\n  a\n\n  b\n"],
    ["more than one break at the end", "a\n\n", "k: |+\n  a\n\n"],
    ["a break alone", "\n", "k: |2+\n\n"],
    ["a break in front", "\na", "k: |2-\n\n  a\n"],
    ["spaces in front", "  a\n b", "k: |2-\n    a\n   b\n"],
    ["what would need quotes", "- a: 'b'\n# c\n", "k: |\n  - a: 'b'\n  # c\n"],
  ])("of several lines as they are: %s", (_, text, yaml) => {
    expect(jsonToYaml({ k: text })).toBe(yaml);
    expect(jsonToYaml({ k: text, l: 1 })).toBe(`${yaml}l: 1\n`);
  });

  test("past column 80 → folded at the next single space, and never at the end of the text", () => {
    const words = "word ".repeat(40).trimEnd();
    const lines = asMember(words).split("\n");
    expect(lines.map((line) => line.length)).toEqual([79, 81, 41]);
    expect(asMember("x".repeat(100))).toBe("x".repeat(100));
    expect(asMember(`${"x".repeat(90)} y`)).toBe(`${"x".repeat(90)}\n  y`);
    expect(asMember(`${"x".repeat(90)}  y`)).toBe(`${"x".repeat(90)}  y`);
    expect(asMember(`${"x".repeat(90)} `)).toBe(`'${"x".repeat(90)} '`);
    expect(asMember(`\t${"x".repeat(90)}  y`)).toBe(`"\\t${"x".repeat(90)}\n  \\ y"`);
    expect(jsonToYaml({ a: { b: [`${"x".repeat(90)} y`] } })).toBe(`a:\n  b:\n  - ${"x".repeat(90)}\n    y\n`);
  });

  test("of words → every line but the last is longer than 80 columns, up to its last word it is not", () => {
    const words = fc.array(fc.stringMatching(/^[a-zé漢]{1,30}$/), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(words, fc.constantFrom("", "'", "\t"), (list, first) => {
        const lines = jsonToYaml({ k: `${first}${list.join(" ")} x` })
          .trimEnd()
          .split("\n");
        for (const [at, line] of lines.entries()) {
          if (at < lines.length - 1) expect(line.length).toBeGreaterThan(80);
          expect(line.lastIndexOf(" ")).toBeLessThanOrEqual(80);
        }
      }),
    );
  });

  test("with a text of any characters → reads back as that text", () => {
    const unit = fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom(..."ab -:#'\"\\\n\u2028\u2029?,[]{}&*!|>%@`~0123456789._+eExTZ") },
      {
        weight: 4,
        arbitrary: fc.constantFrom("word ", "  ", "\n\n", "info ".repeat(10), "\ufeff", "🚀", "\t", "\r", "\0"),
      },
      { weight: 1, arbitrary: fc.string({ unit: "binary", minLength: 1, maxLength: 1 }) },
    );
    const text = fc
      .array(unit, { maxLength: 40 })
      .map((parts) => parts.join("").replace(/[\x7f-\x9f\ufffe\uffff]/g, ""));
    fc.assert(
      fc.property(text, (input) => {
        const yaml = jsonToYaml({ k: input });
        expect(readMember(yaml)).toBe(input);
      }),
      { numRuns: 3_000 },
    );
  });
});

describe("jsonToYaml() prints numbers", () => {
  test.each<[number | bigint, string]>([
    [-0, "0"],
    [1_000_000, "1000000"],
    [9_007_199_254_740_993n, "9007199254740993"],
    [-(2n ** 63n), "-9223372036854775808"],
    [2n ** 64n - 1n, "18446744073709551615"],
    [2n ** 64n, "1.8446744073709552e+19"],
    [1.5, "1.5"],
    [999_999.5, "999999.5"],
    [1_234_567.5, "1.2345675e+06"],
    [0.0001, "0.0001"],
    [-0.00001, "-1e-05"],
    [1e300, "1e+300"],
  ])("%s → %s", (value, yaml) => {
    expect(jsonToYaml(value)).toBe(`${yaml}\n`);
  });

  test.each([Number.NaN, Number.POSITIVE_INFINITY])("%s → UPG_INVALID_ARGUMENT", (value) => {
    expectInvalid(() => jsonToYaml(value), /JSON has no number/);
  });
});

describe("jsonToYaml() reads a text as the Cosmos SDK reads its JSON", () => {
  test.each([
    ["a\x85b", "a b\n"],
    ["a \x85 b", "a b\n"],
    ["a\x85\x85b", "|-\n  a\n  b\n"],
    ["a \x85 \x85\x85b", "|-\n  a\n\n  b\n"],
    ["\x85", "' '\n"],
    ["a\x85---b", "a ---b\n"],
  ])("%j with U+0085 → %j", (text, yaml) => {
    expect(jsonToYaml(text)).toBe(yaml);
  });

  test.each(["a\x7f", "\x80", "\x9f", "\ufffe", "\uffff"])("%j → UPG_INVALID_ARGUMENT", (text) => {
    expectInvalid(() => jsonToYaml({ plan: { info: text } }), /^yaml: control characters are not allowed$/);
    expectInvalid(() => jsonToYaml({ [text]: 1 }), /control characters/);
  });

  test("a document's end in a text, or a key that it does not take for one → UPG_INVALID_ARGUMENT", () => {
    expectInvalid(() => jsonToYaml("a\x85--- b"), /document indicator/);
    expectInvalid(() => jsonToYaml({ "a\x85b": 1 }), /did not find expected/);
    expect(jsonToYaml({ ["k".repeat(1_022)]: 1 })).toContain("? kkk");
    expectInvalid(() => jsonToYaml({ ["k".repeat(1_023)]: 1 }), /did not find expected/);
  });
});

function expectInvalid(work: () => unknown, message: RegExp): void {
  try {
    work();
  } catch (error) {
    if (!isUpgradeError(error)) throw error;
    expect(error.code).toBe("UPG_INVALID_ARGUMENT");
    expect(error.message).toMatch(message);
    return;
  }
  expect.unreachable("it must be refused");
}
