/** What is unpacked of archives, and what is refused: nothing outside of the folder, nothing but files and folders, bounded. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fetchProgram } from "../../../../host/visor/download/fetch-program.js";
import { sampled } from "../../../sample.js";
import { paxOf, type TarItem, tarOf, type ZipItem, zipOf } from "./archives.js";
import { fetchOptions, infoOf, refusalOf, scratch, sha256, treeOf, useScratch } from "./fetching.js";
import { HttpServer } from "./http-server.js";

useScratch();

const PROGRAM = "#!/bin/sh\necho v2\n";
const XZ = "xz";
const BZIP2 = "bzip2";
let server: HttpServer;
beforeAll(async () => {
  server = await HttpServer.start();
});
afterAll(() => server.close());

const serve = (path: string, bytes: Uint8Array) => infoOf(`${server.file(path, bytes)}?checksum=${sha256(bytes)}`);
const tar = (items: readonly TarItem[]) => serve("/v2.tar", tarOf(items));
const zip = (items: readonly ZipItem[]) => serve("/v2.zip", zipOf(items));

/** The paths below the folder, of an archive that is taken. */
async function pathsOf(info: string, changes = {}): Promise<string[]> {
  const options = fetchOptions(info, changes);
  const { file } = await fetchProgram(options);
  expect(readFileSync(file, "utf8")).toBe(PROGRAM);
  expect(statSync(file).mode & 0o111).toBe(0o111);
  expect(treeOf(dirname(options.folder))[0]).toBe("v2/");
  return treeOf(options.folder);
}

/** Neither the folder nor a part of the download is left. */
async function refused(info: string, changes = {}): Promise<string> {
  const options = fetchOptions(info, changes);
  const text = await refusalOf(options);
  expect(text).toMatch(/^UPG_INVALID_PLAN_INFO /);
  expect(existsSync(options.folder)).toBe(false);
  expect(treeOf(dirname(options.folder))).toEqual([]);
  expect(existsSync(join(scratch, "evil"))).toBe(false);
  return text;
}

