import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { jsonToYaml, type YamlValue } from "../../../host/base/terminal/yaml.js";
import { visible } from "../../../host/base/text/visible.js";

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
    const yaml = `"": 1\n"-": 1\n"1": 1\nB: 1\na: 1\nb: 1\nitem10: 1\nitem2: 1\né: 1\n`;
    fc.assert(
      fc.property(fc.shuffledSubarray(Object.entries(value), { minLength: 9 }), (entries) => {
        expect(jsonToYaml(Object.fromEntries(entries))).toBe(yaml);
      }),
    );
  });

  test("with a key of several lines → in quotes; with one longer than 1,024 characters → `? key` and `: value`", () => {
    const long = "k".repeat(1_025);
    expect(jsonToYaml({ [long]: [2], "a\nb": { c: 3 } })).toBe(`"a\\nb":\n  c: 3\n? ${long}\n: - 2\n`);
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
    "🚀 up",
    ...`v2 v2.0.0-rc1 a/b ../etc -flag a:b a#b v2?x=1#y <b>&amp;</b> https://example.com/info.json?checksum=md5:1234
      yEs nUll 12monkeys 1.2.3 09:5x 99-1-1 = _1 .nAn \ufffd`.split(/\s+/),
  ])("%j as it is", (text) => {
    expect(asMember(text)).toBe(text);
  });

  test.each([
    "2020-01-02  03:04:05",
    "",
    ...`~ null Null true TRUE y N no On off 0 -0 +1 10 1_000 0x1f -0X1F 0o17 017 0b101 -0b1 0b-1 1e3 1. .5 .5_0 -.5e-3
      .inf -.INF .NaN 18446744073709551615 0xffffffffffffffff 99999999999999999999 1:20 190:20:30.15 2020-01-02
      2020-1-2 2020-02-29T23:59:59.5Z 2020-2-29t1:2:3+01:00 0001-01-01T00:00:00Z << 1e999 0x 0xg 2020-02-30 2021-13-01
      2020-1-1T1:2:3 .5_`.split(/\s+/),
  ])("%j in double quotes, because readers may take it for no text", (text) => {
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
    "&a",
    "*a",
    "!a",
    "|",
    ">",
    "%",
    "@",
    "`",
    "--- a",
    "...",
    "'",
    "'a'",
  ])("%j in double quotes, because bare it is something of YAML's", (text) => {
    expect(asMember(text)).toBe(`"${text}"`);
  });

  test.each(['"', '{"a":1}'])("%j in single quotes, because it has double ones", (text) => {
    expect(asMember(text)).toBe(`'${text}'`);
  });

  test.each([
    ["tab\there", '"tab\\there"'],
    ["nul\0", '"nul\\u0000"'],
    ["\x01\x1f\x1b\x07\b\v\f\r", '"\\u0001\\u001f\\u001b\\u0007\\b\\u000b\\f\\r"'],
    ["\ta\n", '"\\ta\\n"'],
    ['a\\\t"', '"a\\\\\\t\\""'],
    ["\ud83d", "\ufffd"],
    ["a\ufeff", '"a\\ufeff"'],
    ["\ufeffa b", '"\\ufeffa b"'],
    ["a\u2028 b", '"a\\u2028 b"'],
    ["\u2028x\u2029y", '"\\u2028x\\u2029y"'],
    ["a\x7f\x80\x85", '"a\\u007f\\u0080\\u0085"'],
    ["user\u202egnp.exe", '"user\\u202egnp.exe"'],
    ["a\u{e0041}", '"a\\U000e0041"'],
    ["a\tb\nc", '"a\\tb\\nc"'],
  ])("%j → %j", (text, form) => {
    expect(asMember(text)).toBe(form);
  });

  test.each([
    ["one line", "a\n", "k: |\n  a\n"],
    ["no break at the end", "a\nb", "k: |-\n  a\n  b\n"],
    ["empty lines", "a\n\nb\n", "k: |\n  a\n\n  b\n"],
    ["more than one break at the end", "a\n\n", "k: |+\n  a\n\n"],
    ["a break alone", "\n", "k: |+\n  \n"],
    ["a break in front", "\na", "k: |-\n  \n  a\n"],
    ["spaces in front", "  a\n b", "k: |2-\n    a\n   b\n"],
    ["what would need quotes", "- a: 'b'\n# c\n", "k: |\n  - a: 'b'\n  # c\n"],
  ])("of several lines as they are: %s", (_, text, yaml) => {
    expect(jsonToYaml({ k: text })).toBe(yaml);
    expect(jsonToYaml({ k: text, l: 1 })).toBe(`${yaml}l: 1\n`);
  });

  test.each(["  \n", "\n \n", " \t\n\n", " "])("of white space alone (%j) → in double quotes, reads back", (text) => {
    expect(parse(jsonToYaml({ k: text, [text]: 1 }))).toEqual({ k: text, [text]: 1 });
    expect(asMember(text)).toBe(JSON.stringify(text));
  });

  test("of any length → on one line", () => {
    const words = "word ".repeat(40).trimEnd();
    expect(asMember(words)).toBe(words);
    expect(asMember(`# ${words}`)).toBe(`"# ${words}"`);
    expect(asMember(`\t${words}`)).toBe(`"\\t${words}"`);
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
    const text = fc.array(unit, { maxLength: 40 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(text, (input) => {
        const yaml = jsonToYaml({ k: input, [input]: 1 });
        expect(yaml).toBe(visibleBetweenBreaks(yaml));
        for (const version of ["1.1", "1.2"] as const) {
          const read = parse(yaml, { version });
          expect(read).toEqual({ k: input, [input]: 1 });
        }
      }),
      { numRuns: 3_000 },
    );
  });
});

const visibleBetweenBreaks = (yaml: string) => yaml.split("\n").map(visible).join("\n");

describe("jsonToYaml() prints numbers", () => {
  test.each<[number, string]>([
    [1_000_000, "1000000"],
    [Number.MAX_SAFE_INTEGER, "9007199254740991"],
    [1.5, "1.5"],
    [1_234_567.5, "1234567.5"],
    [0.0001, "0.0001"],
    [1e300, "1e+300"],
  ])("%s → %s", (value, yaml) => {
    expect(jsonToYaml(value)).toBe(`${yaml}\n`);
  });
});
