import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { PLAN_INFO_BYTES_MAX } from "../../../../host/base/types/limits.js";
import {
  checkPlanInfo,
  parsePlanInfo,
  planHandlerHash,
  selectBinary,
} from "../../../../host/upgrade/plan-info/plan-info.js";

const SHA256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
const GOOD = `https://example.com/d.tar.gz?checksum=sha256:${SHA256}`;
const LOST = 'invalid checksum: "checksum=" is misplaced (not after ? or &), misspelt, repeated or badly escaped';
const infoOf = (binaries: Record<string, string>) => JSON.stringify({ binaries });
const withUrl = (url: string) => infoOf({ "linux/amd64": url });
const errorsOf = (info: string, rules = {}) => checkPlanInfo(info, rules).errors;
const lax = { checksumRequired: false };

describe("the Cosmos SDK's own cases that need no download", () => {
  test("parsePlanInfo() with two platforms → that map, URLs as written", () => {
    expect(parsePlanInfo(`{"binaries":{"os1/arch1":"url1","os2/arch2":"url2"}}`)).toEqual({
      kind: "document",
      binaries: new Map([
        ["os1/arch1", "url1"],
        ["os2/arch2", "url2"],
      ]),
    });
  });

  test.each(["", "   ", "\n\t ", "\u0085\u2028\u3000"])("checkPlanInfo(%j) → plan info must not be blank", (info) => {
    expect(checkPlanInfo(info)).toEqual({ ok: false, stage: "parse", errors: ["plan info must not be blank"] });
  });

  test("parsePlanInfo() of an empty object → a document without binaries, which checkPlanInfo() refuses", () => {
    expect(parsePlanInfo("{}")).toEqual({ kind: "document", binaries: new Map() });
    expect(checkPlanInfo("{}")).toMatchObject({ stage: "validate", errors: ['no "binaries" entries found'] });
  });

  test.each([
    ['{"binaries":["url1","url2"]}', '"binaries" must be an object of URLs by platform, not array'],
    ['{"binaries":{"os1/arch1":1,"os2/arch2":2}}', "binaries[os1/arch1] must be a URL in double quotes, not number"],
  ])("checkPlanInfo(%s) → %s", (info, what) => {
    const text = `could not parse plan info: ${what}`;
    expect(checkPlanInfo(info)).toEqual({ ok: false, stage: "parse", errors: [text] });
    expect(parsePlanInfo(info)).toEqual({ kind: "text", reason: text });
  });

  test("parsePlanInfo() of a file URL → a reference with its checksum, whether the file exists or not", () => {
    const url = `file:///this/file/does/not/exist?checksum=sha256:${SHA256}`;
    expect(parsePlanInfo(url)).toEqual({ kind: "reference", url, checksum: `sha256:${SHA256}` });
    expect(checkPlanInfo(url)).toMatchObject({ ok: true, stage: "parse", info: { kind: "reference" } });
  });

  test.each(["", "badkey"])("checkPlanInfo() with the key %j → invalid os/arch format", (key) => {
    expect(errorsOf(infoOf({ [key]: GOOD }))).toEqual([`invalid os/arch format in key "${key}"`]);
  });

  test.each(["any", "darwin/amd64"])("checkPlanInfo() with the key %j → ok", (key) => {
    expect(checkPlanInfo(infoOf({ [key]: GOOD })).ok).toBe(true);
  });

  test("checkPlanInfo() with a bad port → invalid url, by its key, and no word about the good entries", () => {
    const bad = "https://v1.cosmos.network:not-a-port/sdk";
    const info = infoOf({ "isa/url": "https://v1.cosmos.network/sdk", "nota/url": bad });
    const text = `invalid url "${bad}" in binaries[nota/url]: parse "${bad}": invalid port ":not-a-port" after host`;
    expect(errorsOf(info, lax)).toEqual([text]);
  });

  test("checkPlanInfo() with five entries → one error for the one bad key", () => {
    const platforms = ["darwin/amd64", "darwin/arm64", "windows/386", "badkey", "linux/amd64"];
    const info = infoOf(Object.fromEntries(platforms.map((key) => [key, GOOD])));
    expect(errorsOf(info)).toEqual(['invalid os/arch format in key "badkey"']);
  });

  test("checkPlanInfo() without a checksum → refused only when one is required", () => {
    const info = withUrl("https://v1.cosmos.network/sdk");
    expect(checkPlanInfo(info, lax).ok).toBe(true);
    expect(errorsOf(info)).toEqual([
      'invalid url "https://v1.cosmos.network/sdk" in binaries[linux/amd64]: missing checksum query parameter',
    ]);
  });
});

test.each([
  ['{"binaries":{"a/a":"1"},"BINARIES":{"b/b":"2","a/a":"3"}}', { "a/a": "3", "b/b": "2" }],
  ['{"binaries":{"a/a":"1"},"binaries":null,"binarie\u017f":{"b/b":"2"}}', { "b/b": "2" }],
  ['{"binaries":{"a/a":null,"\\ud800":"2"}}', { "a/a": "", "\ufffd": "2" }],
])("parsePlanInfo(%s) reads as encoding/json does", (info, binaries) => {
  expect(parsePlanInfo(info)).toEqual({ kind: "document", binaries: new Map(Object.entries(binaries)) });
});

