/**
 * The Cosmos SDK's own cases for plan info and for the downloader (x/upgrade/plan/info_test.go and downloader_test.go), by their
 * numbers in those files' order. Where we differ the title says so, with the reason.
 */
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkPlan } from "../../../../host/cli/client/tx/plan-check.js";
import { problemOf } from "../../../../host/node/programs/layout.js";
import { checkPlanInfo } from "../../../../host/upgrade/plan-info/plan-info.js";
import { parsePlanUrl } from "../../../../host/upgrade/plan-info/plan-url.js";
import { fetchProgram } from "../../../../host/visor/download/fetch-program.js";
import { downloadText } from "../../../../host/visor/download/small-text.js";
import { planDocument } from "../../../../host/visor/download/source.js";
import { Web } from "../../../../host/visor/download/web.js";
import { runnableBytes } from "../../../runnable-bytes.js";
import { zipOf } from "./archives.js";
import { fetchOptions, infoOf, refusalOf, scratch, sha256, useScratch } from "./fetching.js";

useScratch();

const GOOD = '{"binaries":{"os1/arch1":"url1","os2/arch2":"url2"}}';
const MAP = new Map([
  ["os1/arch1", "url1"],
  ["os2/arch2", "url2"],
]);
const EMPTY_SUM = sha256("");
const web = new Web(5_000);
afterAll(() => web.close());

const fileUrl = (name: string, bytes: Uint8Array | string, sum = sha256(bytes)) => {
  const path = join(scratch, name);
  writeFileSync(path, bytes, { mode: 0o600 });
  return `${pathToFileURL(path).href}?checksum=sha256:${sum}`;
};
const missingUrl = "file:///this/file/does/not/exist";
const message = (work: Promise<unknown>) =>
  work.then(
    () => "",
    (error: Error) => error.message,
  );

describe("ParseInfo: planDocument()", () => {
  const parse = (info: string) => planDocument(info, false, { ...fetchOptions(info), web });
  const bad = { array: '{"binaries":["a","b"]}', numbers: '{"binaries":{"os1/arch1":1,"os2/arch2":2}}' };

  test("1, 3, 7: inline, empty, at a file URL → what it says", async () => {
    expect((await parse(GOOD)).binaries).toEqual(MAP);
    expect((await parse("{}")).binaries.size).toBe(0);
    expect((await parse(fileUrl("good.json", GOOD))).binaries).toEqual(MAP);
  });

  test("2, 4, 5, 6, 8, 9: blank, an array, numbers, a missing file → the texts", async () => {
    expect(await message(parse("   "))).toContain("plan info must not be blank");
    const array = /could not parse plan info.*"binaries" must be an object of URLs by platform, not array/;
    const numbers = /could not parse plan info.*binaries\[os1\/arch1\] must be a URL in double quotes, not number/;
    expect(await message(parse(bad.array))).toMatch(array);
    expect(await message(parse(bad.numbers))).toMatch(numbers);
    expect(await message(parse(fileUrl("array.json", bad.array)))).toMatch(array);
    expect(await message(parse(fileUrl("numbers.json", bad.numbers)))).toMatch(numbers);
    const missing = await message(parse(`${missingUrl}?checksum=sha256:${EMPTY_SUM}`));
    expect(missing).toContain(`could not download url "${missingUrl}`);
  });
});

describe("ValidateFull and CheckURLs: checkPlan() with its downloads", () => {
  const check = (binaries: Record<string, string>) => {
    const flags = { validate: true, checksumRequired: false, download: true };
    return message(checkPlan({ name: "v2", height: 10n, info: JSON.stringify({ binaries }) }, flags, () => undefined));
  };

  test("10, 22: two that are there → ok", async () => {
    const [a, b] = [fileUrl("darwin", "a"), fileUrl("linux", "b")];
    expect(await check({ "darwin/amd64": a, "linux/386": b })).toBe("");
  });

  test("11: none → the text", async () => {
    expect(await check({})).toContain('no "binaries" entries found');
  });

  test("12, 23: a missing file → the text, its platform, the system's words", async () => {
    const text = await check({ "darwin/arm64": `${missingUrl}?checksum=sha256:${EMPTY_SUM}` });
    for (const part of ["error downloading binary", "darwin/arm64", "no such file or directory"]) {
      expect(text).toContain(part);
    }
  });

  test("24: a wrong checksum → the text, its platform, the sum that was expected", async () => {
    const wrong = "b5a2".padEnd(64, "0");
    const text = await check({ "darwin/amd64": fileUrl("darwin", "a", wrong) });
    for (const part of ["error downloading binary", "darwin/amd64", "Checksums did not match", wrong]) {
      expect(text).toContain(part);
    }
  });
});

