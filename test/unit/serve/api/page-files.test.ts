/** The page's files as they are sent: compressed for clients that take it, known ones not again. */
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync, brotliDecompressSync } from "node:zlib";
import { getRequestListener } from "@hono/node-server";
import { expect, test } from "vitest";
import { sha256 } from "../../../../host/base/native/sha256.js";
import { toBase64, utf8 } from "../../../../host/base/text/bytes.js";
import { PageFiles, pageHashes, takesBrotli } from "../../../../host/serve/api/rest/page-files.js";
import { SERVER_LIMITS } from "../../../../host/serve/limits/server.js";
import { UnreadBytes } from "../../../../host/serve/limits/unread.js";
import { writePageModule } from "../../../../scripts/page-bytes.mjs";
import { get, NOT_IMPLEMENTED } from "./rest-client.js";
import { useTestNode } from "./test-node.js";

const PAGE = `<!doctype html>${"upgrade ".repeat(500)}`;
const FILE = {
  ...{ path: "/", type: "text/html; charset=utf-8" },
  headers: { "content-security-policy": "default-src 'none'", "cache-control": "no-cache" },
  brotli: toBase64(brotliCompressSync(utf8(PAGE))),
};

async function servePage(use: (url: string) => Promise<void>): Promise<void> {
  const files = new PageFiles([FILE], sha256, new UnreadBytes(SERVER_LIMITS));
  const server: Server = createServer((incoming, outgoing) => {
    const listener = getRequestListener(
      async () =>
        (await files.answer({ incoming, outgoing }, incoming.url ?? "")) ?? new Response(null, { status: 501 }),
    );
    void listener(incoming, outgoing);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

test("a file of the page → compressed or not, as the client takes it, with the headers of the list", () =>
  servePage(async (url) => {
    const plain = await fetch(url, { headers: { "accept-encoding": "gzip" } });
    expect(await plain.text()).toBe(PAGE);
    expect(Object.fromEntries(plain.headers)).toMatchObject({
      ...{ "content-type": FILE.type, "content-security-policy": "default-src 'none'", "cache-control": "no-cache" },
      ...{ vary: "Accept-Encoding", "content-length": String(PAGE.length), "x-content-type-options": "nosniff" },
    });
    const small = await fetch(url, { headers: { "accept-encoding": "br" } });
    expect(small.headers.get("content-encoding")).toBe("br");
    expect(await small.text()).toBe(PAGE);
    const etag = plain.headers.get("etag") ?? "";
    expect((await fetch(url, { headers: { "if-none-match": etag } })).status).toBe(304);
    const head = await fetch(url, { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
    expect((await fetch(`${url}/other.js`)).status).toBe(501);
  }));

test("pageHashes() → SHA-256 of each file as it is sent without compression, by its path", async () => {
  const whole = createHash("sha256").update(PAGE).digest("hex");
  expect(await pageHashes([FILE], sha256)).toEqual({ "/": whole });
});

test("takesBrotli() the header of a client → whether it wants it", () => {
  for (const yes of ["br", "gzip, deflate, br", "br;q=0.5", "BR", "gzip;q=1, br ; q=1"])
    expect(takesBrotli(yes)).toBe(true);
  for (const no of [undefined, "", "gzip", "br;q=0", "br;q=0.000", "brotli", "x-br"])
    expect(takesBrotli(no)).toBe(false);
});

test("writePageModule() a folder with a list → a module of what it lists; without → an empty one", () => {
  const folder = mkdtempSync(join(tmpdir(), "chain-upgrade-page-"));
  try {
    const out = join(folder, "page-bytes.ts");
    expect(writePageModule(folder, out)).toBe(0);
    expect(readFileSync(out, "utf8")).toContain("PAGE_FILES: readonly PageFile[] = [];");
    writeFileSync(join(folder, "page.html"), PAGE);
    const listed = { path: "/", file: "page.html", type: FILE.type, headers: FILE.headers };
    writeFileSync(join(folder, "files.json"), JSON.stringify([listed]));
    expect(writePageModule(folder, out)).toBeGreaterThan(0);
    const [, brotli = ""] = /"brotli":"([^"]+)"/.exec(readFileSync(out, "utf8")) ?? [];
    expect(brotliDecompressSync(Buffer.from(brotli, "base64")).toString()).toBe(PAGE);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("a path that the page does not have → the gateway's answer", () =>
  useTestNode(async (node) => {
    expect(await get(node, "/no-file.js")).toMatchObject({ status: 501, body: NOT_IMPLEMENTED });
    expect(await get(node, "/", { method: "POST" })).toMatchObject({ status: 501, body: NOT_IMPLEMENTED });
    expect(node.bugs).toEqual([]);
  }));
