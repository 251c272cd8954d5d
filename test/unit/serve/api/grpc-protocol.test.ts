/** gRPC as it goes over the wire: what a client may send wrong, and what it hears then. */
import { describe, expect, test } from "vitest";
import {
  FrameReader,
  frameOf,
  isGrpc,
  STATUS,
  statusMessage,
  timeoutMillis,
} from "../../../../host/serve/api/grpc/wire.js";
import { UnreadBytes } from "../../../../host/serve/limits/unread.js";
import { CURRENT_PLAN, frame, READ_PLAN, withHttp2 } from "./http2-client.js";
import { useTestNode } from "./test-node.js";

const EMPTY = frame();

describe("calls over HTTP/2", () => {
  test("a good one → headers, one frame, trailers; the height goes in and comes back", () =>
    useTestNode(async (node) => {
      await withHttp2(node, async (client) => {
        const last = await client.call(CURRENT_PLAN, EMPTY);
        expect(last.headers).toMatchObject({
          ":status": 200,
          "content-type": "application/grpc",
          "x-cosmos-block-height": "2",
        });
        expect([last.trailers["grpc-status"], last.body.length >= 5]).toEqual(["0", true]);
        const first = await client.call(CURRENT_PLAN, EMPTY, { "x-cosmos-block-height": "1" });
        expect(first.headers["x-cosmos-block-height"]).toBe("1");
      });
    }));

  test.each([
    ["an unknown method", "/a.B/C", EMPTY, {}, STATUS.unimplemented],
    ["grpc-encoding gzip", CURRENT_PLAN, EMPTY, { "grpc-encoding": "gzip" }, STATUS.unimplemented],
    ["a compressed message without grpc-encoding", CURRENT_PLAN, Buffer.from([1, 0, 0, 0, 0]), {}, STATUS.internal],
    ["a second message", CURRENT_PLAN, Buffer.concat([EMPTY, EMPTY]), {}, STATUS.unimplemented],
    ["no message", CURRENT_PLAN, Buffer.alloc(0), {}, STATUS.unimplemented],
    ["a part of a frame's head", CURRENT_PLAN, EMPTY.subarray(0, 4), {}, STATUS.internal],
    ["a part of a message", CURRENT_PLAN, frame(Buffer.alloc(8)).subarray(0, 9), {}, STATUS.internal],
    ["a message that is no protobuf", READ_PLAN, frame(Buffer.from([0xff, 0xff])), {}, STATUS.internal],
    ["a malformed grpc-timeout", CURRENT_PLAN, EMPTY, { "grpc-timeout": "5x" }, STATUS.internal],
    ["a length over the bound", CURRENT_PLAN, Buffer.from([0, 0xff, 0xff, 0xff, 0xff]), {}, 8],
    ["a height that is none", CURRENT_PLAN, EMPTY, { "x-cosmos-block-height": "x" }, 3],
  ])("%s → trailers alone, with its status; the connection serves on", (_, path, body, headers, status) =>
    useTestNode(async (node) => {
      await withHttp2(node, async (client) => {
        const answer = await client.call(path, body, headers);
        expect(answer.headers).toMatchObject({ ":status": 200, "grpc-status": String(status) });
        expect(answer.headers["grpc-accept-encoding"]).toBe("identity");
        expect([answer.body.length, answer.trailers]).toEqual([0, {}]);
        expect((await client.call(CURRENT_PLAN, EMPTY)).trailers["grpc-status"]).toBe("0");
      });
      expect(node.bugs).toEqual([]);
    }),
  );

  test("another content type → 415; another method → 405", () =>
    useTestNode(async (node) => {
      await withHttp2(node, async (client) => {
        for (const type of ["application/json", "application/grpc-web", "application/grpcx"]) {
          const answer = await client.call(CURRENT_PLAN, EMPTY, { "content-type": type });
          expect(answer.headers[":status"]).toBe(415);
        }
        const get = await client.call(CURRENT_PLAN, Buffer.alloc(0), { ":method": "GET" });
        expect(get.headers[":status"]).toBe(405);
      });
    }));

  test("a message of exactly the bound → taken; of one more → RESOURCE_EXHAUSTED", () =>
    useTestNode(
      async (node) => {
        await withHttp2(node, async (client) => {
          const send = async (bytes: number) => {
            // An unknown field of so many bytes in all.
            const message = Buffer.concat([Buffer.from([0xfa, 0x01, bytes - 3]), Buffer.alloc(bytes - 3)]);
            const { headers, trailers } = await client.call(CURRENT_PLAN, frame(message));
            return trailers["grpc-status"] ?? headers["grpc-status"];
          };
          expect([await send(100), await send(101)]).toEqual(["0", "8"]);
        });
      },
      { limits: { bodyBytes: 100 } },
    ));

  test("a text beyond ASCII in an error → percent-encoded in grpc-message", () =>
    useTestNode(async (node) => {
      await withHttp2(node, async (client) => {
        const { headers } = await client.call("/a.B/100%25é", EMPTY);
        expect(decodeURIComponent(String(headers["grpc-message"]))).toContain("/a.B/100%25");
      });
      expect(statusMessage("50% é\n")).toBe("50%25 %C3%A9%0A");
      expect(statusMessage("plain ~ text")).toBe("plain ~ text");
    }));

  test("a deadline that passes before the request is whole → DEADLINE_EXCEEDED", () =>
    useTestNode(async (node) => {
      await withHttp2(node, async (client) => {
        const answer = await client.call(CURRENT_PLAN, undefined, { "grpc-timeout": "20m" });
        expect(answer.headers["grpc-status"]).toBe("4");
      });
    }));

  test("two messages in a stream of questions, in frames that are cut anywhere → two answers", () =>
    useTestNode(async (node) => {
      // list_services = 7, one byte.
      const ask = frame(Buffer.from([0x3a, 0x01, 0x2a]));
      for (const cut of [1, 5, 7, 8, 12]) {
        await withHttp2(node, async (client) => {
          const both = Buffer.concat([ask, ask]);
          const path = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
          const { body, trailers } = await client.call(path, [both.subarray(0, cut), both.subarray(cut)]);
          expect(new FrameReader(10_000_000).take(body).length).toBe(2);
          expect(trailers["grpc-status"]).toBe("0");
        });
      }
    }));
});

