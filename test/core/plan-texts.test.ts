/** schedule() and validatePlan(): a plan's name and info, at each limit and one past it. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fromHex, utf8 } from "../../host/base/text/bytes.js";
import { PLAN_INFO_BYTES_MAX, PLAN_NAME_BYTES_MAX } from "../../host/base/types/limits.js";
import { codeOf, describeCores, refusal } from "./cores.js";
import { wirePlan } from "./plan-wire.js";

import { Scheduling, TEXTS } from "./scheduling.js";

const CONTROLS = [...Array(0x20).keys(), ...Array.from({ length: 0x21 }, (_, i) => 0x7f + i)];
const BAD_UTF8 = [
  "80 bf c0 c080 c1bf c2 c27f e0 e080 e09fbf e0a0 eda080 edbfbf ef ef80 efbf f0 f08fbfbf f0908080ff f48f8f",
  "f4908080 f5808080 f8888080 fe ff eda0bdedb880 c328 e28228 f0288cbc",
].flatMap((line) => line.split(" "));
const GOOD_UTF8 = [
  "c2a0",
  "dfbf",
  "e0a080",
  "ed9fbf",
  "ee8080",
  "efbfbf",
  "f0908080",
  "f48fbfbf",
  "20",
  "7e",
  "efbbbf",
];

describeCores((core) => {
  const scheduling = new Scheduling(core);

  describe("schedule(), the name", () => {
    test.each([
      ["1 byte", "v"],
      ["140 bytes", "n".repeat(140)],
      ["70 letters of 2 bytes", "é".repeat(70)],
      ["a letter of 4 bytes that ends at the limit", `${"n".repeat(136)}🚀`],
      ["quotes, slashes and blanks", ' v2 "/\\../ '],
    ])("of %s → accepted", (_, name) => scheduling.accepted({ name }));

    test.each([
      ["n".repeat(141), 141],
      [`${"é".repeat(70)}n`, 141],
      [`${"n".repeat(137)}🚀`, 141],
      ["é".repeat(141), 282],
      ["n".repeat(200_000), 200_000],
      ["n".repeat(1_200_000), 1_200_000],
    ])("of too many bytes (#%#) → UPG_INVALID_PLAN_NAME with their number", (name, got) => {
      scheduling.refused("UPG_INVALID_PLAN_NAME", TEXTS.nameBytes(got), { name });
    });

    test("that is empty or absent → UPG_INVALID_PLAN_NAME", () => {
      scheduling.refused("UPG_INVALID_PLAN_NAME", TEXTS.empty, { name: "" });
      const bytes = wirePlan({ height: 100n });
      expect(() => core.validatePlan(bytes)).toThrow(refusal("UPG_INVALID_PLAN_NAME", TEXTS.empty));
    });

    test("with a control character at its start, in the middle, at its end → UPG_INVALID_PLAN_NAME", () => {
      for (const character of CONTROLS.map((code) => String.fromCodePoint(code))) {
        for (const name of [`${character}ab`, `a${character}b`, `ab${character}`, character]) {
          scheduling.refused("UPG_INVALID_PLAN_NAME", TEXTS.control, { name });
        }
      }
    });

    test("with the neighbours of the control characters → accepted", () => {
      for (const code of [0x20, 0x7e, 0xa0, 0xad, 0x2028, 0xfeff, 0xfffd, 0x10ffff]) {
        scheduling.accepted({ name: String.fromCodePoint(code) });
      }
    });

    test.each(BAD_UTF8)("with the bytes %s → UPG_INVALID_PLAN_NAME", (hex) => {
      for (const name of [hex, `61${hex}`, `${hex}61`, `c3a9${hex}c3a9`]) {
        scheduling.bytesRefused("UPG_INVALID_PLAN_NAME", TEXTS.nameUtf8, { name: fromHex(name) });
      }
    });

    test.each(["\ud800", "\udfff", "a\udc00b", "\udc00\ud800"])("with a lone surrogate (#%#) → refused", (name) => {
      scheduling.refused("UPG_INVALID_PLAN_NAME", TEXTS.nameUtf8, { name });
    });
  });

  describe("schedule(), the info", () => {
    test("of 65,536 bytes → accepted, whatever its characters", () => {
      for (const text of ["x", "é", "🚀", "\u0000"]) {
        scheduling.accepted({ info: text.repeat(PLAN_INFO_BYTES_MAX / utf8(text).length) });
      }
      scheduling.accepted({ info: CONTROLS.map((code) => String.fromCodePoint(code)).join("") });
    });

    test.each([
      ["x".repeat(65_537), 65_537],
      [`${"🚀".repeat(16_384)}x`, 65_537],
      [`${"x".repeat(65_535)}é`, 65_537],
      ["x".repeat(262_144), 262_144],
      ["x".repeat(262_145), 262_145],
      ["x".repeat(2_000_000), 2_000_000],
    ])("of too many bytes (#%#) → UPG_INVALID_PLAN_INFO with their number", (info, got) => {
      scheduling.refused("UPG_INVALID_PLAN_INFO", TEXTS.infoBytes(got), { info });
    });

    test.each(BAD_UTF8)("with the bytes %s → UPG_INVALID_PLAN_INFO", (hex) => {
      scheduling.bytesRefused("UPG_INVALID_PLAN_INFO", TEXTS.infoUtf8, { info: fromHex(`61${hex}`) });
      scheduling.bytesRefused("UPG_INVALID_PLAN_INFO", TEXTS.infoUtf8, { info: fromHex(hex) });
    });

    test("with a lone surrogate → UPG_INVALID_PLAN_INFO", () => {
      scheduling.refused("UPG_INVALID_PLAN_INFO", TEXTS.infoUtf8, { info: "a\ud800b" });
    });

    test("any bytes → accepted exactly when a strict decoder takes them", () => {
      const decoder = new TextDecoder("utf-8", { fatal: true });
      const piece = fc.oneof(
        fc.constantFrom(...BAD_UTF8, ...GOOD_UTF8).map(fromHex),
        fc.uint8Array({ maxLength: 4 }),
        fc.string({ unit: "binary", maxLength: 4 }).map(utf8),
      );
      fc.assert(
        fc.property(fc.array(piece, { maxLength: 6 }), (pieces) => {
          const info = Uint8Array.from(pieces.flatMap((bytes) => [...bytes]));
          const code = codeOf(() => core.validatePlan(wirePlan({ name: "v2", height: 1n, info })));
          const expected = codeOf(() => decoder.decode(info)) === undefined ? undefined : "UPG_INVALID_PLAN_INFO";
          expect(code).toBe(expected);
        }),
        { numRuns: 1_000 },
      );
    });
  });

  test("the limits are those of host/base/types/limits.ts", () => {
    expect([PLAN_NAME_BYTES_MAX, PLAN_INFO_BYTES_MAX]).toEqual([140, 65_536]);
  });
});
