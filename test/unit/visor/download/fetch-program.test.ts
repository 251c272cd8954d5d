/** The way of a program from a plan's info to its folder, over a server that is good, bad and worse. */
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { diskFiles } from "../../../../host/base/files/disk-files.js";
import { fetchProgram } from "../../../../host/visor/download/fetch-program.js";
import { RESERVE_BYTES } from "../../../../host/visor/download/reserve.js";
import { sampled } from "../../../sample.js";
import { tarOf } from "./archives.js";
import { fetchOptions, infoOf, refusalOf, scratch, sha256, sha512, treeOf, useScratch } from "./fetching.js";
import { HttpServer, sendFile } from "./http-server.js";

useScratch();

const PROGRAM = Buffer.from(`#!/bin/sh\n${"# a program\n".repeat(500)}`);
const SUM = sha256(PROGRAM);
let server: HttpServer;
beforeAll(async () => {
  server = await HttpServer.start();
});
afterAll(() => server.close());

const sizeIn = (folder: string) =>
  (diskFiles.list(folder) ?? []).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);

describe("fetchProgram() of a good server", () => {
  test.each<[string, () => string, boolean]>([
    ["sha256", () => `${server.file("/a", PROGRAM)}?checksum=sha256:${SUM}`, true],
    ["sha512", () => `${server.file("/a", PROGRAM)}?checksum=sha512:${sha512(PROGRAM)}`, true],
    ["bare hex", () => `${server.file("/a", PROGRAM)}?checksum=${SUM.toUpperCase()}`, true],
    ["no checksum", () => server.file("/a", PROGRAM), false],
    ["other parameters", () => `${server.file("/a", PROGRAM)}?token=1&checksum=${SUM}&x=2`, true],
    [
      "GNU sums",
      () => `${server.file("/a", PROGRAM)}?checksum=file:${server.file("/S", `${"0".repeat(64)}  b\n${SUM} *./a\n`)}`,
      true,
    ],
    [
      "BSD sums",
      () => `${server.file("/a", PROGRAM)}?checksum=file:${server.file("/B", `SHA256 (a) = ${SUM}\n`)}`,
      true,
    ],
    ["lone sum", () => `${server.file("/a", PROGRAM)}?checksum=file:${server.file("/L", `${SUM}\n`)}`, true],
  ])("%s → in its folder, executable, nothing else left", async (_, url, isVerified) => {
    const options = fetchOptions(infoOf(url()));
    const fetched = await fetchProgram(options);
    const file = join(options.folder, "bin/appd");
    expect(fetched).toEqual({ file, url: url(), sha256: SUM, bytes: PROGRAM.length, isVerified });
    expect(readFileSync(file)).toEqual(PROGRAM);
    expect(statSync(file).mode & 0o111).toBe(0o111);
    expect(treeOf(dirname(options.folder))).toEqual(["v2/", "v2/bin/", "v2/bin/appd"]);
  });

  test("the checksum and archive parameters → not asked of the server; others are", async () => {
    server.file("/p", PROGRAM);
    server.requests.length = 0;
    await fetchProgram(fetchOptions(infoOf(`${server.url("/p")}?a=1&archive=false&checksum=${SUM}&b=2`)));
    expect(server.requests).toEqual(["/p?a=1&b=2 all"]);
  });

  test("a wrong checksum and a dead server for another platform → without effect", async () => {
    const url = `${server.file("/a", PROGRAM)}?checksum=${SUM}`;
    const binaries = {
      "darwin/arm64": `${server.url("/a")}?checksum=${"0".repeat(64)}`,
      "other-linux/amd64": "nothing",
      any: "http://127.0.0.1:9/x",
      "linux/amd64": url,
    };
    await fetchProgram(fetchOptions(JSON.stringify({ binaries })));
    const any = JSON.stringify({ binaries: { "darwin/arm64": "x", any: url } });
    await fetchProgram(fetchOptions(any));
  });

  test("a reference, with and without a checksum → the document that it leads to", async () => {
    const document = infoOf(`${server.file("/a", PROGRAM)}?checksum=${SUM}`);
    const url = server.file("/info.json", document);
    await fetchProgram(fetchOptions(url));
    await fetchProgram(fetchOptions(`${url}?checksum=sha256:${sha256(document)}`));
    expect(await refusalOf(fetchOptions(`${url}?checksum=sha256:${SUM}`))).toContain("Checksums did not match");
    const again = server.file("/again.json", url);
    expect(await refusalOf(fetchOptions(again))).toContain("leads to one more reference");
  });

  test("a file: URL → copied, verified; a missing file or a folder → refused", async () => {
    const path = join(scratch, "a program");
    writeFileSync(path, PROGRAM);
    await fetchProgram(fetchOptions(infoOf(`${pathToFileURL(path).href}?checksum=${SUM}`)));
    expect(await refusalOf(fetchOptions(infoOf(pathToFileURL(`${path}x`).href)))).toContain(
      "no such file or directory",
    );
    expect(await refusalOf(fetchOptions(infoOf(pathToFileURL(scratch).href)))).toMatch(
      /^UPG_REMOTE_UNAVAILABLE.*regular/,
    );
  });
});

