/** Answers that servers keep for their height: never beyond it, never those of another request, never too many. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  KEPT_ANSWER_BYTES_MAX,
  KEPT_REQUEST_BYTES_MAX,
  KeptAnswers,
} from "../../../../host/serve/query/response-cache.js";
import { CURRENT_PLAN, frame, type Http2Client, READ_PLAN, withHttp2 } from "./http2-client.js";
import { SIGNER, type TestNode, useTestNode } from "./test-node.js";

const HEIGHT = "x-cosmos-block-height";

/** Message `{1: text}`. */
const named = (text: string) => frame(Buffer.from([0x0a, text.length, ...Buffer.from(text)]));

async function answer(client: Http2Client, path: string, body: Buffer, headers = {}) {
  const { headers: head, body: bytes, trailers } = await client.call(path, body, headers);
  return { height: head[HEIGHT], bytes: bytes.toString("hex"), status: trailers["grpc-status"] ?? head["grpc-status"] };
}

async function getJson(node: TestNode, path: string, headers = {}) {
  const response = await fetch(`${node.rest}${path}`, { headers });
  return { status: response.status, height: response.headers.get(HEIGHT), json: await response.json() };
}

describe("KeptAnswers", () => {
  test("get() at another height → nothing, now and when the first height is asked for again", () => {
    const kept = new KeptAnswers<string>();
    expect(kept.get(5n, "a")).toBeUndefined();
    kept.put(5n, "a", "of 5", 10);
    expect(kept.get(5n, "a")).toBe("of 5");
    expect(kept.get(5n, "b")).toBeUndefined();
    expect(kept.get(6n, "a")).toBeUndefined();
    expect([kept.get(5n, "a"), kept.bytes]).toEqual([undefined, 0]);
  });

  test("put() of a height that is over, or that nobody asked at yet → not kept", () => {
    const kept = new KeptAnswers<string>();
    kept.get(6n, "a");
    kept.put(5n, "a", "of 5", 10);
    kept.put(7n, "a", "of 7", 10);
    expect([kept.get(6n, "a"), kept.bytes]).toEqual([undefined, 0]);
  });

  test("put() of an answer or a request at the limit → kept; one byte more → not", () => {
    const kept = new KeptAnswers<string>();
    kept.get(1n, "");
    kept.put(1n, "large", "x", KEPT_ANSWER_BYTES_MAX);
    kept.put(1n, "larger", "x", KEPT_ANSWER_BYTES_MAX + 1);
    kept.put(1n, "k".repeat(KEPT_REQUEST_BYTES_MAX), "x", 1);
    kept.put(1n, "k".repeat(KEPT_REQUEST_BYTES_MAX + 1), "x", 1);
    expect(kept.get(1n, "large")).toBe("x");
    expect(kept.get(1n, "larger")).toBeUndefined();
    expect(kept.get(1n, "k".repeat(KEPT_REQUEST_BYTES_MAX))).toBe("x");
    expect(kept.get(1n, "k".repeat(KEPT_REQUEST_BYTES_MAX + 1))).toBeUndefined();
  });

  test("any puts and heights → never more bytes than the bound, and never a value of another height or request", () => {
    const step = fc.record({
      height: fc.bigInt({ min: 1n, max: 4n }),
      request: fc.constantFrom("a", "b", "c", "d", "e"),
      bytes: fc.integer({ min: 0, max: 900 }),
      isPut: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const kept = new KeptAnswers<string>(2_000);
        for (const { height, request, bytes, isPut } of steps) {
          if (isPut) kept.put(height, request, `${height} ${request}`, bytes);
          else expect([undefined, `${height} ${request}`]).toContain(kept.get(height, request));
          expect(kept.bytes).toBeLessThanOrEqual(2_000);
        }
      }),
    );
  });
});

describe("methods", () => {
  test("of state → kept, but for the progress of a running upgrade; of the node, its blocks and mempool → none", () =>
    useTestNode(async ({ query }) => {
      const methods = query.services.flatMap(({ methods: all }) => all);
      const live = methods.filter(({ isKept, isOfState }) => isOfState && !isKept);
      expect(live.map(({ path }) => path)).toEqual(["/chain.upgrade.v1beta1.Query/Progress"]);
      expect(methods.filter(({ isKept, isOfState }) => isKept && !isOfState)).toEqual([]);
    }));
});

