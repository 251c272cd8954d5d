import { describe, expect, test } from "vitest";
import { parseChecksum } from "../../../../host/upgrade/plan-info/checksum.js";
import { parsePlanUrl } from "../../../../host/upgrade/plan-info/plan-url.js";
import { goPlatform, isPlatformKey } from "../../../../host/upgrade/plan-info/platform.js";

const digest = (length: number) => "0aF".repeat(50).slice(0, length);

describe("parseChecksum()", () => {
  test.each([
    ["sha256", 64],
    ["sha512", 128],
  ])("of %s with %i digits, named or bare → the lower-case digest", (algorithm, length) => {
    const expected = { kind: "digest", algorithm, digest: digest(length).toLowerCase() };
    expect(parseChecksum(`${algorithm}:${digest(length)}`)).toEqual(expected);
    expect(parseChecksum(digest(length))).toEqual(expected);
    for (const other of [length - 2, length + 2]) {
      expect(() => parseChecksum(`${algorithm}:${digest(other)}`)).toThrow("invalid checksum");
      expect(() => parseChecksum(digest(other))).toThrow("Unknown type for checksum");
    }
  });

  test.each([
    ["md5", 32],
    ["sha1", 40],
  ])("of %s → refused unless weak ones are allowed", (algorithm, length) => {
    for (const text of [`${algorithm}:${digest(length)}`, digest(length)]) {
      expect(() => parseChecksum(text)).toThrow("weak checksum type");
      expect(parseChecksum(text, { allowWeakChecksum: true })).toMatchObject({ algorithm });
    }
  });

  test("of file:<url> → the URL, colons and all", () => {
    expect(parseChecksum("file:https://h:1/sums?a=b")).toEqual({ kind: "file", url: "https://h:1/sums?a=b" });
    expect(() => parseChecksum("file:s3://h/sums")).toThrow("unsupported scheme");
  });

  test.each(["", ":", "FILE:https://h/sums", `:${digest(64)}`, `sha256:${digest(64)} `, "constructor:00"])(
    "of %j → UPG_INVALID_PLAN_INFO",
    (text) => {
      expect(() => parseChecksum(text)).toThrow(expect.objectContaining({ code: "UPG_INVALID_PLAN_INFO" }));
    },
  );
});

describe("parsePlanUrl()", () => {
  const checksum = { kind: "digest", algorithm: "sha256", digest: digest(64).toLowerCase() };

  test.each([
    [`https://h/x?checksum=${digest(64)}`, "https://h/x"],
    [`https://h/x?archive=false&checksum=sha256:${digest(64)}&sig=%2B#f?g`, "https://h/x?archive=false&sig=%2B"],
    [`file:///x?checksum=${digest(64)}&`, "file:///x"],
  ])("of %s → what to request, and the checksum", (text, source) => {
    expect(parsePlanUrl(text)).toEqual({ scheme: new URL(source).protocol.slice(0, -1), source, checksum });
  });

  test("without a checksum → refused, unless none is required", () => {
    expect(() => parsePlanUrl("https://h/x")).toThrow("missing checksum query parameter");
    expect(parsePlanUrl("https://h/x?", { checksumRequired: false })).toEqual({
      scheme: "https",
      source: "https://h/x",
    });
  });
});

test.each([
  ["linux", "x64", "linux/amd64"],
  ["linux", "arm64", "linux/arm64"],
  ["linux", "ia32", "linux/386"],
  ["linux", "ppc64", "linux/ppc64le"],
  ["aix", "ppc64", "aix/ppc64"],
  ["linux", "mipsel", "linux/mipsle"],
  ["linux", "riscv64", "linux/riscv64"],
  ["darwin", "arm64", "darwin/arm64"],
  ["win32", "x64", "windows/amd64"],
  ["sunos", "x64", "solaris/amd64"],
  ["windows", "amd64", "windows/amd64"],
])("goPlatform(%s, %s) → %s", (platform, arch, name) => {
  expect(goPlatform(platform, arch)).toBe(name);
});

test.each([
  ["any", true],
  ["linux/amd64", true],
  ["x-linux/amd64-y", true],
  ["Any", false],
  ["linux", false],
  ["linux//amd64", false],
  ["été/amd64", false],
])("isPlatformKey(%j) → %s", (key, verdict) => {
  expect(isPlatformKey(key)).toBe(verdict);
});
