/** `handler pack`: a manifest for a module of any compiler. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { concatBytes } from "../../../../host/base/text/bytes.js";
import { inspectHandler } from "../../../../host/cli/author/inspection.js";
import { packHandler, packText } from "../../../../host/cli/author/pack.js";
import { openHandler } from "../../../../host/upgrade/test-kit/index.js";
import { assemble, build, customSection, guest, MINIMAL_MANIFEST } from "../../../guest/build.js";

const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-pack-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const write = (name: string, content: Uint8Array | string) => {
  const file = join(folder, name);
  writeFileSync(file, content);
  return file;
};
mkdirSync(join(folder, "made"));
const out = join(folder, "made/handler.wasm");
const MANIFEST = write("manifest.json", `\n${JSON.stringify({ ...MINIMAL_MANIFEST, name: "packed" }, null, 2)}\n`);
const BARE = write("bare.wasm", assemble(guest()));

describe("packHandler()", () => {
  test("of a module without a manifest → a handler with this one, and all its other sections", () => {
    const answer = packHandler({ file: BARE, manifest: MANIFEST, out });
    const bytes = readFileSync(out);
    const { manifest, hash } = openHandler(bytes);
    expect(answer).toEqual({
      ...{ file: out, name: "packed", sha256: hash, size: bytes.length, gas_limit: "10000000000", warnings: [] },
      metered: expect.any(Number),
    });
    expect(manifest.name).toBe("packed");
    expect(packText(answer)).toContain(`for plan "packed", at most 10000000000 gas\nsha256  ${hash}`);
    const names = inspectHandler(bytes).sections.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(['custom "name"', 'custom "chain-upgrade.manifest"', 'custom "chain-upgrade.metered"']),
    );
  });

  test("of a file that has a manifest, and a metered module of it → both are replaced; into the same file too", () => {
    const metered = customSection("chain-upgrade.metered", Uint8Array.of(1, 2, 3));
    const file = write("old.wasm", concatBytes(build(guest(), { name: "old" }), metered));
    packHandler({ file, manifest: MANIFEST, out: file });
    const { manifest, sections } = inspectHandler(readFileSync(file));
    expect(manifest).toMatchObject({ name: "packed" });
    expect(sections.filter(({ name }) => name.includes("manifest"))).toHaveLength(1);
    const [kept] = sections.filter(({ name }) => name.includes("metered"));
    expect(kept?.bytes).not.toBe(metered.length);
    openHandler(readFileSync(file));
  });

  test("onto its manifest, or a link to it → UPG_INVALID_ARGUMENT, and the manifest stays", () => {
    const before = readFileSync(MANIFEST, "utf8");
    symlinkSync(MANIFEST, join(folder, "link.json"));
    for (const to of [MANIFEST, join(folder, "link.json")]) {
      const code = expect.objectContaining({ code: "UPG_INVALID_ARGUMENT", message: expect.stringContaining(to) });
      expect(() => packHandler({ file: BARE, manifest: MANIFEST, out: to })).toThrow(code);
    }
    expect(readFileSync(MANIFEST, "utf8")).toBe(before);
  });

  test.each([
    [
      "a manifest that is not JSON",
      () => ({ manifest: write("no.json", "{"), file: BARE }),
      "UPG_HANDLER_MANIFEST",
      "no.json",
    ],
    [
      "a manifest with an unknown field",
      () => ({ manifest: write("odd.json", JSON.stringify({ ...MINIMAL_MANIFEST, odd: 1 })), file: BARE }),
      "UPG_HANDLER_MANIFEST",
      "$.odd",
    ],
    ["a manifest with scans, and no handler_batch", scanned, "UPG_HANDLER_EXPORT", "handler_batch"],
    [
      "a file that is no Wasm",
      () => ({ manifest: MANIFEST, file: write("text.wasm", "hello") }),
      "UPG_HANDLER_FORMAT",
      "text.wasm",
    ],
    [
      "a module cut short",
      () => ({ manifest: MANIFEST, file: write("cut.wasm", assemble(guest()).subarray(0, 40)) }),
      "UPG_HANDLER_FORMAT",
      "cut.wasm",
    ],
    [
      "a file that is too long",
      () => ({ manifest: MANIFEST, file: write("long.wasm", new Uint8Array(5_000_000)) }),
      "UPG_HANDLER_LIMIT",
      "long.wasm",
    ],
    [
      "no such manifest",
      () => ({ manifest: join(folder, "nowhere.json"), file: BARE }),
      "UPG_INVALID_ARGUMENT",
      "nowhere.json",
    ],
    ["a folder", () => ({ manifest: MANIFEST, file: folder }), "UPG_STORE_IO", folder],
  ] as const)("of %s → refused by its code and place, and nothing is written", (_, given, code, words) => {
    const to = join(folder, "refused.wasm");
    const pack = () => packHandler({ ...given(), out: to });
    expect(pack).toThrowError(expect.objectContaining({ code, message: expect.stringContaining(words) }));
    expect(existsSync(to)).toBe(false);
  });
});

function scanned() {
  const json = { ...MINIMAL_MANIFEST, stores: [{ name: "a", access: "r" }], scans: [{ store: "a" }] };
  return { manifest: write("scan.json", JSON.stringify(json)), file: BARE };
}
