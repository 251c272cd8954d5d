import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isUpgradeError } from "../../../../host/base/errors/errors.js";
import type { Plan } from "../../../../host/base/types/types.js";
import { goJsonText } from "../../../../host/upgrade/plan-info/go-json-text.js";
import {
  planCliJson,
  planDueAt,
  planProtoJson,
  planText,
  protoTimeText,
} from "../../../../host/upgrade/plan-info/plan-text.js";

const PLAN: Plan = { name: "v2", height: 10n, info: "<a>&b" };
const EMPTY_PLAN: Plan = { name: "", height: 0n, info: "" };
const AFTER_9999 = { seconds: 253_402_300_800n, nanos: 0 };
const STATE = { typeUrl: "/x.Y", value: Uint8Array.of(0, 0x22, 0xff) };

describe("planProtoJson()", () => {
  test("prints every field, the height as a string", () => {
    expect(planProtoJson(PLAN)).toBe(
      '{"name":"v2","time":"0001-01-01T00:00:00Z","height":"10","info":"\\u003ca\\u003e\\u0026b","upgraded_client_state":null}',
    );
    expect(planProtoJson(EMPTY_PLAN)).toBe(
      '{"name":"","time":"0001-01-01T00:00:00Z","height":"0","info":"","upgraded_client_state":null}',
    );
  });

  test("with heights past 2^53 → every digit", () => {
    const json = planProtoJson({ ...PLAN, height: 9_007_199_254_740_993n });
    expect(json).toContain('"height":"9007199254740993"');
  });

  test("for any plan → JSON that holds its texts", () => {
    const text = fc.string({ unit: "binary", maxLength: 20 });
    fc.assert(
      fc.property(text, text, fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (name, info, height) => {
        const json: unknown = JSON.parse(planProtoJson({ name, info, height }));
        expect(json).toMatchObject({
          name: name.toWellFormed(),
          info: info.toWellFormed(),
          height: height.toString(),
        });
        const cli: unknown = JSON.parse(planCliJson({ name, info, height }));
        const present = Object.entries({ name, info, height: height === 0n ? "" : `${height}` });
        expect(cli).toEqual({
          time: "0001-01-01T00:00:00Z",
          ...Object.fromEntries(present.filter(([, value]) => value !== "")),
        });
      }),
    );
  });

  test("with a client state or a time past 9999 → UPG_INVALID_ARGUMENT", () => {
    expectInvalid(() => planProtoJson({ ...PLAN, upgradedClientState: STATE }), /^unable to resolve type URL \/x.Y$/);
    expectInvalid(() => planProtoJson({ ...PLAN, time: AFTER_9999 }), /9999/);
  });
});