describe("stricter than the Cosmos SDK", () => {
  const because = (url: string, reason: string) => [`invalid url "${url}" in binaries[linux/amd64]: ${reason}`];

  test.each([
    ["ftp://h/x", 'unsupported scheme: "ftp" (it must be https, http or file)'],
    ["git::https://h/x", 'unsupported scheme: "git" (it must be https, http or file)'],
    ["h/x", "unsupported scheme: none (it must be https, http or file)"],
    ["", "unsupported scheme: none (it must be https, http or file)"],
    ["https:///x", "unsupported host: the URL has none"],
    ["https:x", "unsupported host: the URL has none"],
    ["https://:443/x", "unsupported host: the URL has none"],
    ["https://h:65536/x", "unsupported host: port 65536 is above 65535"],
    ["https://me:secret@h/x", "unsupported host: a plan is public, so a URL must not carry a login"],
    ["file://h/x", 'unsupported file URL: it names the host "h"; write file:///<path>'],
    ["file:x", "unsupported file URL: its path must be absolute"],
    ["https://h/x?checksum=md5:d41d8cd98f00b204e9800998ecf8427e", "weak checksum type: md5 (use sha256 or sha512)"],
    ["https://h/x?checksum=crc32:00000000", "unsupported checksum type: crc32"],
    ["https://h/x?checksum=sha256:zz", 'invalid checksum: "zz" is not hex'],
    ["https://h/x?checksum=sha256:00", 'invalid checksum: sha256 has 64 hex digits, "00" has 2'],
    ["https://h/x?checksum=00", "Unknown type for checksum 00"],
    ["https://h/x?checksum=%zz", LOST],
    ["https://h/x:checksum=sha256:00", LOST],
    ["https://h/x?Checksum=00", LOST],
    ["https://h/x#checksum=00", LOST],
    ["https://h/x?checksum=&checksum=00", LOST],
    [
      "https://h/x?checksum=file:https://h/sums?checksum=00",
      "unsupported checksum type: a sums file with a checksum of its own; give the download's digest",
    ],
    ["https://h/x?checksum=file:./sums", "unsupported scheme: none (it must be https, http or file)"],
  ])("checkPlanInfo() with the URL %j → %s", (url, reason) => {
    expect(errorsOf(withUrl(url), lax)).toEqual(because(url, reason));
  });

  test.each([
    ["http://h:65535/x"],
    ["https://[::1]:8080/x"],
    ["HTTPS://H/x"],
    ["file:///x"],
    ["file://localhost/x"],
    ["https://h/x?checksum="],
    ["https://h/x?my-checksum=1"],
    [`https://h/x?checksum=${SHA256.toUpperCase()}`],
    [`https://h/x?checksum=SHA256:${SHA256}`],
    [`https://h/x?a=1&checksum=sha256%3A${SHA256}#f`],
    [`https://h/x?checksum=sha512:${SHA256}${SHA256}`],
    ["https://h/x?checksum=file:https://h/sums"],
  ])("checkPlanInfo() with the URL %j → ok", (url) => {
    expect(errorsOf(withUrl(url), lax)).toEqual([]);
  });

  test("checkPlanInfo({ allowWeakChecksum }) takes md5 and sha1, of their lengths only", () => {
    const weak = { allowWeakChecksum: true };
    expect(errorsOf(withUrl(`https://h/x?checksum=md5:${"0".repeat(32)}`), weak)).toEqual([]);
    expect(errorsOf(withUrl(`https://h/x?checksum=${"0".repeat(40)}`), weak)).toEqual([]);
    expect(errorsOf(withUrl(`https://h/x?checksum=sha1:${"0".repeat(38)}`), weak)).toHaveLength(1);
  });

  test("checkPlanInfo() of a reference → its scheme and checksum are judged, its words come without a wrapper", () => {
    expect(errorsOf("https://h/info.json")).toEqual(["missing checksum query parameter"]);
    expect(errorsOf("Upgrade: see the forum", lax)).toEqual([
      'unsupported scheme: "upgrade" (it must be https, http or file)',
    ]);
  });

  test("checkPlanInfo() collects every error, in the order of the text", () => {
    const info = `{"binaries":{"z":"x","a/b":"ftp://h/x"},"handler":{"url":"x","sha256":"${SHA256}"}}`;
    expect(errorsOf(info, lax)).toEqual([
      'invalid os/arch format in key "z"',
      'invalid url "x" in binaries[z]: unsupported scheme: none (it must be https, http or file)',
      'invalid url "ftp://h/x" in binaries[a/b]: unsupported scheme: "ftp" (it must be https, http or file)',
      "invalid handler: url: unsupported scheme: none (it must be https, http or file)",
    ]);
  });

  test("checkPlanInfo() at the limit of a plan's info → judged; one byte more → refused", () => {
    const fill = (bytes: number) => withUrl(`${GOOD}#${"é".repeat(10)}`).padEnd(bytes - 10);
    expect(checkPlanInfo(fill(PLAN_INFO_BYTES_MAX)).ok).toBe(true);
    const text = "plan info must not be longer than 65536 bytes";
    expect(errorsOf(fill(PLAN_INFO_BYTES_MAX + 1))).toEqual([text]);
    expect(() => planHandlerHash(fill(PLAN_INFO_BYTES_MAX + 1))).toThrow(text);
  });

  test("checkPlanInfo() with an unpaired surrogate → plan info must be UTF-8", () => {
    expect(errorsOf(`{"binaries":{"any":"\ud800"}}`)).toEqual(["plan info must be UTF-8"]);
  });
});

