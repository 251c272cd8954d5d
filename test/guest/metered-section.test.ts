/** The metered module inside the handler's file: put in, found to be right, refused when it is not. */
import { describe, expect, test } from "vitest";
import { concatBytes } from "../../host/base/text/bytes.js";
import { HANDLER_BYTES_MAX } from "../../host/base/types/limits.js";
import { checkHandler, examineHandler } from "../../host/upgrade/handler/check/check.js";
import { loadHandler } from "../../host/upgrade/handler/handler.js";
import { METERED_SECTION, withMetered } from "../../host/upgrade/handler/metered-section.js";
import { readModule } from "../../host/upgrade/wasm/decode.js";
import { build, customSection, guest, leb, sha256 } from "./build.js";
import { corpus } from "./fuzz/corpus.js";
import { failure } from "./running.js";

const plain = build(guest());
const whole = withMetered(plain);
const metered = examineHandler(whole).metered ?? new Uint8Array(0);

const first = (bytes: Uint8Array) => checkHandler(bytes).findings[0];
const withSection = (payload: Uint8Array) => concatBytes(plain, customSection(METERED_SECTION, payload));

describe("withMetered()", () => {
  test("of handlers → the file, then one custom section; the same again and again, whether it had one or not", () => {
    for (const file of corpus()) {
      const once = withMetered(file);
      expect(once.subarray(0, file.length)).toEqual(file);
      expect(withMetered(file)).toEqual(once);
      expect(withMetered(once)).toEqual(once);
      expect(checkHandler(once).findings).toEqual([]);
      const names = WebAssembly.Module.customSections(new WebAssembly.Module(once as BufferSource), METERED_SECTION);
      expect(names).toHaveLength(1);
    }
  });

  test("the section → a module that the engine takes, without custom sections, with three globals more", () => {
    const exports = WebAssembly.Module.exports(new WebAssembly.Module(metered as BufferSource));
    const own = WebAssembly.Module.exports(new WebAssembly.Module(plain as BufferSource));
    expect(exports.slice(0, own.length)).toEqual(own);
    expect(exports.slice(own.length).map(({ name, kind }) => `${kind} ${name}`)).toEqual([
      "global chain-upgrade:gas",
      "global chain-upgrade:stack",
      "global chain-upgrade:refused",
    ]);
    expect(readModule(metered).customs).toEqual([]);
  });

  test("of a file with old sections, anywhere → they are replaced by one at the end", () => {
    const old = customSection(METERED_SECTION, new Uint8Array(7));
    const file = concatBytes(plain.subarray(0, 8), old, plain.subarray(8), old);
    expect(withMetered(file)).toEqual(whole);
  });

  test("of what is no handler → its first finding", () => {
    expect(() => withMetered(plain.subarray(0, 20))).toThrow(failure("UPG_HANDLER_FORMAT"));
    expect(() => withMetered(build(guest(), { gasLimit: "0" }))).toThrow(failure("UPG_HANDLER_MANIFEST"));
    expect(() => withMetered(new Uint8Array(HANDLER_BYTES_MAX + 1))).toThrow(failure("UPG_HANDLER_LIMIT", "the file"));
  });

  test("of a file that has no room for it → taken at 1 MiB, UPG_HANDLER_LIMIT a byte above; the same of custom sections", () => {
    const filled = (bytes: number) => {
      const room = bytes - (whole.length - plain.length) - plain.length;
      return concatBytes(plain, customSection("x", new Uint8Array(room - 1 - 3 - 2)));
    };
    expect(withMetered(filled(HANDLER_BYTES_MAX))).toHaveLength(HANDLER_BYTES_MAX);
    const tooLong = failure("UPG_HANDLER_LIMIT", `the file has ${HANDLER_BYTES_MAX + 1} bytes`);
    expect(() => withMetered(filled(HANDLER_BYTES_MAX + 1))).toThrow(tooLong);
    const noise = (count: number) => concatBytes(plain, ...Array(count).fill(customSection("x", new Uint8Array(0))));
    const { length } = readModule(plain).customs;
    expect(checkHandler(withMetered(noise(63 - length))).findings).toEqual([]);
    expect(() => withMetered(noise(64 - length))).toThrow(failure("UPG_HANDLER_LIMIT", "custom sections"));
  });
});

describe("checkHandler() of the section", () => {
  const flipped = (at: number) => metered.map((byte, i) => (i === at ? byte ^ 1 : byte));
  const at = (offset: number) => whole.length - metered.length + offset;

  test.each([
    ["first", 0],
    ["ninth", 8],
    ["last", metered.length - 1],
  ])("its %s byte flipped → UPG_HANDLER_METERED at that byte", (_, offset) => {
    expect(first(withSection(flipped(offset)))).toEqual({
      code: "UPG_HANDLER_METERED",
      function: null,
      offset: at(offset),
      message: expect.stringContaining(
        "section chain-upgrade.metered is not the metered form of this module; make it again with `handler meter`",
      ),
    });
  });

  test.each([0, 1, metered.length - 1])("cut after %i bytes → UPG_HANDLER_METERED with both lengths", (count) => {
    const { code, message } = first(withSection(metered.subarray(0, count))) ?? {};
    expect({ code, message }).toMatchObject({
      code: "UPG_HANDLER_METERED",
      message: expect.stringContaining(`ends after ${count} of ${metered.length} bytes`),
    });
  });

  test("a byte more, twice, of another module → UPG_HANDLER_METERED", () => {
    const code = "UPG_HANDLER_METERED";
    expect(first(withSection(concatBytes(metered, Uint8Array.of(0))))).toMatchObject({ code });
    const twice = concatBytes(whole, customSection(METERED_SECTION, metered));
    expect(first(twice)).toMatchObject({ code, offset: whole.length, message: expect.stringContaining("two custom") });
    const other = examineHandler(withMetered(build(guest({ run: "(i32.const 1)" })))).metered;
    expect(first(withSection(other ?? new Uint8Array(0)))).toMatchObject({ code });
  });

  test("longer than the file → UPG_HANDLER_FORMAT, as of any section", () => {
    const cut = Uint8Array.from([0, ...leb(5_000), METERED_SECTION.length]);
    expect(first(concatBytes(plain, cut))).toMatchObject({ code: "UPG_HANDLER_FORMAT" });
  });

  test("of a module that has findings of its own → those alone", () => {
    const broken = build(guest({ more: "(func (drop (f32.const 1)))" }));
    const file = concatBytes(broken, customSection(METERED_SECTION, new Uint8Array(3)));
    expect(checkHandler(file).findings).toEqual(checkHandler(broken).findings);
  });
});

test("loadHandler() of the file with the section → another hash, the same module; of a wrong one → refused", () => {
  const [one, other] = [loadHandler(plain, { sha256 }), loadHandler(whole, { sha256 })];
  expect(other.manifest).toEqual(one.manifest);
  expect(other.hash).not.toBe(one.hash);
  expect(WebAssembly.Module.exports(other.module)).toEqual(WebAssembly.Module.exports(one.module));
  const code = "UPG_HANDLER_METERED";
  expect(() => loadHandler(withSection(Uint8Array.of(1)), { sha256 })).toThrow(failure(code));
});
