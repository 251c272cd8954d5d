/** What is refused at its end: cut, empty, or longer on the way than there is time; and nothing of it stays on the disk. */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { diskFiles } from "../../../../host/base/files/disk-files.js";
import { stageHandler } from "../../../../host/visor/download/stage-handler.js";
import { sampled } from "../../../sample.js";
import { tarOf, zipOf } from "./archives.js";
import { fetchOptions, infoOf, refusalOf, sha256, treeOf, useScratch } from "./fetching.js";
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

const FILES = [
  { name: "bin/appd", bytes: PROGRAM },
  { name: "lib/a", bytes: "x".repeat(700) },
];
/** As GNU tar writes it, with zeros after its end. */
const TAR = Buffer.concat([tarOf(FILES), Buffer.alloc(4_096)]);
const by = (tool: string) => () => execFileSync(tool, ["-c"], { input: TAR });
const ARCHIVES: readonly (readonly [kind: string, make: () => Buffer])[] = [
  ["tar.gz", () => gzipSync(TAR)],
  ["tar.xz", by(XZ)],
  ["tar.bz2", by(BZIP2)],
  ["zip", () => zipOf(FILES)],
];

/** The refusal; neither a program nor a part of the download is left. */
async function refused(info: string, changes = {}): Promise<string> {
  const options = fetchOptions(info, changes);
  const text = await refusalOf(options);
  expect(existsSync(options.folder)).toBe(false);
  if (existsSync(dirname(options.folder))) expect(treeOf(dirname(options.folder))).toEqual([]);
  return text;
}

describe("fetchProgram() of an archive that was cut before it was published, without a checksum", () => {
  test.each(ARCHIVES)("%s, at any of its last bytes → refused", async (kind, make) => {
    const bytes = make();
    const cuts = Array.from({ length: sampled(4, 40) }, (_, at) => at * 3 + 1);
    for (const cut of [...cuts, 20]) {
      const info = infoOf(server.file(`/cut.${kind}`, bytes.subarray(0, bytes.length - cut)));
      expect(await refused(info), `without its last ${cut} bytes`).toMatch(/^UPG_INVALID_PLAN_INFO /);
    }
  });

  test("tar, between two of its files, or within a header → refused: it has no end", async () => {
    const whole = tarOf(FILES);
    for (const length of [1_024, 1_100, whole.length - 1_024, whole.length - 600]) {
      const info = infoOf(server.file("/cut.tar", whole.subarray(0, length)));
      expect(await refused(info), `${length} bytes`).toMatch(/^UPG_INVALID_PLAN_INFO .*(is cut|is damaged)/);
    }
  });

  test("zeros after the end of a tar → no more than is allowed", async () => {
    const zeros = infoOf(server.file("/z.tar.gz", gzipSync(Buffer.concat([TAR, Buffer.alloc(2_097_152)]))));
    expect(await refused(zeros, { bytesMax: 1_048_576 })).toContain("unpacks to more than 1048576 bytes");
  });

  test("zip, with a byte changed that its sizes do not show → refused", async () => {
    const bytes = zipOf([{ name: "appd", bytes: PROGRAM, crc: 7 }]);
    expect(await refused(infoOf(server.file("/c.zip", bytes)))).toContain("is damaged");
  });
});

describe("fetchProgram() of what is refused → the disk has nothing of it", () => {
  test("a bomb, a file without end, another sum", async () => {
    const bytesMax = 1_048_576;
    const bomb = server.file("/bomb.gz", gzipSync(Buffer.alloc(4 * bytesMax)));
    expect(await refused(infoOf(bomb), { bytesMax })).toContain("unpacks to more than");
    const endless = server.on("/endless", (_, response) => {
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536)));
      };
      response.on("drain", more);
      more();
    });
    expect(await refused(infoOf(endless), { bytesMax })).toContain("is longer than");
    const other = `${server.file("/other", PROGRAM)}?checksum=${sha256("x")}`;
    expect(await refused(infoOf(other))).toContain("Checksums did not match");
  });

  test("a server that fails → of what nobody can go on with nothing, of what has a checksum the bytes alone", async () => {
    const short = server.on("/short", (_, response) => {
      response.socket?.end(`HTTP/1.1 200 OK\r\ncontent-length: ${PROGRAM.length + 5}\r\n\r\n${PROGRAM}`);
    });
    expect(await refused(infoOf(short))).toMatch(/^UPG_REMOTE_UNAVAILABLE/);
    const options = fetchOptions(infoOf(`${short}?checksum=${sha256("x")}`));
    expect(await refusalOf(options)).toMatch(/^UPG_REMOTE_UNAVAILABLE/);
    expect(treeOf(dirname(options.folder))).toEqual(["v2#part/", "v2#part/download", "v2#part/download.json"]);
  });
});

describe("an empty file → says that it is empty", () => {
  test("fetchProgram() by HTTP with and without a length, by file:, with its own checksum", async () => {
    const unsaid = server.on("/unsaid", (_, response) => void response.writeHead(200).end());
    const path = `${dirname(fetchOptions("").folder)}-empty`;
    diskFiles.makeFolder(dirname(path));
    diskFiles.open(path, "new", 0o644).close();
    const said = server.file("/empty", "");
    const urls = [said, unsaid, `file://${path}`, `${said}?checksum=${sha256("")}`, server.file("/empty.tar.gz", "")];
    for (const url of urls) {
      expect(await refused(infoOf(url))).toMatch(/^UPG_INVALID_PLAN_INFO .* is empty: /);
    }
  });

  test("stageHandler()", async () => {
    const info = JSON.stringify({
      binaries: { any: "x" },
      handler: { url: server.file("/e.wasm", ""), sha256: sha256("x") },
    });
    const { folder: home, ...options } = fetchOptions(info);
    const staged = stageHandler({ ...options, home, name: "v2", isDownloadAllowed: true });
    await expect(staged).rejects.toMatchObject({
      code: "UPG_INVALID_PLAN_INFO",
      message: expect.stringContaining("empty"),
    });
  });
});

describe("no time is left while it is unpacked → says so", () => {
  const slow = (millis: number) => ({
    ...diskFiles,
    open: (...args: Parameters<typeof diskFiles.open>) => {
      if (args[0].includes("tree")) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, millis);
      return diskFiles.open(...args);
    },
  });

  test.each(["tar.gz", "tar.xz", "zip", "tar"])("%s of many files", async (kind) => {
    const items = Array.from({ length: 60 }, (_, at) => ({ name: `f/${at}`, bytes: `${at}`.repeat(2_000) }));
    const tar = tarOf(items);
    const makers: Record<string, () => Buffer> = {
      "tar.gz": () => gzipSync(tar),
      "tar.xz": () => execFileSync(XZ, ["-c"], { input: tar }),
      zip: () => zipOf(items),
      tar: () => tar,
    };
    const bytes = makers[kind]?.() ?? tar;
    const info = infoOf(server.file(`/slow.${kind}`, bytes));
    const text = await refused(info, { millisMax: 400, files: slow(20) });
    expect(text).toMatch(/^UPG_REMOTE_UNAVAILABLE .*longer than 0.4 s/);
  });
});
