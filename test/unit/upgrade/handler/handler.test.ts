import { describe, expect, test } from "vitest";
import { toHex } from "../../../../host/base/text/bytes.js";
import { requireLayout } from "../../../../host/upgrade/handler/check/layout.js";
import { loadHandler } from "../../../../host/upgrade/handler/handler.js";
import { guestLine, guestText, guestText16, printable, quote } from "../../../../host/upgrade/wasm/guest-text.js";
import { build, guest, load, sha256 } from "../../../guest/build.js";

const refused = (code: string, ...words: string[]) =>
  expect.objectContaining({ code, message: expect.stringMatching(words.join(".*")) });

describe("loadHandler()", () => {
  test("loadHandler() gives manifest, hash of the original bytes, and a copy of them", () => {
    const bytes = build(guest());
    const expected = toHex(sha256(bytes));
    const original = bytes.slice();
    const handler = loadHandler(bytes, { sha256 });
    bytes.fill(0);
    expect(handler.hash).toBe(expected);
    expect(handler.bytes).toEqual(original);
    expect(handler.manifest.name).toBe("v2");
    expect(WebAssembly.Module.exports(handler.module).map(({ name }) => name)).toContain("handler_run");
  });

  test("loadHandler() throws the first finding, says where, and how many more there are", () => {
    const bytes = build(guest({ run: "(drop (f32.const 1)) (drop (f64.const 1)) (i32.const 0)" }));
    const error = refused("UPG_HANDLER_OPCODE", "in function run at byte \\d+: f32.const: floating point", "1 more");
    expect(() => loadHandler(bytes, { sha256 })).toThrow(error);
  });
});

describe("requireLayout()", () => {
  const versions = { auth: { from: [1, 3], to: 4 }, bank: { to: 1 } };
  const stored = (entries: Record<string, bigint>) => new Map(Object.entries(entries));

  test.each([[{ auth: 1n }], [{ auth: 3n }], [{ auth: 1n, gov: 9n }]])("requireLayout() takes %o", (entries) => {
    requireLayout(load({}, { versions }).manifest, stored(entries));
  });

  test.each<[Record<string, bigint>, string]>([
    [{ auth: 2n }, "auth is stored at 2, the handler takes 1 or 3$"],
    [{ auth: 4n }, "auth is stored at 4"],
    [{}, "auth is not stored, the handler takes 1 or 3$"],
    [{ auth: 1n, bank: 1n }, "bank is stored at 1, the handler brings it as new$"],
    [{ auth: 2n, bank: 0n }, "auth is stored at 2, .*; bank is stored at 0"],
  ])("requireLayout() with %o stored → UPG_HANDLER_LAYOUT", (entries, message) => {
    const { manifest } = load({}, { versions });
    expect(() => requireLayout(manifest, stored(entries))).toThrow(refused("UPG_HANDLER_LAYOUT", message));
  });
});

describe("guestText(), printable(), quote()", () => {
  test("guestText() cuts at whole characters and makes control characters harmless", () => {
    const bytes = new TextEncoder().encode("aé😀b");
    expect([1, 2, 3, 6, 7, 8].map((max) => guestText(bytes, max))).toEqual(["a", "a", "aé", "aé", "aé😀", "aé😀b"]);
    expect(guestText(Uint8Array.of(0x61, 0xff, 0x1b, 0x0a, 0x62), 10)).toBe("a\ufffd\ufffd b");
    expect(guestText(Uint8Array.of(0x80, 0x80, 0x80, 0x80, 0x80), 4)).not.toContain("\u0080");
    expect(printable("\u009b2J\u2028x")).toBe("\ufffd2J x");
    expect(quote("x".repeat(500))).toBe(`"${"x".repeat(100)}…"`);
  });

  test("guestLine() → never more bytes than the bound, whatever they are put for, cut at whole characters", () => {
    const bytesOf = (text: string) => Buffer.byteLength(text);
    for (const byte of [0x00, 0x1b, 0x61, 0x80, 0xff]) {
      expect(bytesOf(guestLine(new Uint8Array(10_000).fill(byte), 4_096))).toBeGreaterThan(4_090);
      expect(bytesOf(guestLine(new Uint8Array(10_000).fill(byte), 4_096))).toBeLessThanOrEqual(4_096);
      expect(guestLine(new Uint8Array(10).fill(byte), 4_096)).toBe(guestText(new Uint8Array(10).fill(byte), 4_096));
    }
    expect(guestLine(Uint8Array.of(0x1b, 0x1b), 5)).toBe("\ufffd");
    expect(guestLine(new TextEncoder().encode("aé😀b"), 7)).toBe("aé😀");
    expect(guestLine(new TextEncoder().encode("\u0001😀"), 6)).toBe("\ufffd");
  });

  test("guestText16() reads UTF-16 and replaces halves of pairs", () => {
    expect(guestText16(Uint8Array.of(0x61, 0, 0x3d, 0xd8, 0x00, 0xde, 0x3d, 0xd8, 7))).toBe("a😀\ufffd");
  });
});