describe("gRPC", () => {
  test("the same request before and after a block → the answer of each height, also by the height's name", () =>
    useTestNode(async (node) => {
      await withHttp2(node, async (client) => {
        const before = await answer(client, CURRENT_PLAN, frame());
        expect(before).toEqual({ height: "2", bytes: "0000000000", status: "0" });
        expect(await answer(client, CURRENT_PLAN, frame())).toEqual(before);
        node.schedule("v2", 9n);
        const after = await answer(client, CURRENT_PLAN, frame());
        expect(after).toMatchObject({ height: "3", status: "0" });
        expect(after.bytes).toContain(Buffer.from("v2").toString("hex"));
        expect(await answer(client, CURRENT_PLAN, frame())).toEqual(after);
        expect(await answer(client, CURRENT_PLAN, frame(), { [HEIGHT]: "3" })).toEqual(after);
        expect(await answer(client, CURRENT_PLAN, frame(), { [HEIGHT]: "2" })).toEqual(before);
        expect(await answer(client, CURRENT_PLAN, frame(), { [HEIGHT]: "0" })).toEqual(after);
      });
    }));

  test("two requests of one method, and one request of two methods → each its own answer", () =>
    useTestNode(async (node) => {
      node.schedule("v2", 9n);
      await withHttp2(node, async (client) => {
        const versions = "/cosmos.upgrade.v1beta1.Query/ModuleVersions";
        const first: unknown[] = [];
        const ask = async () => [
          await answer(client, versions, named("bank")),
          await answer(client, versions, named("gov")),
          await answer(client, READ_PLAN, named("bank")),
          await answer(client, versions, frame()),
        ];
        first.push(...(await ask()));
        expect(new Set(first.map((each) => JSON.stringify(each))).size).toBe(4);
        expect(await ask()).toEqual(first);
      });
    }));

  test("what is not found, or no request at all → the error each time; the method serves on", () =>
    useTestNode(async (node) => {
      await withHttp2(node, async (client) => {
        const versions = "/cosmos.upgrade.v1beta1.Query/ModuleVersions";
        for (let time = 0; time < 2; time++) {
          expect((await answer(client, versions, named("nope"))).status).toBe("5");
          expect((await answer(client, CURRENT_PLAN, frame(Buffer.from([0xff])))).status).toBe("13");
          expect((await answer(client, CURRENT_PLAN, frame(), { [HEIGHT]: "x" })).status).toBe("3");
          expect((await answer(client, CURRENT_PLAN, frame())).status).toBe("0");
        }
        expect(node.bugs).toEqual([]);
      });
    }));
});

describe("REST", () => {
  test("the same address before and after a block → the answer of each height, and what is counted is its route", () =>
    useTestNode(async (node) => {
      const path = "/cosmos/upgrade/v1beta1/current_plan";
      const before = await getJson(node, path);
      expect(before).toEqual({ status: 200, height: "2", json: { plan: null } });
      expect(await getJson(node, path)).toEqual(before);
      node.schedule("v2", 9n);
      const after = await getJson(node, path);
      expect(after).toMatchObject({ height: "3", json: { plan: { name: "v2" } } });
      expect(await getJson(node, path)).toEqual(after);
      expect(await getJson(node, path, { [HEIGHT]: "2" })).toEqual(before);
      expect(await getJson(node, path, { [`grpc-metadata-${HEIGHT}`]: "2" })).toEqual(before);
      const metrics = await (await fetch(`${node.rest}/metrics`)).text();
      expect(metrics).toContain(`chain_upgrade_requests_total{server="rest",method="${path}",status="0"} 6`);
    }));

  test("two queries of one path, an error, and answers about the node → each its own, and nothing old", () =>
    useTestNode(async (node) => {
      const path = `/cosmos/bank/v1beta1/balances/${SIGNER}/by_denom?denom=`;
      for (let time = 0; time < 2; time++) {
        expect((await getJson(node, `${path}ustake`)).json).toEqual({
          balance: { denom: "ustake", amount: expect.stringMatching(/^[1-9]/) },
        });
        expect((await getJson(node, `${path}other`)).json).toEqual({ balance: { denom: "other", amount: "0" } });
        expect((await getJson(node, "/cosmos/gov/v1/proposals/77")).status).toBe(404);
        const { height } = await getJson(node, "/cosmos/base/tendermint/v1beta1/blocks/latest");
        expect(height).toBe(String(2 + time));
        node.makeBlocks(1);
      }
    }));
});

describe("RPC", () => {
  test("status before and after a block → the last block of its time, under the caller's id", () =>
    useTestNode(async (node) => {
      for (const height of ["2", "2", "3"]) {
        if (height === "3") node.makeBlocks(1);
        const body = JSON.stringify({ jsonrpc: "2.0", id: `of ${height}`, method: "status", params: {} });
        const response = await fetch(node.rpc, { method: "POST", body });
        const answered = (await response.json()) as { id: string; result: { sync_info: object } };
        expect(answered.id).toBe(`of ${height}`);
        expect(answered.result.sync_info).toMatchObject({ latest_block_height: height, earliest_block_height: "1" });
      }
    }));
});
