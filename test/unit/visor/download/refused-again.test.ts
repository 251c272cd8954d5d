import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FetchOptions, fetchProgram } from "../../../../host/visor/download/fetch-program.js";
import { stageHandler } from "../../../../host/visor/download/stage-handler.js";
import { fetchOptions, infoOf, refusalOf, sha256, treeOf, useScratch } from "./fetching.js";
import { HttpServer } from "./http-server.js";

useScratch();
let server: HttpServer;
beforeAll(async () => {
  server = await HttpServer.start();
});
afterAll(() => server.close());

const PROGRAM = "#!/bin/sh\nexit 0\n";
const SUM = sha256(PROGRAM);
const WRONG = Buffer.alloc(100_000, 7);

/** A file with an ETag or a time, served as RFC 9110 asks; counts the bytes of bodies. */
class Release {
  bytes: Uint8Array = WRONG;
  etag: string | undefined;
  changed: Date | undefined;
  sent = 0;
  requests = 0;
  readonly url: string;

  constructor(path: string) {
    this.url = server.on(path, (request, response) => {
      this.requests++;
      if (this.etag !== undefined) response.setHeader("etag", this.etag);
      if (this.changed) response.setHeader("last-modified", this.changed.toUTCString());
      const since = Date.parse(request.headers["if-modified-since"] ?? "");
      const isSame =
        request.headers["if-none-match"] === undefined
          ? this.changed !== undefined && since >= Math.floor(this.changed.getTime() / 1_000) * 1_000
          : request.headers["if-none-match"] === this.etag;
      if (isSame) return void response.writeHead(304).end();
      this.sent += this.bytes.length;
      response.end(this.bytes);
    });
  }

  publish(bytes: Uint8Array | string, etag?: string, changed?: Date): void {
    this.bytes = Buffer.from(bytes);
    this.etag = etag;
    this.changed = changed;
  }
}

const refusedOften = async (options: FetchOptions, times: number): Promise<string[]> => {
  const all: string[] = [];
  for (let at = 0; at < times; at++) all.push(await refusalOf(options));
  return all;
};
const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000);

describe("a file that is wrong as published is fetched once", () => {
  test.each([
    ["an ETag", '"a"', undefined],
    ["a weak ETag", 'W/"a"', undefined],
    ["a time of an hour ago", undefined, hoursAgo(1)],
  ])("with %s; its correction is fetched at the next attempt", async (what, etag, changed) => {
    const release = new Release(`/wrong-${what.length}`);
    release.publish(WRONG, etag, changed);
    const options = fetchOptions(infoOf(`${release.url}?checksum=${SUM}`));
    const [first, ...later] = await refusedOften(options, 5);
    expect(first).toContain(`Checksums did not match for ${release.url}. Expected: ${SUM} Got: ${sha256(WRONG)}`);
    expect(new Set(later)).toEqual(
      new Set([`${first} (not fetched again: the file on the server has not changed since)`]),
    );
    expect([release.sent, release.requests]).toEqual([WRONG.length, 5]);
    expect(treeOf(dirname(options.folder))).toEqual(["v2#part/", "v2#part/refused.json"]);
    release.publish(PROGRAM, etag && '"b"', changed && hoursAgo(0.5));
    await fetchProgram(options);
    expect(release.sent).toBe(WRONG.length + PROGRAM.length);
    expect(treeOf(dirname(options.folder))).toEqual(["v2/", "v2/bin/", "v2/bin/appd"]);
  });

  test("a time of this minute, or neither time nor ETag → whole each time: a change could go unseen", async () => {
    for (const changed of [new Date(), undefined]) {
      const release = new Release(`/young-${changed === undefined}`);
      release.publish(WRONG, undefined, changed);
      const options = fetchOptions(infoOf(`${release.url}?checksum=${SUM}`));
      await refusedOften(options, 2);
      expect(release.sent).toBe(2 * WRONG.length);
      expect(treeOf(dirname(options.folder))).toEqual([]);
    }
  });

  test("another checksum or another limit in the meantime → it is fetched and judged again", async () => {
    const release = new Release("/judged");
    release.publish(PROGRAM, '"a"');
    const options = fetchOptions(infoOf(`${release.url}?checksum=${sha256("x")}`), { bytesMax: 1_000 });
    await refusedOften(options, 2);
    expect(release.sent).toBe(PROGRAM.length);
    await refusalOf({ ...options, bytesMax: 2_000 });
    expect(release.sent).toBe(2 * PROGRAM.length);
    await fetchProgram({ ...options, info: infoOf(`${release.url}?checksum=${SUM}`) });
    expect(release.sent).toBe(3 * PROGRAM.length);
  });

  test("an archive without the program, a file longer than allowed → the same, without a checksum too", async () => {
    const archive = new Release("/none.gz");
    archive.publish(gzipSync(WRONG).subarray(0, 60), '"a"');
    const [first, second] = await refusedOften(fetchOptions(infoOf(archive.url)), 2);
    expect(second).toContain(first);
    expect([archive.sent, archive.requests]).toEqual([60, 2]);
    const long = new Release("/long");
    long.publish(WRONG, '"a"');
    await refusedOften(fetchOptions(infoOf(long.url), { bytesMax: 1_000 }), 3);
    expect(long.requests).toBe(3);
    expect(long.sent).toBe(WRONG.length);
  });

  test("a record that is damaged, of another URL or of another kind of error → the file is fetched", async () => {
    const release = new Release("/damaged");
    release.publish(WRONG, '"a"');
    const options = fetchOptions(infoOf(`${release.url}?checksum=${SUM}`));
    await refusalOf(options);
    const file = join(`${options.folder}#part`, "refused.json");
    const judgedBy = JSON.stringify([null]);
    const other = { url: `${release.url}x`, judgedBy, revision: { etag: '"a"' }, code: "UPG_STORE_FULL", message: "x" };
    for (const text of ["", "{", "null", "[]", JSON.stringify(other), JSON.stringify({ ...other, url: release.url })]) {
      writeFileSync(file, text);
      expect(await refusalOf(options)).toContain("Checksums did not match");
    }
    expect(release.sent).toBe(7 * WRONG.length);
  });

  test("a handler with another hash → the same", async () => {
    const release = new Release("/h.wasm");
    release.publish(WRONG, '"a"');
    const handler = { url: release.url, sha256: SUM };
    const { folder: home, ...options } = fetchOptions(JSON.stringify({ binaries: { any: "x" }, handler }));
    const stage = () => stageHandler({ ...options, home, name: "v2", isDownloadAllowed: true });
    for (let at = 0; at < 3; at++) await expect(stage()).rejects.toMatchObject({ code: "UPG_HANDLER_HASH" });
    expect([release.sent, release.requests]).toEqual([WRONG.length, 3]);
    release.publish(PROGRAM, '"b"');
    expect(await stage()).toMatchObject({ isFetched: true });
  });
});
