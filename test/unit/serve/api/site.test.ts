/** REST: what a page needs besides the queries: a part of the RPC, files of an upgrade, the status. On both engines. */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { sha256 } from "../../../../host/base/native/sha256.js";
import { toHex } from "../../../../host/base/text/bytes.js";
import { encodeWitness } from "../../../../host/state/witness/encode.js";
import { get, NOT_IMPLEMENTED } from "./rest-client.js";
import { type TestNode, type TestNodeOptions, useTestNode } from "./test-node.js";

const CHAIN_ID = "scenario-1";
const HANDLER = readFileSync(join(import.meta.dirname, "../../../../build/examples/split-balances.wasm"));
const HASH = toHex(sha256(HANDLER));
const PATH = `/chain/upgrade/v1/handler/${HASH}`;

/** A home with a handler, and the witness of an upgrade. */
function withFiles(home: string): void {
  mkdirSync(join(home, "handlers", "staged"), { recursive: true });
  writeFileSync(join(home, "handlers", "staged", "v2.wasm"), HANDLER);
  mkdirSync(join(home, "data", "witness"), { recursive: true });
  writeFileSync(join(home, "data", "witness", "v%202.bin"), WITNESS);
}

/** Of this many bytes, or a little more: other writes fill it. */
function witnessOf(plan: string, bytes: number, chainId = CHAIN_ID): Uint8Array {
  const value = new Uint8Array(Math.min(bytes, 1_048_576));
  const writes = Array.from({ length: Math.ceil(bytes / value.length) }, (_, i) => ({
    key: Uint8Array.of(1, i),
    value,
  }));
  return encodeWitness({ chainId, plan, height: 4n, stores: [], others: [{ store: "bank", writes }] }, sha256);
}

const WITNESS = witnessOf("v 2", 300_000);

/** Clients that do not read. */
const CLIENTS = 30;

const ask = (node: TestNode, headers: Record<string, string>, path = PATH, method = "GET") =>
  fetch(`${node.rest}${path}`, { headers, method });

for (const isOfComet of [false, true]) {
  const engine: TestNodeOptions = { isOfComet };
  describe(isOfComet ? "blocks are CometBFT's" : "blocks are the node's own", () => {
    test("/rpc/… → the RPC's own responses, and its refusals", () =>
      useTestNode(async (node) => {
        for (const call of [
          "commit?height=2",
          "validators?height=2&page=1&per_page=100",
          'abci_query?path="/store/upgrade/key"&data=0x00&height=1&prove=true',
        ]) {
          const [ours, theirs] = [await get(node, `/rpc/${call}`), await fetch(`${node.rpc}/${call}`)];
          expect(ours.status).toBe(200);
          expect(JSON.parse(ours.body)).toEqual(await theirs.json());
          expect(ours.headers.get("cache-control")).toBe("no-store");
        }
        const status = JSON.parse((await get(node, "/rpc/status")).body) as { result: { sync_info: object } };
        expect(status.result.sync_info).toMatchObject({ latest_block_height: "2" });
        const bad = await get(node, "/rpc/commit?height=99");
        expect([bad.status, bad.body]).toEqual([500, expect.stringContaining("must be less than or equal to")]);
        expect((await get(node, "/rpc/commit?height=x")).body).toContain("UPG_INVALID_ARGUMENT");
        for (const absent of ["/rpc/broadcast_tx_sync?tx=0x00", "/rpc/genesis", "/rpc/", "/rpc"]) {
          expect(await get(node, absent)).toMatchObject({ status: 501, body: NOT_IMPLEMENTED });
        }
        expect(node.bugs).toEqual([]);
      }, engine));

    test("/chain/upgrade/v1/status → running, then waiting with the plan, its blocks left and the pace of blocks", () =>
      useTestNode(async (node) => {
        const status = async () => JSON.parse((await get(node, "/chain/upgrade/v1/status")).body) as Json;
        expect(await status()).toMatchObject({ phase: "running", height: "2", plan: null, halt: null, progress: null });
        node.makeBlocks(130);
        node.schedule("v9", 140n, "{}");
        const { plan, ...rest } = await status();
        expect(rest).toMatchObject({ phase: "waiting", height: "133", last_upgrade: null });
        expect(rest["block_seconds"]).toEqual([
          { blocks: "20", seconds: "5.000" },
          { blocks: "100", seconds: "5.000" },
        ]);
        expect(plan).toEqual({
          ...{ name: "v9", height: "140", info: "{}", blocks_left: "7", handler: "absent", proposal: null },
        });
        expect(node.bugs).toEqual([]);
      }, engine));
  });
}