describe("planHandlerHash()", () => {
  const pinned = (handler: unknown) => JSON.stringify({ binaries: { any: GOOD }, handler });
  const upper = SHA256.toUpperCase();

  test.each([
    ["a pin in upper case", pinned({ sha256: upper })],
    ["a pin without binaries", `{"handler":{"sha256":"${SHA256}","url":"https://h/x.wasm"}}`],
    ["keys in other cases", `{"HANDLER":{"\u017fHA256":"${SHA256}"}}`],
    ["a null pin beside a real one", `{"handler":null,"Handler":{"sha256":"${SHA256}","sha256":null}}`],
    ["broken binaries", `{"binaries":[],"handler":{"sha256":"${SHA256}"}}`],
  ])("of %s → 64 lower-case digits", (_, info) => {
    expect(planHandlerHash(info)).toBe(SHA256);
  });

  test.each(["", "v2", "null", "[]", "{}", '{"handler":null}', GOOD, pinned(undefined), '{"handler":{}'])(
    "of %j → undefined",
    (info) => {
      expect(planHandlerHash(info)).toBeUndefined();
    },
  );

  test.each([
    [pinned([]), "invalid handler: it must be an object, not array"],
    [pinned({}), "invalid handler: it has no sha256"],
    [pinned({ sha256: 1 }), "invalid handler: sha256 must be a string, not number"],
    [pinned({ sha256: SHA256, url: {} }), "invalid handler: url must be a string, not object"],
    [pinned({ sha256: `${SHA256}0` }), `invalid handler: sha256 must be 64 hex digits, not "${SHA256}0"`],
    [pinned({ sha256: `${SHA256}\n` }), `invalid handler: sha256 must be 64 hex digits, not "${SHA256}\\n"`],
    [pinned({ sha256: "" }), 'invalid handler: sha256 must be 64 hex digits, not ""'],
    [`{"handler":{"sha256":"${SHA256}","Sha256":"${SHA256}"}}`, "invalid handler: sha256 is given twice"],
    [`{"handler":{"sha256":"${SHA256}"},"handler":{}}`, "invalid handler: it is given twice"],
  ])("of %s → UPG_INVALID_PLAN_INFO", (info, text) => {
    expect(() => planHandlerHash(info)).toThrow(
      expect.objectContaining({ code: "UPG_INVALID_PLAN_INFO", message: text }),
    );
    expect(parsePlanInfo(info)).toEqual({ kind: "text", reason: text });
    expect(errorsOf(info)).toContain(text);
  });
});

test("checkPlanInfo() of the example in docs/plan-info.md → ok, with two platforms and a pin", () => {
  const page = readFileSync(join(import.meta.dirname, "../../../../docs/plan-info.md"), "utf8");
  const example = /```json\n(.*?)```/s.exec(page)?.[1] ?? "";
  expect(checkPlanInfo(example).errors).toEqual([]);
  expect(selectBinary(parsePlanInfo(example), "linux", "arm64")?.platform).toBe("linux/arm64");
  expect(planHandlerHash(example)).toBe(SHA256);
});

describe("selectBinary()", () => {
  const info = parsePlanInfo(infoOf({ "x-linux/amd64": "1", "linux/amd64": "2", "windows/386": "3", any: "4" }));

  test.each([
    ["linux", "amd64", "linux/amd64", "2"],
    ["linux", "x64", "linux/amd64", "2"],
    ["win32", "ia32", "windows/386", "3"],
    ["linux", "arm64", "any", "4"],
  ])("for %s %s → %s", (os, arch, platform, url) => {
    expect(selectBinary(info, os, arch)).toEqual({ platform, url });
  });

  test("without a fitting key, or without a document → undefined", () => {
    expect(selectBinary(parsePlanInfo(infoOf({ "linux/amd64": "1" })), "darwin", "arm64")).toBeUndefined();
    expect(selectBinary(parsePlanInfo(GOOD), "linux", "amd64")).toBeUndefined();
    expect(selectBinary(parsePlanInfo("v2"), "linux", "amd64")).toBeUndefined();
  });
});
