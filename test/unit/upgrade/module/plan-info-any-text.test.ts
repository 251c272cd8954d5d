import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isUpgradeError } from "../../../../host/base/errors/errors.js";
import { PLAN_INFO_BYTES_MAX } from "../../../../host/base/types/limits.js";
import { checkPlanInfo, parsePlanInfo, planHandlerHash } from "../../../../host/upgrade/plan-info/plan-info.js";

const SHA256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

describe("any text", () => {
  const units = fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 40 });
  const pieces = fc.constantFrom(
    ...[
      '{"binaries":{',
      '{"handler":{',
      '"any":"',
      '"sha256":"',
      SHA256,
      "http://",
      "?checksum=",
      "%",
      "]",
      "[::1",
      '"',
      "}",
      ",",
      "\\u",
      "null",
      "@",
    ],
  );
  const texts = fc.oneof(
    units.map((codes) => String.fromCharCode(...codes)),
    fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join("")),
    fc.json(),
  );

  test("checkPlanInfo() and parsePlanInfo() never throw and agree on what the text is", () => {
    fc.assert(
      fc.property(texts, fc.boolean(), fc.boolean(), (info, checksumRequired, allowWeakChecksum) => {
        const report = checkPlanInfo(info, { checksumRequired, allowWeakChecksum });
        const parsed = parsePlanInfo(info);
        expect(report.ok).toBe(report.errors.length === 0);
        expect(report.info).toEqual(parsed.kind === "text" ? undefined : parsed);
        if (report.ok) expect(parsed.kind).toBe(report.stage === "parse" ? "reference" : "document");
      }),
      { numRuns: 3000 },
    );
  });

  test("planHandlerHash() returns a digest or nothing, or throws UPG_INVALID_PLAN_INFO", () => {
    fc.assert(
      fc.property(texts, (info) => {
        try {
          expect(planHandlerHash(info) ?? SHA256).toMatch(/^[0-9a-f]{64}$/);
        } catch (error) {
          if (!isUpgradeError(error)) throw error;
          expect(error.code).toBe("UPG_INVALID_PLAN_INFO");
        }
      }),
      { numRuns: 2000 },
    );
  });

  test("a well-formed document round-trips, passes, and pins its handler", () => {
    const word = fc.stringMatching(/^[a-z0-9]{1,9}$/);
    const digest = fc.stringMatching(/^[0-9a-f]{64}$/);
    const url = fc.tuple(fc.webUrl({ withQueryParameters: false, withFragments: false }), digest);
    const binaries = fc.dictionary(
      fc.tuple(word, word).map(([os, arch]) => `${os}/${arch}`),
      url,
      { minKeys: 1 },
    );
    fc.assert(
      fc.property(binaries, digest, fc.nat({ max: 3 }), (map, sha256, spaces) => {
        const urls = Object.entries(map).map(([key, [base, hex]]): [string, string] => [
          key,
          `${base}?checksum=sha256:${hex}`,
        ]);
        const info = JSON.stringify({ binaries: Object.fromEntries(urls), handler: { sha256 } }, null, spaces);
        expect(checkPlanInfo(` ${info}\n`)).toEqual({
          ok: true,
          stage: "validate",
          errors: [],
          info: { kind: "document", binaries: new Map(urls), handler: { sha256 } },
        });
        expect(planHandlerHash(info)).toBe(sha256);
      }),
    );
  });
});

describe("hostile texts of 64 KiB end at once", () => {
  const full = (before: string, unit: string, after = "") =>
    before + unit.repeat(Math.floor((PLAN_INFO_BYTES_MAX - before.length - after.length) / unit.length)) + after;
  const inUrl = (before: string, unit: string) => full(`{"binaries":{"any":"${before}`, unit, '"}}');

  test.each([
    ["white space with an end", full("", " ", "x")],
    ["white space in the middle", full("x", " ", "x")],
    ["open arrays", full("", "[")],
    ["open objects", full("", '{"a":')],
    ["a long key", full('{"binaries":{"', "a", '":""}}')],
    ["many keys", full('{"binaries":{"a/a":""', ',"a/b":""', "}}")],
    ["an almost endless scheme", full("", "a")],
    ["an escaped string", full('"', "\\u0061", '"')],
    ["percent signs in a host", inUrl("http://", "%25")],
    ["colons in a host", inUrl("ftp://", ":1")],
    ["colons in brackets", inUrl("http://[", "::")],
    ["a long zone", inUrl("http://[fe80::1%25", ":1")],
    ["at signs", inUrl("http://", "@")],
    ["parameters", inUrl("http://h/?", "a&")],
    ["escapes in parameters", inUrl("http://h/?", "%61=%62&")],
    ["nested checksums", inUrl("https://h/?checksum=file:https://h/?checksum=", "file:")],
  ])("checkPlanInfo() of %s", (_, info) => {
    const start = performance.now();
    expect(checkPlanInfo(info).ok).toBe(false);
    expect(performance.now() - start).toBeLessThan(2_000);
  });

  test("checkPlanInfo() of 10,000 nested values → judged; of one more → refused", () => {
    const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
    expect(checkPlanInfo(nested(10_000)).errors).toEqual([
      "could not parse plan info: it must be a JSON object, not array",
    ]);
    expect(checkPlanInfo(nested(10_001)).errors).toEqual([
      "could not parse plan info: not valid JSON: at character 10001: more than 10000 objects and arrays in one another",
    ]);
  });
});
