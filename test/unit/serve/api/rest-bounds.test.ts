/** REST: what is too much, anything at all, and the routes for machines. */
import { connect } from "node:net";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Clock, logicalClock } from "../../../../host/node/embedded/clock.js";
import { PIPELINED_REQUESTS_MAX } from "../../../../host/serve/limits/http-server.js";
import { at, get } from "./rest-client.js";
import { SIGNER, useTestNode } from "./test-node.js";

const BASES = ["/chain/upgrade/v1beta1", "/cosmos/upgrade/v1beta1"];
const GENESIS_SECONDS = 1_767_225_600n;
const BLOCK_NANOS = 5_000_000_000n;

/** The second block comes so long after the genesis time, the others five seconds after the one before. */
function afterGap(seconds: bigint): Clock {
  const clock = logicalClock(BLOCK_NANOS);
  const after: Clock["after"] = (time) =>
    time.seconds === GENESIS_SECONDS ? { seconds: GENESIS_SECONDS + seconds, nanos: 0 } : clock.after(time);
  return { ...clock, after };
}

const CORS = "access-control-allow-origin";

/** Sends so many requests in one piece, the last of them with a wish to close. How many got status 200? */
async function pipelined(base: string, path: string, count: number): Promise<number> {
  const { hostname, port } = new URL(base);
  const socket = connect(Number(port), hostname);
  let heard = "";
  socket.on("data", (data) => {
    heard += String(data);
  });
  socket.on("error", () => {});
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  const request = (more: string) => `GET ${path} HTTP/1.1\r\nhost: x\r\n${more}\r\n`;
  socket.write(request("").repeat(count - 1) + request("connection: close\r\n"));
  await closed;
  return heard.split("HTTP/1.1 200 ").length - 1;
}

describe("REST, bounds", () => {
  test("10 MB bodies → 413 with a code, announced or not", () =>
    useTestNode(async (node) => {
      const body = "x".repeat(10 * 1_048_576);
      const announced = await get(node, "/cosmos/tx/v1beta1/txs", { method: "POST", body });
      expect(announced.status).toBe(413);
      expect(JSON.parse(announced.body)).toMatchObject({ code: 8, details: [] });
      const stream = new Blob([body]).stream();
      const init = { method: "POST", body: stream, duplex: "half" } as RequestInit;
      expect((await get(node, "/cosmos/tx/v1beta1/txs", init)).status).toBe(413);
      expect((await get(node, "/healthz")).status).toBe(200);
    }));

  test("a head that comes too slowly → 408 and the connection ends; others are served meanwhile", () =>
    useTestNode(
      async (node) => {
        const { hostname, port } = new URL(node.rest);
        const socket = connect(Number(port), hostname);
        let heard = "";
        const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
        socket.on("data", (data) => {
          heard += String(data);
        });
        const drip = setInterval(() => socket.writable && socket.write("x: y\r\n"), 50);
        socket.write("GET /healthz HTTP/1.1\r\n");
        expect((await get(node, "/healthz")).status).toBe(200);
        await closed;
        clearInterval(drip);
        expect(heard).toMatch(/^HTTP\/1\.1 408/);
      },
      { limits: { headerMillis: 300, requestMillis: 400 } },
    ));

  for (const [endpoint, path] of [
    ["rest", "/cosmos/bank/v1beta1/supply"],
    ["rpc", "/status"],
  ] as const) {
    test(`${endpoint}: as many requests ahead of their answers as are allowed → each served; one more → the connection ends`, () =>
      useTestNode(async (node) => {
        const answers = (count: number) => pipelined(node[endpoint], path, count);
        expect(await answers(PIPELINED_REQUESTS_MAX)).toBe(PIPELINED_REQUESTS_MAX);
        expect(await answers(PIPELINED_REQUESTS_MAX + 1)).toBe(0);
        expect((await get(node, "/healthz")).status).toBe(200);
      }));
  }

  test("more requests than are served at once → 503 code 14, not a queue without end", () =>
    useTestNode(
      async (node) => {
        const answer = await get(node, `${BASES[0]}/current_plan`);
        expect(answer.status).toBe(503);
        expect(JSON.parse(answer.body)).toMatchObject({ code: 14, details: [] });
        expect(answer.headers.get("x-error-code")).toBe("UPG_REMOTE_BUSY");
      },
      { limits: { concurrency: 0 } },
    ));
});

describe("REST, anything", () => {
  test("any path, query and height → an answer below 500 or 501, never a bug", () =>
    useTestNode(async (node) => {
      const bases = [...BASES, "/cosmos/gov/v1", "/cosmos/bank/v1beta1", "/cosmos/auth/v1beta1", "/cosmos/tx/v1beta1"];
      const words = [
        "current_plan",
        "applied_plan",
        "module_versions",
        "proposals",
        "votes",
        "accounts",
        "txs",
        "balances",
      ];
      const text = fc.string({ maxLength: 20 }).map(encodeURIComponent);
      const segment = fc.oneof(fc.constantFrom(...words), text, fc.constantFrom("1", "0", SIGNER, "..", "%2e%2e"));
      const name = fc.constantFrom(
        "pagination.limit",
        "pagination.key",
        "query",
        "module_name",
        "denom",
        "events",
        "x.y",
      );
      const query = fc.array(fc.tuple(name, text), { maxLength: 3 });
      const path = fc.tuple(fc.constantFrom(...bases), fc.array(segment, { maxLength: 4 }), query);
      await fc.assert(
        fc.asyncProperty(
          path,
          fc.constantFrom("", "1", "2", "-5", "7", "z"),
          async ([base, segments, pairs], height) => {
            const search = pairs.map(([key, value]) => `${key}=${value}`).join("&");
            const { status } = await get(node, `${[base, ...segments].join("/")}?${search}`, at(height));
            expect(status < 500 || status === 501, String(status)).toBe(true);
          },
        ),
        { numRuns: 300 },
      );
      expect(node.bugs).toEqual([]);
    }));
});