describe("planCliJson()", () => {
  test("leaves empty fields out, the time never", () => {
    expect(planCliJson(EMPTY_PLAN)).toBe('{"time":"0001-01-01T00:00:00Z"}');
    expect(planCliJson({ ...PLAN, time: { seconds: 0n, nanos: 500_000_000 } })).toBe(
      '{"name":"v2","time":"1970-01-01T00:00:00.5Z","height":"10","info":"\\u003ca\\u003e\\u0026b"}',
    );
  });

  test("with a client state → as the registry that is handed in prints it, refused without one", () => {
    const plan = { ...EMPTY_PLAN, upgradedClientState: STATE };
    expect(planCliJson(plan, ({ typeUrl }) => JSON.stringify({ type: typeUrl }))).toBe(
      '{"time":"0001-01-01T00:00:00Z","upgraded_client_state":{"type":"/x.Y"}}',
    );
    expectInvalid(() => planCliJson(plan), /^can't resolve type URL \/x.Y: proto: not found$/);
  });
});

describe("planText()", () => {
  test("prints fields that are set, and the time always", () => {
    expect(planText(PLAN)).toBe('name:"v2" time:<seconds:-62135596800 > height:10 info:"<a>&b" ');
    expect(planText(EMPTY_PLAN)).toBe("time:<seconds:-62135596800 > ");
    expect(planText({ ...EMPTY_PLAN, time: { seconds: 0n, nanos: 0 } })).toBe("time:<> ");
    expect(planText({ ...EMPTY_PLAN, time: { seconds: -1n, nanos: 7 }, height: -2n })).toBe(
      "time:<seconds:-1 nanos:7 > height:-2 ",
    );
  });

  test("with quotes, control characters and what is not ASCII → escaped byte by byte", () => {
    const text = planText({ ...EMPTY_PLAN, name: '"\\\n\r\t\0\x7fé' });
    expect(text).toBe('name:"\\"\\\\\\n\\r\\t\\000\\177\\303\\251" time:<seconds:-62135596800 > ');
    expect(planText({ ...EMPTY_PLAN, info: Uint8Array.of(0xc3, 0x28) })).toContain('info:"\\303(" ');
  });

  test("with a client state → its type and bytes", () => {
    expect(planText({ ...EMPTY_PLAN, upgradedClientState: STATE })).toBe(
      'time:<seconds:-62135596800 > upgraded_client_state:<type_url:"/x.Y" value:"\\000\\"\\377" > ',
    );
  });

  test("with a time past 9999 → ends there", () => {
    expect(planText({ ...PLAN, time: AFTER_9999 })).toBe('name:"v2" time:');
  });
});

test("planDueAt() names the height", () => {
  expect(planDueAt(PLAN)).toBe("height: 10");
});

test.each([
  [0, "1970-01-01T00:00:00Z"],
  [500_000_000, "1970-01-01T00:00:00.500Z"],
  [120_000_000, "1970-01-01T00:00:00.120Z"],
  [1_000, "1970-01-01T00:00:00.000001Z"],
  [1, "1970-01-01T00:00:00.000000001Z"],
])("protoTimeText() with %s nanoseconds → %s", (nanos, text) => {
  expect(protoTimeText({ seconds: 0n, nanos })).toBe(text);
});

describe("goJsonText()", () => {
  test.each([
    ["<>&\u2028\u2029", '"\\u003c\\u003e\\u0026\\u2028\\u2029"'],
    ['"\\/\b\f\n\r\t\0\x1f\x7f\x85', '"\\"\\\\/\\b\\f\\n\\r\\t\\u0000\\u001f\x7f\x85"'],
    ["é漢🚀\ufffd\ufeff", '"é漢🚀\ufffd\ufeff"'],
    ["a\ud800b", '"a\\ufffd\\ufffd\\ufffdb"'],
  ])("%j → %j", (text, json) => {
    expect(goJsonText(text)).toBe(json);
  });

  test.each([
    ["a byte that begins nothing", [0x61, 0xff, 0x62], '"a\\ufffdb"'],
    ["a sequence that is cut off", [0xe2, 0x82, 0x41], '"\\ufffd\\ufffdA"'],
    ["one at the end", [0xf0, 0x9f, 0x9a], '"\\ufffd\\ufffd\\ufffd"'],
    ["an over-long form", [0xc0, 0x80], '"\\ufffd\\ufffd"'],
    ["another over-long form", [0xe0, 0x9f, 0xbf], '"\\ufffd\\ufffd\\ufffd"'],
    ["a surrogate", [0xed, 0xa0, 0x80], '"\\ufffd\\ufffd\\ufffd"'],
    ["past U+10FFFF", [0xf4, 0x90, 0x80, 0x80], '"\\ufffd\\ufffd\\ufffd\\ufffd"'],
    ["a valid one between", [0x80, 0xc3, 0xa9, 0x80], '"\\ufffdé\\ufffd"'],
  ])("with %s → U+FFFD for each byte", (_, bytes, json) => {
    expect(goJsonText(Uint8Array.from(bytes))).toBe(json);
  });

  test("with any text → the same from its bytes, and JSON.parse gives it back", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const json = goJsonText(text);
        expect(JSON.parse(json)).toBe(text);
        expect(goJsonText(new TextEncoder().encode(text))).toBe(json);
      }),
    );
  });

  test("with any bytes → what is UTF-8 in them stays, the rest is replaced", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 12 }), (bytes) => {
        const read: unknown = JSON.parse(goJsonText(bytes));
        // TextDecoder replaces up to three bytes at once; apart from that both see the same characters.
        const once = (text: string) => text.replace(/\ufffd+/g, "\ufffd");
        expect(once(String(read))).toBe(once(new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes)));
      }),
    );
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