describe("what archives hold → Cosmovisor's places", () => {
  const rows: readonly [string, readonly { name: string; bytes?: string }[], readonly string[]][] = [
    [
      "bin/<name>",
      [
        { name: "bin/appd", bytes: PROGRAM },
        { name: "LICENSE", bytes: "x" },
      ],
      ["LICENSE", "bin/", "bin/appd"],
    ],
    [
      "<name>",
      [
        { name: "appd", bytes: PROGRAM },
        { name: "lib/a.so", bytes: "x" },
      ],
      ["bin/", "bin/appd", "lib/", "lib/a.so"],
    ],
    [
      "./<name>",
      [
        { name: "./appd", bytes: PROGRAM },
        { name: "./README", bytes: "x" },
      ],
      ["README", "bin/", "bin/appd"],
    ],
    ["one file of another name", [{ name: "appd-v2.0.0-linux", bytes: PROGRAM }], ["bin/", "bin/appd"]],
    ["one file in a folder", [{ name: "v2/appd-v2", bytes: PROGRAM }], ["bin/", "bin/appd"]],
    ["one file called bin", [{ name: "bin", bytes: PROGRAM }], ["bin/", "bin/appd"]],
  ];
  test.each(rows)("%s, as tar, tar.gz and zip", async (_, items, paths) => {
    expect(await pathsOf(tar(items))).toEqual(paths);
    expect(await pathsOf(zip(items))).toEqual(paths);
    expect(await pathsOf(serve("/v2.tar.gz", gzipSync(tarOf(items))))).toEqual(paths);
    expect(await pathsOf(serve("/v2.tgz", gzipSync(tarOf(items))))).toEqual(paths);
  });

  test("neither of them → Cosmovisor's words", async () => {
    const items = [
      { name: "a", bytes: "1" },
      { name: "b/appd", bytes: "2" },
    ];
    for (const info of [tar(items), zip(items)]) {
      expect(await refused(info)).toContain("result does not contain a bin/appd or appd file");
    }
    expect(await refused(zip([{ name: "appd" }]))).toContain("is empty");
    expect(await refused(tar([]))).toContain("does not contain");
  });

  test("gz, bz2, xz of one file; archive=… over the URL's end; archive=false → as it is", async () => {
    expect(await pathsOf(serve("/appd.gz", gzipSync(PROGRAM)))).toEqual(["bin/", "bin/appd"]);
    for (const tool of [BZIP2, XZ]) {
      const packed = execFileSync(tool, ["-c"], { input: PROGRAM });
      const end = tool === XZ ? "xz" : "bz2";
      expect(await pathsOf(serve(`/appd.${end}`, packed))).toEqual(["bin/", "bin/appd"]);
      const packedTar = execFileSync(tool, ["-c"], { input: tarOf([{ name: "appd", bytes: PROGRAM }]) });
      expect(await pathsOf(serve(`/appd.tar.${end}`, packedTar))).toEqual(["bin/", "bin/appd"]);
    }
    const bytes = zipOf([{ name: "appd", bytes: PROGRAM }]);
    const url = server.file("/latest", bytes);
    expect(await pathsOf(infoOf(`${url}?archive=zip&checksum=${sha256(bytes)}`))).toEqual(["bin/", "bin/appd"]);
    const raw = server.file("/v2.zip", PROGRAM);
    expect(await pathsOf(infoOf(`${raw}?archive=false&checksum=${sha256(PROGRAM)}`))).toEqual(["bin/", "bin/appd"]);
  });

  test("tar and bsdtar-like formats of the system's tar → the same", async () => {
    const from = join(scratch, "from");
    const long = `${"a-rather-long-folder-name/".repeat(6)}notes`;
    mkdirSync(dirname(join(from, long)), { recursive: true });
    mkdirSync(join(from, "bin"));
    writeFileSync(join(from, "bin/appd"), PROGRAM, { mode: 0o755 });
    writeFileSync(join(from, long), "x");
    for (const format of ["gnu", "pax", "ustar", "oldgnu"]) {
      const bytes = execFileSync("tar", ["-C", from, `--format=${format}`, "-cf", "-", "."]);
      expect(await pathsOf(serve("/v2.tar", bytes))).toContain(long);
    }
  });

  test("a folder that is there without the program → the program comes to it, its other files stay", async () => {
    const info = zip([
      { name: "bin/appd", bytes: PROGRAM },
      { name: "lib/x", bytes: "1" },
    ]);
    const options = fetchOptions(info);
    mkdirSync(join(options.folder, "bin"), { recursive: true });
    writeFileSync(join(options.folder, "upgrade-info.json"), "{}");
    await fetchProgram(options);
    expect(treeOf(options.folder)).toEqual(["bin/", "bin/appd", "lib/", "lib/x", "upgrade-info.json"]);
    expect(readFileSync(join(options.folder, "upgrade-info.json"), "utf8")).toBe("{}");
  });

  test("an upgrade-info.json in the archive → left out", async () => {
    const items = [
      { name: "appd", bytes: PROGRAM },
      { name: "upgrade-info.json", bytes: "{}" },
    ];
    expect(await pathsOf(tar(items))).toEqual(["bin/", "bin/appd"]);
  });
});