describe("REST, for machines", () => {
  test("before the first block → readyz 503, queries 503 code 14; after it 200", () =>
    useTestNode(
      async (node) => {
        expect((await get(node, "/healthz")).body).toBe('{"status":"ok"}');
        expect((await get(node, "/readyz")).status).toBe(503);
        for (const path of [`${BASES[0]}/current_plan`, "/cosmos/base/tendermint/v1beta1/blocks/latest"]) {
          const early = await get(node, path);
          expect(early.status).toBe(503);
          expect(JSON.parse(early.body).code).toBe(14);
        }
        node.makeBlocks(1);
        expect(await get(node, "/readyz")).toMatchObject({ status: 200, body: '{"status":"ready"}' });
        node.isReady = false;
        expect((await get(node, "/readyz")).status).toBe(503);
      },
      { blocks: 0 },
    ));

  test("metrics → the plan, its estimate, the height, and what the servers returned", () =>
    useTestNode(async (node) => {
      expect((await get(node, "/metrics")).body).not.toContain("chain_upgrade_plan_info{");
      node.schedule("v2", 13n);
      await get(node, `${BASES[0]}/current_plan`);
      const { body, headers } = await get(node, "/metrics?format=prometheus");
      expect(headers.get("content-type")).toContain("text/plain");
      expect(body).toContain('chain_upgrade_plan_info{name="v2",source="state"} 1');
      expect(body).toContain('chain_upgrade_plan_height{name="v2"} 13');
      expect(body).toContain("chain_upgrade_block_height 3");
      expect(body).toContain(`chain_upgrade_disk_free_bytes{file="chain.mdb"} 12345678901`);
      expect(body).toMatch(/chain_upgrade_binary_ready\{name="v2",os_arch="[a-z0-9]+\/[a-z0-9]+"\} 0/);
      expect(body).toContain(
        'chain_upgrade_requests_total{server="rest",method="/chain/upgrade/v1beta1/current_plan",status="0"} 1',
      );
      // Blocks are five seconds apart: ten more after height 3 at 2026-01-01T00:00:10Z.
      expect(body).toContain('chain_upgrade_handler_state{name="v2",state="absent"} 1');
      expect(body).toContain('chain_upgrade_handler_state{name="v2",state="ready"} 0');
      const estimate = Date.parse("2026-01-01T00:01:00Z") / 1_000;
      expect(body).toContain(`chain_upgrade_estimated_timestamp_seconds{name="v2"} ${estimate}`);
    }));

  test("metrics of a chain whose genesis is older than its first blocks → that gap does not count", () =>
    useTestNode(
      async (node) => {
        node.schedule("v2", 13n);
        const { body } = await get(node, "/metrics");
        const last = Number(/^chain_upgrade_block_time_seconds (\d+)$/m.exec(body)?.[1]);
        expect(last).toBe(Date.parse("2026-01-02T00:00:05Z") / 1_000);
        expect(body).toContain(`chain_upgrade_estimated_timestamp_seconds{name="v2"} ${last + 10 * 5}`);
      },
      { blocks: 2, clock: afterGap(86_400n) },
    ));

  test("metrics while there are too few blocks for it → no estimate at all", () =>
    useTestNode(
      async (node) => {
        node.schedule("v2", 13n);
        const { body } = await get(node, "/metrics");
        expect(body).toContain('chain_upgrade_plan_height{name="v2"} 13');
        expect(body).not.toContain("chain_upgrade_estimated_timestamp_seconds{");
      },
      { blocks: 1 },
    ));

  test("CORS → off by default; on, any origin may read", () =>
    useTestNode(
      async (node) => {
        const answer = await get(node, `${BASES[0]}/current_plan`, { headers: { origin: "http://example.org" } });
        expect(answer.headers.get(CORS)).toBe("*");
      },
      { cors: true },
    ));

  test("/openapi.json → every route of the node, and only those", () =>
    useTestNode(async (node) => {
      const document = JSON.parse((await get(node, "/openapi.json")).body);
      expect(document.openapi).toBe("3.1.0");
      const paths = Object.keys(document.paths);
      expect(paths).toContain("/chain/upgrade/v1beta1/applied_plan/{name}");
      expect(paths.length).toBeGreaterThan(40);
      const text = JSON.stringify(document);
      for (const [, name] of text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
        expect(document.components.schemas[name as string], name).toBeDefined();
      }
      const ids = Object.values(document.paths as Record<string, Record<string, { operationId: string }>>).flatMap(
        (operations) => Object.values(operations).map(({ operationId }) => operationId),
      );
      expect(new Set(ids).size).toBe(ids.length);
    }));
});
