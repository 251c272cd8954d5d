import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { concatBytes, fromHex, toHex, utf8 } from "../../../../host/base/text/bytes.js";
import { WireWriter } from "../../../../host/base/wire/wire.js";
import { decodeVersionMap, encodeVersionMap } from "../../../../host/upgrade/core/version-map.js";
import { decodeChecks, decodeReturnedVersions, encodeContext } from "../../../../host/upgrade/handler/run/messages.js";

const refused = (code: string, message: string) =>
  expect.objectContaining({ code, message: expect.stringContaining(message) });

const entry = (name: string | Uint8Array, version?: bigint) =>
  new WireWriter()
    .bytes(1, typeof name === "string" ? utf8(name) : name)
    .int(2, version ?? 0n)
    .finish();
const map = (...entries: Uint8Array[]) => {
  const out = new WireWriter();
  for (const bytes of entries) out.message(1, bytes);
  return out.finish();
};

describe("encodeContext()", () => {
  test("encodeContext() writes the fields in order, names by their bytes", () => {
    const context = encodeContext({
      chainId: "c-1",
      height: 300n,
      time: { seconds: 1_700_000_000n, nanos: 5 },
      planBytes: Uint8Array.of(0x0a, 0x01, 0x76),
      versionMap: new Map([
        ["bank", 1n],
        ["auth", 0n],
        ["Z", 18446744073709551615n],
      ]),
    });
    const versions = ["0a0e0a015a10ffffffffffffffffff01", "0a060a0461757468", "0a080a0462616e6b1001"];
    const fields = ["0a03632d31", "10ac02", "1a080880e2cfaa061005", "22030a0176", "2a22"];
    expect(toHex(context)).toBe([...fields, ...versions].join(""));
  });

  test("encodeContext() writes time and plan and version map even when they are empty, a height below 0 in ten bytes", () => {
    const context = encodeContext({
      chainId: "",
      height: -1n,
      time: { seconds: 0n, nanos: 0 },
      planBytes: new Uint8Array(0),
      versionMap: new Map(),
    });
    expect(toHex(context)).toBe(`10${"ff".repeat(9)}01${"1a00"}${"2200"}${"2a00"}`);
  });

  test("encodeContext() encodes a version map as the core does", () => {
    const names = fc.string({ unit: "binary", minLength: 1, maxLength: 20 });
    const versions = fc.bigInt({ min: 0n, max: 18446744073709551615n });
    fc.assert(
      fc.property(fc.array(fc.tuple(names, versions), { maxLength: 20 }), (entries) => {
        const versionMap = new Map(entries);
        const context = encodeContext({
          chainId: "",
          height: 0n,
          time: { seconds: 0n, nanos: 0 },
          planBytes: fromHex(""),
          versionMap,
        });
        const expected = new WireWriter()
          .message(3, fromHex(""))
          .message(4, fromHex(""))
          .message(5, encodeVersionMap(versionMap));
        expect(toHex(context)).toBe(toHex(expected.finish()));
        expect(decodeVersionMap(encodeVersionMap(versionMap))).toEqual(new Map([...versionMap]));
      }),
    );
  });
});

describe("decodeReturnedVersions()", () => {
  test("decodeReturnedVersions() reads what the core writes", () => {
    const versions = new Map([
      ["auth", 2n],
      ["bank", 18446744073709551615n],
      ["z", 0n],
    ]);
    expect(decodeReturnedVersions(encodeVersionMap(versions))).toEqual(versions);
    expect(decodeReturnedVersions(new Uint8Array(0))).toEqual(new Map());
  });

  test.each<[what: string, bytes: Uint8Array, message: string]>([
    ["names out of order", map(entry("b", 1n), entry("a", 1n)), '"a" is not in ascending order'],
    ["a name twice", map(entry("a", 1n), entry("a", 2n)), '"a" is not in ascending order'],
    ["an empty name", map(entry("", 1n)), "a module's name is empty"],
    ["a long name", map(entry("x".repeat(141), 1n)), "has 141 bytes"],
    ["a name that is not UTF-8", map(entry(Uint8Array.of(0xff), 1n)), "not UTF-8"],
    ["an unknown field", new WireWriter().int(2, 1).finish(), "unknown field 2"],
    [
      "an unknown field of an entry",
      map(concatBytes(entry("a"), new WireWriter().int(3, 1).finish())),
      "unknown field 3",
    ],
    ["a field twice", map(concatBytes(entry("a", 1n), new WireWriter().int(2, 1).finish())), "field 2 occurs twice"],
    ["another wire type", map(new WireWriter().int(1, 1).finish()), "unknown field 1"],
    ["bytes cut short", encodeVersionMap(new Map([["auth", 2n]])).slice(0, -1), "malformed protobuf"],
    ["garbage", Uint8Array.of(0xff, 0xff), "malformed protobuf"],
    [
      "too many modules",
      map(...Array.from({ length: 1_025 }, (_, i) => entry(String(10_000 + i)))),
      "more than 1024 modules",
    ],
  ])("decodeReturnedVersions() with %s → UPG_MIGRATION_VERSION_MAP", (_, bytes, message) => {
    expect(() => decodeReturnedVersions(bytes)).toThrow(refused("UPG_MIGRATION_VERSION_MAP", message));
  });
});

describe("decodeChecks()", () => {
  const check = (name: string, ok: boolean, message = "") =>
    new WireWriter()
      .string(1, name)
      .int(2, ok ? 1 : 0)
      .string(3, message)
      .finish();

  test("decodeChecks() reads checks in order, their messages cut and harmless", () => {
    const bytes = map(check("supply", true), check("order", false, `a\u001b\nb${"é".repeat(600)}`));
    expect(decodeChecks(bytes)).toEqual([
      { name: "supply", ok: true, message: "" },
      { name: "order", ok: false, message: `a\ufffd b${"é".repeat(510)}` },
    ]);
    expect(decodeChecks(new Uint8Array(0))).toEqual([]);
  });

  test.each<[what: string, bytes: Uint8Array, message: string]>([
    ["a name twice", map(check("a", true), check("a", true)), 'two checks are named "a"'],
    ["no name", map(check("", true)), "a check's name is empty"],
    ["a control character in a name", map(check("a\n", true)), "holds a control character"],
    ["an unknown field", map(new WireWriter().string(1, "a").string(4, "x").finish()), "unknown field 4"],
    ["too many", map(...Array.from({ length: 257 }, (_, i) => check(`c${i}`, true))), "more than 256 checks"],
    ["garbage", Uint8Array.of(0x0a, 0x05, 1), "malformed protobuf"],
  ])("decodeChecks() with %s → UPG_HANDLER_TRAP", (_, bytes, message) => {
    expect(() => decodeChecks(bytes)).toThrow(refused("UPG_HANDLER_TRAP", message));
  });
});