describe("malicious archives → refused with the entry's name, nothing outside of the part", () => {
  const good = { name: "bin/appd", bytes: PROGRAM };
  test.each<[string, string, RegExp]>([
    ["parent", "../evil", /outside of the folder/],
    ["parent inside", "a/../../evil", /outside of the folder/],
    ["absolute", "/evil", /no path inside/],
    ["backslash", "..\\evil", /no path inside/],
    ["drive", "C:evil", /no path inside/],
    ["newline", "a\nb", /control characters/],
    ["right-to-left line", "a\u2028b", /control characters/],
    ["long part", `${"x".repeat(98)}`.repeat(3), /too long/],
    ["deep", "a/".repeat(40).concat("b"), /too deep/],
  ])("a name: %s", async (_, name, expected) => {
    expect(await refused(tar([paxOf({ path: name }), { name: "x", bytes: "1" }, good]))).toMatch(expected);
    expect(await refused(zip([{ name, bytes: "1" }, good]))).toMatch(/refused|no zip, or is damaged/);
  });

  test("a file, or a folder, in the place of bin/<name> → a wrong archive, no failure of the disk", async () => {
    const program = { name: "appd", bytes: PROGRAM };
    expect(await refused(tar([{ name: "bin", bytes: "1" }, program]))).toContain("in the place of the program");
    expect(await refused(zip([{ name: "bin/appd/x", bytes: "1" }, program]))).toContain("in the place of the program");
  });

  test("names with NUL, or that are no UTF-8", async () => {
    expect(await refused(tar([paxOf({ path: "a\0b" }), { name: "x" }, good]))).toContain("control characters");
    expect(await refused(tar([{ name: Buffer.from([0x61, 0xff, 0x62]) }, good]))).toContain("no UTF-8");
    expect(await refused(zip([{ name: "a\0b", bytes: "" }, good]))).toContain("control characters");
  });

  test.each([
    ["1", "hard link"],
    ["2", "it is a link"],
    ["3", "device"],
    ["4", "device"],
    ["6", "pipe"],
    ["S", "sparse"],
    ["V", "neither a file nor a folder"],
  ])("tar, kind %s", async (kind, words) => {
    const text = await refused(tar([{ name: "bin/appd", kind, link: "/etc/passwd" }, good]));
    expect(text).toContain(words);
    expect(text).toContain("bin/appd");
  });

  test.each([0o120777, 0o060644, 0o020644, 0o010644, 0o140644, 0o040755])("zip, mode %o", async (mode) => {
    expect(await refused(zip([{ name: "appd", bytes: "/etc/passwd", mode }, good]))).toContain(
      "neither a file nor a folder",
    );
  });

  test("the same name twice, also as a folder; an encrypted entry", async () => {
    for (const again of ["bin/appd", "./bin//appd", "bin/appd/x", "bin"]) {
      const items = [good, { name: again, bytes: "other" }];
      expect(await refused(tar(items))).toMatch(/twice|as a file and as a folder/);
      expect(await refused(zip(items))).toMatch(/twice|as a file and as a folder/);
    }
    expect(await refused(zip([{ ...good, flags: 0x801 }]))).toContain("encrypted");
  });

  test("bombs: more bytes than allowed, of each kind; the disk has no more than that", async () => {
    const zeros = Buffer.alloc(8 * 1_048_576);
    const bytesMax = 1_048_576;
    const words = "unpacks to more than 1048576 bytes";
    expect(await refused(serve("/b.gz", gzipSync(zeros)), { bytesMax })).toContain(words);
    expect(await refused(serve("/b.xz", execFileSync(XZ, ["-c"], { input: zeros })), { bytesMax })).toContain(words);
    expect(
      await refused(serve("/b.tar.gz", gzipSync(tarOf([{ name: "appd", bytes: zeros }]))), { bytesMax }),
    ).toContain(words);
    expect(await refused(zip([{ name: "appd", bytes: zeros }]), { bytesMax })).toContain(words);
    expect(await refused(zip([{ name: "appd", bytes: zeros, size: 10 }]), { bytesMax })).toContain(
      "is no zip, or is damaged",
    );
    const header = tarOf([{ name: "appd", size: 8 ** 11 - 1 }], false);
    expect(await refused(serve("/h.tar", header))).toContain("is damaged");
    expect(await refused(serve("/m.tar", tarOf([{ name: "x", kind: "L", size: 8 ** 10 }], false)))).toContain(
      "too long",
    );
  });

  test("a million entries → refused at the ten thousand and first", async () => {
    const thousand = Buffer.concat(Array.from({ length: 1_000 }, () => tarOf([{ name: "d", kind: "5" }], false)));
    // gzip goes on with the next member where one ends.
    const million = Buffer.concat(new Array<Buffer>(1_000).fill(gzipSync(thousand)));
    expect(await refused(serve("/m.tar.gz", million))).toContain("more than 10000 entries");
    const many = zipOf(Array.from({ length: 10_001 }, () => ({ name: "d/", mode: 0o040755 })));
    expect(await refused(serve("/m.zip", many))).toContain("more than 10000 entries");
  });

  test("cut, or with any bytes changed → refused, or the very same files", async () => {
    const files = [good, { name: "lib/a", bytes: "x".repeat(700) }];
    const archives = { tar: tarOf(files), "tar.gz": gzipSync(tarOf(files)), zip: zipOf(files) };
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...(Object.keys(archives) as (keyof typeof archives)[])),
        fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { maxLength: 3 }),
        fc.nat(),
        async (kind, changes, cut) => {
          const bytes = Buffer.from(archives[kind]);
          for (const [at, value] of changes) bytes[at % bytes.length] = value;
          const part = changes.length === 0 ? bytes.subarray(0, cut % bytes.length) : bytes;
          const options = fetchOptions(serve(`/r.${kind}`, part));
          const text = await fetchProgram(options).then(() => "", String);
          expect(treeOf(dirname(options.folder)).every((path) => /^v2(#part)?\//.test(path))).toBe(true);
          if (text !== "") expect(existsSync(options.folder)).toBe(false);
        },
      ),
      { numRuns: sampled(25, 1_000) },
    );
  });
});

test("a tool that is not installed → says which one to install", async () => {
  const path = process.env["PATH"];
  process.env["PATH"] = "/nonexistent";
  try {
    const text = await refusalOf(fetchOptions(serve("/a.xz", Buffer.from("x"))));
    expect(text).toMatch(/^UPG_NOT_FOUND_FILE .*install xz/);
  } finally {
    process.env["PATH"] = path;
  }
});