describe("Binaries.ValidateBasic: checkPlanInfo()", () => {
  const URL = "https://v1.cosmos.network/sdk";
  const BAD = "https://v1.cosmos.network:not-a-port/sdk";
  const check = (binaries: Record<string, string>) =>
    checkPlanInfo(JSON.stringify({ binaries }), { checksumRequired: false }).errors.join("\n");
  const five = { "a/1": URL, "b/2": URL, "c/3": URL, "d/4": URL };

  test.each<[number, Record<string, string>, readonly string[]]>([
    [13, {}, ['no "binaries" entries found']],
    [14, { "": URL }, ["invalid os/arch", '""']],
    [15, { badkey: URL }, ["invalid os/arch", "badkey"]],
    [16, { any: URL }, []],
    [17, { "darwin/amd64": URL }, []],
    [18, { "isa/url": URL, "nota/url": BAD }, ["invalid url", "nota/url", "invalid port"]],
    [19, { "darwin/amd64": URL }, []],
    [20, { ...five, "windows/bad": BAD }, ["invalid url", "windows/bad", "invalid port"]],
    [21, { ...five, badkey: URL }, ["invalid os/arch", "badkey"]],
  ])("%i", (_, binaries, parts) => {
    const text = check(binaries);
    if (parts.length === 0) expect(text).toBe("");
    for (const part of parts) expect(text).toContain(part);
  });
});

describe("DownloadUpgrade: fetchProgram()", () => {
  const PROGRAM = "#!/usr/bin/env sh\n\necho 'I am a file'\n";
  const get = async (url: string, name: string) => {
    const options = fetchOptions(infoOf(url), { name });
    const { file } = await fetchProgram(options);
    expect(file).toBe(join(options.folder, "bin", name));
    expect(statSync(file).mode & 0o111).not.toBe(0);
    return readFileSync(file, "utf8");
  };

  test("1: a missing file → the system's words", async () => {
    const url = `file:///never/gonna/be/a/thing.zip?checksum=sha256:${EMPTY_SUM}`;
    expect(await refusalOf(fetchOptions(infoOf(url)))).toContain("no such file or directory");
  });

  test("2: a wrong checksum → the text and the sum that was expected", async () => {
    const wrong = `2c22e345${"0".repeat(52)}da48`;
    const text = await refusalOf(fetchOptions(infoOf(fileUrl("just-a-file", PROGRAM, wrong))));
    expect(text).toContain("Checksums did not match");
    expect(text).toContain(`Expected: ${wrong}`);
  });

  test("3: one file → its bytes, executable", async () => {
    expect(await get(fileUrl("just-a-file", PROGRAM), "just-a-file")).toBe(PROGRAM);
  });

  test("4, 5: a zip with one file, of that name or another → its bytes, executable", async () => {
    for (const name of ["binsome-file", "some-file"]) {
      expect(await get(fileUrl("one.zip", zipOf([{ name, bytes: PROGRAM }])), "some-file")).toBe(PROGRAM);
    }
  });

  test("6: a zip of three other files → the text", async () => {
    const zip = zipOf(["a", "b", "c"].map((name) => ({ name, bytes: "x" })));
    const text = await refusalOf(fetchOptions(infoOf(fileUrl("three.zip", zip)), { name: "not-expected" }));
    expect(text).toContain("result does not contain a bin/not-expected or not-expected file");
  });
});

describe("EnsureBinary: problemOf()", () => {
  const program = (file: string) => ({ name: "x", file, folder: undefined });

  test("7, 8: missing, a folder → the problem (8: `is no regular file` with the whole path, where Go's has the last part)", () => {
    expect(problemOf(program(join(scratch, "none")))).toContain("is missing");
    expect(problemOf(program(scratch))).toBe(`${scratch} is no regular file`);
  });

  test("9, 10: 0600, 0777 → fine, and executable after it", () => {
    for (const mode of [0o600, 0o777]) {
      const path = join(scratch, `mode-${mode}`);
      writeFileSync(path, runnableBytes(new Uint8Array(1)), { mode });
      expect(problemOf(program(path))).toBeUndefined();
      expect(statSync(path).mode & 0o111).toBe(0o111);
    }
  });
});

describe("DownloadURL: downloadText()", () => {
  const CONTENT = '{"binaries":{"xxx/yyy":"url"}}';
  let url = "";
  beforeAll(() => {
    url = fileUrl("content.json", CONTENT);
  });
  const get = (text: string) =>
    downloadText(parsePlanUrl(text, { checksumRequired: false }), { ...fetchOptions(""), web });

  test("11: a missing file → the text", async () => {
    expect(await message(get(missingUrl))).toContain("could not download url");
  });

  test("12, 13: without a checksum, with the right one → the content", async () => {
    expect(await get(url.split("?")[0] ?? "")).toBe(CONTENT);
    expect(await get(url)).toBe(CONTENT);
  });

  test("14: a wrong one → the text and both sums (in one line, as a log has it)", async () => {
    const text = await message(get(url.replace(sha256(CONTENT), EMPTY_SUM)));
    for (const part of ["Checksums did not match", `Expected: ${EMPTY_SUM}`, `Got: ${sha256(CONTENT)}`]) {
      expect(text).toContain(part);
    }
  });

  test("15: an empty file with its checksum → the text", async () => {
    expect(await message(get(fileUrl("empty.json", "")))).toContain("no content returned");
  });
});
