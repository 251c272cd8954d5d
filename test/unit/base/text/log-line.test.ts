/** The one format of log lines: both forms, what reads them back, and lines of other programs. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { givenLogFormat, isLevelShown, wantsColors } from "../../../../host/base/terminal/process-log.js";
import {
  type Log,
  type LogFields,
  type LogOptions,
  makeLog,
  parseLogLine,
  programLines,
  withoutColors,
} from "../../../../host/base/text/log-line.js";

const NOW = new Date(Date.UTC(2026, 0, 2, 10, 47, 3, 120));
const TIME = "2026-01-02T10:47:03.120Z";

function linesOf(options: Partial<LogOptions>, write: (log: Log) => void): string[] {
  const lines: string[] = [];
  const own = { format: "plain", source: "node", isColored: false, now: () => NOW } as const;
  write(makeLog({ ...own, ...options, write: (line) => lines.push(line) }));
  return lines;
}

const FIELDS: LogFields = { height: "5", txs: 2, next: 'Run `a "b"`.', empty: "", none: undefined, list: [1, "x"] };

describe("makeLog()", () => {
  test("plain → time with its zone, level, source, message, two spaces, fields", () => {
    expect(linesOf({}, (log) => log("info", "block made", FIELDS))).toEqual([
      `${TIME} info  node    block made  height=5 txs=2 next="Run \`a \\"b\\"\`." empty="" list="[1,\\"x\\"]"\n`,
    ]);
    expect(linesOf({ source: "sidecar" }, (log) => log("error", "a"))).toEqual([`${TIME} error sidecar a\n`]);
  });

  test("json → the same names and the same time", () => {
    const [line = ""] = linesOf({ format: "json" }, (log) => log("warn", "take care", FIELDS));
    expect(Object.entries(JSON.parse(line)).slice(0, 5)).toEqual([
      ...[
        ["time", TIME],
        ["level", "warn"],
        ["source", "node"],
        ["message", "take care"],
      ],
      ["height", "5"],
    ]);
  });

  test("fields named as one of the four, or with other letters → renamed; a `source` is that of the line", () => {
    const write = (log: Log) => log("info", "m", { time: "t", level: "l", message: "x", "a b": 1, source: "engine" });
    expect(linesOf({}, write)).toEqual([`${TIME} info  engine  m  time_=t level_=l message_=x a_b=1\n`]);
  });

  test("colours → of the level alone, and none in JSON", () => {
    const write = (log: Log) => log("error", "a\u001b[31mb");
    expect(linesOf({ isColored: true }, write)).toEqual([`${TIME} \u001b[31merror\u001b[0m node    a\\u001b[31mb\n`]);
    expect(linesOf({ isColored: true, format: "json" }, write).join()).not.toContain("\u001b");
  });

  test("a level that is not shown → no line", () => {
    expect(linesOf({ isShown: (level) => level !== "debug" }, (log) => log("debug", "a"))).toEqual([]);
  });
});

describe("parseLogLine()", () => {
  const text = fc.string({ unit: "binary" });
  const level = fc.constantFrom("debug", "info", "warn", "error");
  const names = fc
    .stringMatching(/^[a-z_][a-z0-9_.-]*$/)
    .filter((name) => !["time", "level", "message"].includes(name));

  test("reads what makeLog() wrote, in either form, whatever message and fields are", () => {
    const entries = fc.record({ level, message: text, fields: fc.dictionary(names, text, { noNullPrototype: true }) });
    fc.assert(
      fc.property(entries, fc.constantFrom("plain", "json"), ({ level: is, message, fields: given }, format) => {
        const { source, ...fields } = given;
        const lines = linesOf({ format }, (log) => log(is, message, fields));
        expect(lines.join("")).toMatch(/^[^\n\u001b]*\n$/);
        const read = parseLogLine((lines[0] ?? "").slice(0, -1));
        expect(read).toMatchObject({ time: TIME, level: is, source: "node", fields });
        if (format === "json") expect(read?.message).toBe(message);
      }),
    );
  });

  test.each([
    ...["", "info", `${TIME} INF node    a`, "10:47:03 info  node    a", `${TIME} info  node    a  b=`],
    ...["{", "{}", '{"level":30,"time":1,"msg":"a"}', `{"time":"${TIME}","level":"info","message":"a"}`, "null"],
  ])("%j → it is no line of this log", (line) => {
    expect(parseLogLine(line)).toBeUndefined();
  });
});

describe("programLines()", () => {
  test.each([
    ["\u001b[90m3:04PM\u001b[0m \u001b[32mINF\u001b[0m up", `${TIME} info  program 3:04PM INF up\n`],
    ['{"level":"warn","module":"server","time":"x","message":"m"}', `${TIME} warn  program m  module=server\n`],
    [`${TIME} error engine  down  height=5`, `${TIME} error engine  down  height=5\n`],
    ["{ no JSON", `${TIME} info  program { no JSON\n`],
    ["\u001b[0m \r", undefined],
  ])("%j → %j", (line, expected) => {
    expect(linesOf({ source: "sidecar" }, (log) => programLines(log)(line))[0]).toBe(expected);
  });
});

test("withoutColors() → colours, cursor moves and titles are gone", () => {
  expect(withoutColors("\u001b[1;31ma\u001b[0m\u001b[2K\u001b]0;title\u0007b\u001b[?25lc")).toBe("abc");
});

test("wantsColors() → a terminal alone, without NO_COLOR", () => {
  expect(wantsColors({ isTTY: true }, {})).toBe(true);
  expect(wantsColors({ isTTY: true }, { NO_COLOR: "" })).toBe(true);
  expect(wantsColors({ isTTY: true }, { NO_COLOR: "1" })).toBe(false);
  expect(wantsColors({ isTTY: true }, { TERM: "dumb" })).toBe(false);
  expect(wantsColors({}, {})).toBe(false);
});

test("isLevelShown() → from the least level on; fatal and silent show none", () => {
  expect(["trace", "debug", "info", "warn", "error", "fatal"].map((least) => isLevelShown("warn", least))).toEqual([
    ...[true, true, true, true, false, false],
  ]);
  expect(isLevelShown("error", "silent")).toBe(false);
});

test.each([
  [["start", "--log_format", "json"], {}, "json"],
  [["start", "--log-format=json"], {}, "json"],
  [["start"], { CHAIND_LOG_FORMAT: "json" }, "json"],
  [["start", "--log_format", "plain"], { CHAIND_LOG_FORMAT: "json" }, "plain"],
  [["start", "--log_format", "other"], {}, undefined],
  [["start", "--log_format"], {}, undefined],
  [["start"], { SIMD_LOG_FORMAT: "json" }, undefined],
])("givenLogFormat(%j, %j) → %j", (args, env, format) => {
  expect(givenLogFormat(args, env, "CHAIND_")).toBe(format);
});