type Json = Readonly<Record<string, unknown>>;

describe("handlers and witnesses", () => {
  let witnesses = "";

  test("a handler by its hash → its bytes, to keep for ever; other names → refused", () =>
    useTestNode(
      async (node) => {
        const response = await ask(node, {});
        expect(Buffer.from(await response.arrayBuffer()).equals(HANDLER)).toBe(true);
        expect(Object.fromEntries(response.headers)).toMatchObject({
          ...{ "content-type": "application/wasm", etag: `"${HASH}"`, "accept-ranges": "bytes" },
          ...{ "cache-control": "public, max-age=31536000, immutable", "content-length": String(HANDLER.length) },
        });
        const upper = await ask(node, {}, `/chain/upgrade/v1/handler/${HASH.toUpperCase()}`);
        expect([upper.status, (await upper.arrayBuffer()).byteLength]).toEqual([200, HANDLER.length]);
        const other = await get(node, `/chain/upgrade/v1/handler/${"0".repeat(64)}`);
        expect([other.status, other.headers.get("x-error-code")]).toEqual([404, "UPG_NOT_FOUND_FILE"]);
        for (const bad of ["v2", "..%2f..%2fconfig", "", `${HASH}00`]) {
          const { status, headers } = await get(node, `/chain/upgrade/v1/handler/${bad}`);
          expect([bad, status, headers.get("x-error-code")]).toEqual([bad, 400, "UPG_INVALID_ARGUMENT"]);
        }
        expect((await get(node, "/chain/upgrade/v1/handler/%ff")).status).toBe(400);
      },
      { prepare: withFiles },
    ));

  test("a file that is replaced → the new one by its own hash, the old one no more", () =>
    useTestNode(
      async (node) => {
        expect((await ask(node, {}, PATH, "HEAD")).status).toBe(200);
        const home = homes.at(-1) ?? "";
        const other = new Uint8Array(100).fill(1);
        writeFileSync(join(home, "handlers", "staged", "v2.wasm"), other);
        expect((await ask(node, {})).status).toBe(404);
        const path = `/chain/upgrade/v1/handler/${toHex(sha256(other))}`;
        await expect.poll(async () => (await ask(node, {}, path)).status, { timeout: 10_000 }).toBe(200);
      },
      {
        prepare: (home) => {
          homes.push(home);
          withFiles(home);
        },
      },
    ));

  test("HEAD, ranges and tags → the part that is asked for, 304 for what is known, 416 beyond the end", () =>
    useTestNode(
      async (node) => {
        const head = await ask(node, {}, PATH, "HEAD");
        expect([head.status, head.headers.get("content-length"), await head.text()]).toEqual([
          200,
          String(HANDLER.length),
          "",
        ]);
        const part = async (range: string, more: Record<string, string> = {}) => {
          const response = await ask(node, { range, ...more });
          const bytes = Buffer.from(await response.arrayBuffer());
          return [response.status, response.headers.get("content-range"), bytes.length] as const;
        };
        const size = HANDLER.length;
        expect(await part("bytes=0-9")).toEqual([206, `bytes 0-9/${size}`, 10]);
        expect(await part(`bytes=${size - 5}-`)).toEqual([206, `bytes ${size - 5}-${size - 1}/${size}`, 5]);
        expect(await part("bytes=-3")).toEqual([206, `bytes ${size - 3}-${size - 1}/${size}`, 3]);
        expect(await part(`bytes=5-${size * 2}`)).toEqual([206, `bytes 5-${size - 1}/${size}`, size - 5]);
        expect(await part(`bytes=${size}-`)).toEqual([416, `bytes */${size}`, 0]);
        expect(await part("bytes=-0")).toEqual([416, `bytes */${size}`, 0]);
        for (const whole of ["bytes=9-5", "bytes=0-1,3-4", "lines=1-2", "bytes=-", "bytes=x-"]) {
          expect(await part(whole)).toEqual([200, null, size]);
        }
        expect(await part("bytes=0-9", { "if-range": '"other"' })).toEqual([200, null, size]);
        expect(await part("bytes=0-9", { "if-range": `"${HASH}"` })).toEqual([206, `bytes 0-9/${size}`, 10]);
        const known = await ask(node, { "if-none-match": `W/"x", "${HASH}"` });
        expect([known.status, await known.text()]).toEqual([304, ""]);
        expect(node.bugs).toEqual([]);
      },
      { prepare: withFiles },
    ));

  test("a witness → by its plan's name; kept for good where the address has its tag; absent → 404", () =>
    useTestNode(
      async (node) => {
        const path = "/chain/upgrade/v1/witness/v%202";
        const response = await ask(node, {}, path);
        expect((await response.arrayBuffer()).byteLength).toBe(WITNESS.length);
        expect(response.headers.get("cache-control")).toBe("public, no-cache");
        expect(response.headers.get("x-content-type-options")).toBe("nosniff");
        const tag = (response.headers.get("etag") ?? "").slice(1, -1);
        const kept = await ask(node, {}, `${path}?etag=${tag}`, "HEAD");
        expect(kept.headers.get("cache-control")).toContain("immutable");
        for (const name of ["v3", "", "..%2f..%2f..%2fetc%2fpasswd", "%00"]) {
          const absent = await get(node, `/chain/upgrade/v1/witness/${name}`);
          expect([name, absent.status, absent.headers.get("x-error-code")]).toEqual([name, 404, "UPG_NOT_FOUND_FILE"]);
        }
      },
      { prepare: withFiles },
    ));

  test("a file that is empty, cut, changed later, a link, a folder, of another plan or chain → 404, as if it were absent", () =>
    useTestNode(
      async (node) => {
        const status = async (name: string) => (await get(node, `/chain/upgrade/v1/witness/${name}`)).status;
        for (const name of ["empty", "cut", "link", "folder", "other-plan", "other-chain"]) {
          expect([name, await status(name)]).toEqual([name, 404]);
        }
        expect(await status("good")).toBe(200);
        expect(await status("good")).toBe(200);
        writeFileSync(join(witnesses, "good.bin"), witnessOf("good", 10).fill(0, -8));
        expect(await status("good")).toBe(404);
      },
      {
        prepare: (home) => {
          withFiles(home);
          witnesses = join(home, "data", "witness");
          const write = (name: string, bytes: Uint8Array) => writeFileSync(join(witnesses, `${name}.bin`), bytes);
          write("good", witnessOf("good", 10));
          write("empty", new Uint8Array(0));
          write("cut", witnessOf("cut", 5_000).subarray(0, 4_000));
          write("other-plan", witnessOf("good", 10));
          write("other-chain", witnessOf("other-chain", 10, "elsewhere-1"));
          write("target", witnessOf("link", 10));
          symlinkSync(join(witnesses, "target.bin"), join(witnesses, "link.bin"));
          mkdirSync(join(witnesses, "folder.bin"));
        },
      },
    ));

  test("a file of 64 MiB to clients that do not read → few bytes of it in memory, and they are let go", () =>
    useTestNode(
      async (node) => {
        const { hostname, port } = new URL(node.rest);
        const before = process.memoryUsage().rss;
        const handles = () => process.getActiveResourcesInfo().filter((each) => each === "TCPSocketWrap").length;
        const others = handles();
        const sockets = Array.from({ length: CLIENTS }, () => {
          const socket = connect(Number(port), hostname).pause();
          socket.on("error", () => undefined);
          socket.write("GET /chain/upgrade/v1/witness/large HTTP/1.1\r\nhost: x\r\n\r\n");
          return socket;
        });
        // Both ends of each are in this process.
        await expect.poll(handles, { timeout: 20_000 }).toBeGreaterThanOrEqual(2 * CLIENTS);
        await expect.poll(handles, { timeout: 20_000 }).toBeLessThanOrEqual(others + CLIENTS);
        expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1_048_576);
        for (const socket of sockets) socket.destroy();
        expect((await ask(node, {}, "/chain/upgrade/v1/witness/large", "HEAD")).status).toBe(200);
      },
      {
        limits: { answerMillis: 3_000 },
        prepare: (home) => {
          withFiles(home);
          writeFileSync(join(home, "data", "witness", "large.bin"), witnessOf("large", 64 * 1_048_576));
        },
      },
    ));
});

const homes: string[] = [];