describe("fetchProgram() of a plan that cannot be followed", () => {
  test.each<[string, string, RegExp]>([
    ["blank", "  ", /^UPG_INVALID_PLAN_INFO .*plan info must not be blank/],
    ["text", "see the forum", /^UPG_INVALID_PLAN_INFO .*could not parse plan info/],
    ["no platform", infoOf("https://example.com/a", "darwin/arm64"), /neither linux\/amd64, nor any/],
    ["md5", infoOf(`https://example.com/a?checksum=md5:${"0".repeat(32)}`), /weak checksum type: md5/],
    ["sha1 by length", infoOf(`https://example.com/a?checksum=${"0".repeat(40)}`), /weak checksum type: sha1/],
    ["scheme", infoOf(`git::https://example.com/a?checksum=${SUM}`), /unsupported scheme/],
    ["archive", infoOf(`https://example.com/a?archive=rar&checksum=${SUM}`), /unsupported archive: "rar"/],
  ])("%s → refused in words, nothing written", async (_, info, expected) => {
    const options = fetchOptions(info);
    expect(await refusalOf(options)).toMatch(expected);
    expect(() => statSync(dirname(options.folder))).toThrow("ENOENT");
  });

  test("no checksum where one is required → refused, also of a reference", async () => {
    const required = { isChecksumRequired: true };
    expect(await refusalOf(fetchOptions(infoOf(server.file("/a", PROGRAM)), required))).toContain("missing checksum");
    const document = server.file("/info.json", infoOf(`${server.url("/a")}?checksum=${SUM}`));
    expect(await refusalOf(fetchOptions(document, required))).toContain("missing checksum");
  });

  test("the program is there already → refused, and untouched", async () => {
    const options = fetchOptions(infoOf(server.file("/a", PROGRAM)));
    await fetchProgram(options);
    expect(await refusalOf(options)).toMatch(/^UPG_INVALID_CONFIG .*upgrade dir already exists, won't overwrite/);
  });
});

describe("fetchProgram() over a bad network", () => {
  test("a wrong checksum → refused at once, with both sums; the next run is not held up", async () => {
    server.requests.length = 0;
    const url = server.file("/w", "something else");
    const options = fetchOptions(infoOf(`${url}?checksum=${SUM}`));
    const text = await refusalOf(options);
    expect(text).toContain(`Checksums did not match for ${url}. Expected: ${SUM} Got: ${sha256("something else")}`);
    expect(server.requests).toHaveLength(1);
    server.file("/w", PROGRAM);
    await fetchProgram(options);
    expect(treeOf(dirname(options.folder))).toEqual(["v2/", "v2/bin/", "v2/bin/appd"]);
  });

  test("404 → at once; 503 → tried again, five times in a row at most", async () => {
    server.requests.length = 0;
    expect(await refusalOf(fetchOptions(infoOf(server.url("/none"))))).toContain("the server returned 404");
    expect(server.requests).toHaveLength(1);
    const busy = server.on("/busy", (request, response, times) => {
      if (times > 3) return sendFile(request, response, { bytes: PROGRAM });
      response.statusCode = 503;
      response.end();
    });
    await fetchProgram(fetchOptions(infoOf(busy)));
    server.on("/busy", (_, response) => {
      response.statusCode = 503;
      response.end();
    });
    server.requests.length = 0;
    const options = fetchOptions(infoOf(busy));
    expect(await refusalOf(options)).toMatch(/^UPG_REMOTE_UNAVAILABLE .*the server returned 503/);
    expect(server.requests).toHaveLength(5);
    expect(options.lines.filter((line) => line.startsWith("warn"))).toHaveLength(4);
  });

  test("cut after every 700 bytes → gone on with by ranges to the end", async () => {
    const url = server.on("/cut", (request, response) =>
      sendFile(request, response, { bytes: PROGRAM, etag: '"1"' }, 700),
    );
    server.requests.length = 0;
    await fetchProgram(fetchOptions(infoOf(`${url}?checksum=${SUM}`)));
    expect(server.requests.length).toBeGreaterThan(8);
    expect(server.requests[1]).toMatch(/^\/cut bytes=\d+-$/);
  });

  test("cut at any bytes, any number of times → the very same bytes", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(PROGRAM.length), { maxLength: 12 }), fc.boolean(), async (cuts, hasEtag) => {
        const served = { bytes: PROGRAM, ...(hasEtag ? { etag: '"1"' } : {}) };
        const url = server.on("/any", (request, response, times) => sendFile(request, response, served, cuts[times]));
        const options = fetchOptions(infoOf(`${url}?checksum=${SUM}`), { attemptsMax: 20 });
        expect(readFileSync((await fetchProgram(options)).file)).toEqual(PROGRAM);
      }),
      { numRuns: sampled(20, 500) },
    );
  });

  test("a file that changes between the parts → fetched from its beginning, by its ETag or by its sum", async () => {
    const other = Buffer.alloc(PROGRAM.length, 1);
    for (const isIgnoring of [false, true]) {
      const url = server.on("/c", (request, response, times) => {
        if (isIgnoring) delete request.headers["if-range"];
        const etag = isIgnoring ? {} : { etag: times === 0 ? '"1"' : '"2"' };
        sendFile(request, response, { bytes: times === 0 ? other : PROGRAM, ...etag }, times === 0 ? 500 : undefined);
      });
      const options = fetchOptions(infoOf(`${url}?checksum=${SUM}`));
      await fetchProgram(options);
      expect(readFileSync(join(options.folder, "bin/appd"))).toEqual(PROGRAM);
    }
  });

  test("without a checksum or an ETag → never put together of parts", async () => {
    const url = server.on("/n", (request, response, times) =>
      sendFile(request, response, { bytes: PROGRAM }, times < 2 ? 500 : undefined),
    );
    server.requests.length = 0;
    await fetchProgram(fetchOptions(infoOf(url)));
    expect(server.requests).toEqual(["/n all", "/n all", "/n all"]);
  });

  test("it stalls → given up after the stall time; it drips for ever → after the whole time", async () => {
    const stalled = server.on("/stall", (_, response) => {
      response.writeHead(200, { "content-length": 100 });
      response.write("x");
    });
    const patience = { stallMillis: 300, attemptsMax: 2 };
    expect(await refusalOf(fetchOptions(infoOf(stalled), patience))).toMatch(/^UPG_REMOTE_UNAVAILABLE/);
    const dripping = server.on("/drip", (_, response) => {
      const timer = setInterval(() => response.write("x"), 20);
      response.on("close", () => clearInterval(timer));
    });
    expect(await refusalOf(fetchOptions(infoOf(dripping), { millisMax: 400 }))).toContain("longer than 0.4 s");
  });

  test("longer than allowed, said or not → refused before it is on disk", async () => {
    const said = server.file("/long", Buffer.alloc(5_000));
    const endless = server.on("/endless", (_, response) => {
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536)));
      };
      response.on("drain", more);
      more();
    });
    for (const url of [said, endless]) {
      expect(await refusalOf(fetchOptions(infoOf(url), { bytesMax: 4_999 }))).toContain("is longer than 4999 bytes");
    }
  });

  test("without end, or bytes that unpack to more than the disk has → UPG_STORE_FULL before the reserve is touched, nothing stays", async () => {
    const free = RESERVE_BYTES + 20 * 1_048_576;
    const folder = join(scratch, "small-disk", "v2");
    const used = () => diskFiles.list(`${folder}#part`)?.map((name) => statSync(join(`${folder}#part`, name)).size);
    let least = free;
    const freeBytes = () => {
      const left =
        free - (used() ?? []).reduce((sum, bytes) => sum + bytes, 0) - sizeIn(join(`${folder}#part`, "tree"));
      least = Math.min(least, left);
      return left;
    };
    const endless = server.on("/no-length", (_, response) => {
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(1_048_576, 7)));
      };
      response.on("drain", more);
      more();
    });
    const bomb = server.file("/bomb.tar.gz", gzipSync(tarOf([{ name: "appd", bytes: Buffer.alloc(60 * 1_048_576) }])));
    for (const url of [endless, bomb]) {
      const bounds = { files: { ...diskFiles, freeBytes }, folder, bytesMax: 2 ** 31 };
      expect(await refusalOf(fetchOptions(infoOf(url), bounds))).toMatch(/^UPG_STORE_FULL .*and a reserve of/);
      expect(treeOf(dirname(folder))).toEqual([]);
    }
    expect(least).toBeGreaterThanOrEqual(RESERVE_BYTES);
  });

  test("it says another length than it sends → refused after its attempts", async () => {
    const url = server.on("/lie", (_, response) => {
      response.socket?.end(`HTTP/1.1 200 OK\r\ncontent-length: ${PROGRAM.length + 5}\r\n\r\n${PROGRAM}`);
    });
    expect(await refusalOf(fetchOptions(infoOf(url)))).toMatch(/^UPG_REMOTE_UNAVAILABLE/);
  });

  test("redirects → followed; in circles, to a file or to nowhere → refused", async () => {
    const to = (path: string, location: string) =>
      server.on(path, (_, response) => {
        response.writeHead(302, { location });
        response.end("moved");
      });
    server.file("/a", PROGRAM);
    to("/r2", "/a");
    await fetchProgram(fetchOptions(infoOf(to("/r1", server.url("/r2")))));
    expect(await refusalOf(fetchOptions(infoOf(to("/circle", "/circle"))))).toContain("more than 10 redirects");
    expect(await refusalOf(fetchOptions(infoOf(to("/f", "file:///etc/passwd"))))).toContain("which is no https URL");
    expect(await refusalOf(fetchOptions(infoOf(to("/x", "http://"))))).toContain("which is no https URL");
  });

  test("packed on the way, without being asked → refused", async () => {
    const url = server.on("/e", (_, response) => {
      response.writeHead(200, { "content-encoding": "gzip" });
      response.end("x");
    });
    expect(await refusalOf(fetchOptions(infoOf(url)))).toContain("in the encoding gzip");
  });
});
