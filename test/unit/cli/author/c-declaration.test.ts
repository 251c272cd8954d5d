/** The declaration that macros of the C header leave in a module. */
import { describe, expect, test } from "vitest";
import { concatBytes } from "../../../../host/base/text/bytes.js";
import { C_DECLARATION_SECTION, cManifest } from "../../../../host/cli/author/c-declaration.js";
import { customSection } from "../../../../host/upgrade/wasm/custom-section.js";
import { thrownBy } from "../../../thrown-by.js";

const MODULE = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);
const declaring = (payload: Uint8Array) => concatBytes(MODULE, customSection(C_DECLARATION_SECTION, payload));

describe("cManifest()", () => {
  test("of a module without the section → undefined", () => {
    expect(cManifest(MODULE)).toBeUndefined();
  });

  test("of bytes that are not UTF-8 → UPG_INVALID_ARGUMENT, with what to do", () => {
    const error = thrownBy(() => cManifest(declaring(Uint8Array.of(0x70, 0xff))));
    expect(error).toMatchObject({
      code: "UPG_INVALID_ARGUMENT",
      message: expect.stringMatching(/save its source as UTF-8/),
    });
  });
});