describe("the frames themselves", () => {
  test("FrameReader with bytes one by one, or all at once → the same messages, and nothing left", () => {
    const messages = [0, 1, 255, 300, 70_000].map((length, at) => Buffer.alloc(length, at + 1));
    const bytes = Buffer.concat(messages.map((each) => frameOf(each)));
    const one = new FrameReader(100_000);
    const singly = [...bytes].flatMap((byte) => one.take(Buffer.of(byte)).map((each) => Buffer.from(each)));
    expect(singly).toEqual(messages);
    expect(new FrameReader(100_000).take(bytes)).toEqual(messages);
    expect(one.partBytes).toBe(0);
  });

  test("timeoutMillis() of every unit; isGrpc() of what clients send", () => {
    const units = ["1H", "2M", "3S", "4m", "5000u", "6000000n"].map(timeoutMillis);
    expect(units).toEqual([3_600_000, 120_000, 3_000, 4, 5, 6]);
    expect(timeoutMillis("99999999H")).toBe(2_147_483_647);
    expect(timeoutMillis(undefined)).toBeUndefined();
    for (const bad of ["", "1", "S", "-1S", "1.5S", "123456789S"]) expect(() => timeoutMillis(bad)).toThrow();
    const types = [
      "application/grpc",
      "application/grpc+proto",
      "application/grpc; charset=utf-8",
      "application/grpc+json",
    ];
    expect(types.map(isGrpc)).toEqual([true, true, true, false]);
  });

  test("UnreadBytes.put() that nobody releases in time → dropped; released twice → given back once", async () => {
    const unread = new UnreadBytes({ unreadBytes: 10, answerMillis: 20 });
    const dropped = new Promise<void>((resolve) => unread.put({ destroy: resolve }, 4));
    const kept = { destroy: () => undefined };
    expect(unread.put(kept, 6)).toBe(true);
    unread.release(kept);
    unread.release(kept);
    expect(unread.bytes).toBe(4);
    await dropped;
  });
});
