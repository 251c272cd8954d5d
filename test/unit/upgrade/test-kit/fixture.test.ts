/** Scenes in files, and bytes as tests write them. */
import { describe, expect, test } from "vitest";
import { bytes, parseFixture } from "../../../../host/upgrade/test-kit/index.js";

describe("bytes()", () => {
  test("of texts, hex, numbers, lists and bytes → all in a row", () => {
    expect(bytes("é", "0x00fF", 7, ["a", 0], Uint8Array.of(9))).toEqual(Uint8Array.of(0xc3, 0xa9, 0, 255, 7, 97, 0, 9));
    expect(bytes()).toEqual(new Uint8Array(0));
    expect(bytes("0x")).toEqual(new Uint8Array(0));
  });

  for (const wrong of ["0x0", "0xgg", 256, -1, 1.5] as const) {
    test(`of ${wrong} → UPG_INVALID_ARGUMENT`, () => {
      expect(() => bytes(wrong)).toThrow(expect.objectContaining({ code: "UPG_INVALID_ARGUMENT" }));
    });
  }
});

describe("parseFixture()", () => {
  test("of everything → the scene", () => {
    const scene = {
      stores: { a: [["0x01", ["b", 2]]] },
      versions: { m: 3 },
      chainId: "c-1",
      height: 5,
      time: 6,
      info: "i",
      idempotent: true,
      expect: { stores: { a: [] }, code: "UPG_MIGRATION_FAILED" },
    };
    expect(parseFixture(JSON.stringify(scene))).toEqual(scene);
  });

  for (const [place, scene] of [
    ["$: must be an object", []],
    ["$.store: is no field", { store: {} }],
    ["$.stores.a: must be a list", { stores: { a: {} } }],
    ["$.stores.a[1]: must be [key, value]", { stores: { a: [["k", "v"], ["k"]] } }],
    ["$.stores.a[0]: bytes are", { stores: { a: [["k", true]] } }],
    ['$.stores.a[0]: "0x1" is no hex', { stores: { a: [["0x1", "v"]] } }],
    ["$.versions.m: must be a whole number", { versions: { m: "1" } }],
    ["$.height: must be a whole number", { height: -1 }],
    ["$.info: must be a text", { info: 1 }],
    ["$.idempotent: must be true or false", { idempotent: "yes" }],
    ["$.expect.error: must be stores or a code", { expect: { error: "x" } }],
  ] as const) {
    test(`of ${JSON.stringify(scene)} → UPG_INVALID_ARGUMENT at ${place}`, () => {
      expect(() => parseFixture(JSON.stringify(scene))).toThrow(
        expect.objectContaining({ code: "UPG_INVALID_ARGUMENT", message: expect.stringContaining(place) }),
      );
    });
  }

  test("of no JSON → UPG_INVALID_ARGUMENT", () => {
    expect(() => parseFixture("{")).toThrow(expect.objectContaining({ code: "UPG_INVALID_ARGUMENT" }));
  });
});
