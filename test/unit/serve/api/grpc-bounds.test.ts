/** What one client, and all of them together, may cost gRPC: connections, streams, bytes and time. */
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { STREAMS_MAX } from "../../../../host/serve/api/grpc/connections.js";
import { EMPTY, gone, isGood, rawSocket, statusOf } from "./grpc-sockets.js";
import { CURRENT_PLAN, frame, Http2Client, REFLECT, withHttp2 } from "./http2-client.js";
import { fundedGenesis, useTestNode } from "./test-node.js";

describe("connections", () => {
  test("that say nothing, speak HTTP/1, or stop in the middle of HTTP/2's greeting → closed, and others are served", () =>
    useTestNode(
      async (node) => {
        for (const greeting of ["", "GET / HTTP/1.1\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "PRI * HT"]) {
          const socket = await rawSocket(node);
          socket.resume();
          if (greeting !== "") socket.write(greeting);
          await gone(socket);
          await isGood(node);
        }
      },
      { limits: { headerMillis: 100 } },
    ));

  test("without a call for too long → GOAWAY, and closed although the client keeps its side open", () =>
    useTestNode(
      async (node) => {
        await withHttp2(node, async (client) => {
          const goaway = once(client.session, "goaway");
          expect(await statusOf(client, CURRENT_PLAN, EMPTY)).toBe("0");
          await goaway;
        });
        const socket = await rawSocket(node);
        // The greeting and empty settings: it speaks. It never ends its side.
        const settings = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]);
        socket.write(Buffer.concat([Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), settings]));
        socket.resume();
        await once(socket, "end");
        // There is room for one connection: the next one is served when this one is gone for the server.
        for (let code: unknown; code !== "0"; ) {
          await withHttp2(node, async (client) => {
            code = await statusOf(client, CURRENT_PLAN, EMPTY);
          });
        }
        socket.destroy();
      },
      { limits: { idleMillis: 100, connections: 1 } },
    ));

  test("more than there may be → closed at once; those before are served", () =>
    useTestNode(
      async (node) => {
        await withHttp2(node, async (client) => {
          expect(await statusOf(client, CURRENT_PLAN, EMPTY)).toBe("0");
          const second = await rawSocket(node);
          second.resume();
          await gone(second);
          expect(await statusOf(client, CURRENT_PLAN, EMPTY)).toBe("0");
        });
      },
      { limits: { connections: 1 } },
    ));

  test("close() with silent, half-open and idle ones, a stream of questions and a request that stalls → done at once", async () => {
    const clients: Http2Client[] = [];
    let begun = 0;
    const statuses: Promise<unknown>[] = [];
    let goaway: Promise<unknown> = Promise.resolve();
    await useTestNode(async (node) => {
      await rawSocket(node);
      const client = new Http2Client(node.grpc);
      clients.push(client);
      expect(await statusOf(client, CURRENT_PLAN, EMPTY)).toBe("0");
      goaway = once(client.session, "goaway");
      statuses.push(statusOf(client, CURRENT_PLAN, undefined), statusOf(client, REFLECT, undefined));
      await sleep(50);
      begun = performance.now();
    });
    // The test node gives its servers a second; they do not need it.
    expect(await Promise.all(statuses)).toEqual(["14", "14"]);
    await goaway;
    expect(performance.now() - begun).toBeLessThan(2_000);
    for (const client of clients) client.close();
  });
});

describe("a head that announces much", () => {
  const announced = (bytes: number): Buffer => {
    const head = Buffer.alloc(5);
    head.writeUInt32BE(bytes, 1);
    return head;
  };

  test("64 MiB, then silence → refused at once, on a thousand streams, and nothing is kept", () =>
    useTestNode(async (node) => {
      await withHttp2(node, async (client) => {
        const before = process.memoryUsage().rss;
        const codes = await Promise.all(
          Array.from({ length: 1_000 }, async () => {
            const stream = client.open(CURRENT_PLAN);
            stream.write(announced(64 * 1_048_576));
            const [headers] = await once(stream, "response");
            return headers["grpc-status"];
          }),
        );
        expect(new Set(codes)).toEqual(new Set(["8"]));
        // 64 GB were announced.
        expect(process.memoryUsage().rss - before).toBeLessThan(256 * 1_048_576);
      });
      await isGood(node);
    }));

  test("as much as a request may have, then silence → no room is taken for it; ended when its time is over", () =>
    useTestNode(
      async (node) => {
        await withHttp2(node, async (client) => {
          const before = process.memoryUsage().rss;
          const codes = Array.from({ length: 500 }, async () => {
            const stream = client.open(CURRENT_PLAN);
            stream.write(announced(1_048_576));
            const [headers] = await once(stream, "response");
            return headers["grpc-status"];
          });
          await isGood(node);
          expect(new Set(await Promise.all(codes))).toEqual(new Set(["4"]));
          expect(process.memoryUsage().rss - before).toBeLessThan(256 * 1_048_576);
        });
        await isGood(node);
      },
      { limits: { requestMillis: 1_000 } },
    ));
});

describe("requests", () => {
  test("that never arrive, or byte by byte for too long → DEADLINE_EXCEEDED without a deadline of the client's", () =>
    useTestNode(
      async (node) => {
        await withHttp2(node, async (client) => {
          const never = statusOf(client, CURRENT_PLAN, undefined);
          const stream = client.open(CURRENT_PLAN);
          stream.write(Buffer.from([0, 0, 1]));
          const trickle = setInterval(() => stream.closed || stream.write(Buffer.of(0)), 10);
          const [headers] = await once(stream, "response");
          clearInterval(trickle);
          expect([await never, headers["grpc-status"]]).toEqual(["4", "4"]);
          expect(await statusOf(client, CURRENT_PLAN, EMPTY)).toBe("0");
        });
      },
      { limits: { headerMillis: 200, requestMillis: 200 } },
    ));

  test("without end on many streams → refused when they are too many, and calls are taken again after them", () =>
    useTestNode(
      async (node) => {
        await withHttp2(node, async (client) => {
          // Two at once may be served, so eight may be open.
          const open = Array.from({ length: 8 }, () => client.open(CURRENT_PLAN));
          await sleep(50);
          expect(await statusOf(client, CURRENT_PLAN, EMPTY)).toBe("14");
          open[0]?.close();
          await sleep(50);
          expect(await statusOf(client, CURRENT_PLAN, EMPTY)).toBe("0");
        });
      },
      { limits: { concurrency: 2 } },
    ));

  test("one more stream than the settings allow → waits for another one to end", () =>
    useTestNode(async (node) => {
      await withHttp2(node, async (client) => {
        const [settings] = await once(client.session, "remoteSettings");
        expect(settings.maxConcurrentStreams).toBe(STREAMS_MAX);
        const open = Array.from({ length: STREAMS_MAX }, () => client.open(REFLECT));
        let isAnswered = false;
        const more = statusOf(client, CURRENT_PLAN, EMPTY).then((code) => {
          isAnswered = true;
          return code;
        });
        await isGood(node);
        expect(isAnswered).toBe(false);
        for (const each of open.slice(0, 10)) each.close();
        expect(await more).toBe("0");
      });
    }));

  test("opened and reset without pause → that connection is ended, others are served", () =>
    useTestNode(async (node) => {
      const client = new Http2Client(node.grpc);
      let isGone = false;
      client.session.once("close", () => {
        isGone = true;
      });
      for (let at = 0; at < 100_000 && !isGone; at++) {
        if (client.session.destroyed || client.session.closed) break;
        client.open(CURRENT_PLAN).close(8);
        if (at % 100 === 0) await sleep(0);
      }
      expect(client.session.destroyed || client.session.closed).toBe(true);
      client.close();
      await isGood(node);
      expect(node.bugs).toEqual([]);
    }));
});

/** Lists the files of a service: some 10 kB each. */
const QUESTION = frame(
  Buffer.concat([Buffer.from([0x22, 27]), Buffer.from("cosmos.tx.v1beta1.Service  ").subarray(0, 27)]),
);

describe("answers", () => {
  test("that a client does not read → no more is kept than the budget, dropped in time, and then there is room again", () =>
    useTestNode(
      async (node) => {
        const client = new Http2Client(node.grpc, { initialWindowSize: 0 });
        const closed: Promise<unknown>[] = [];
        for (let at = 0; at < 100; at++) {
          const stream = client.open("/grpc.health.v1.Health/Check");
          stream.end(EMPTY);
          closed.push(once(stream, "close"));
        }
        await sleep(100);
        await withHttp2(node, async (other) => {
          expect(await statusOf(other, "/grpc.health.v1.Health/Check", EMPTY)).toBe("14");
          await Promise.all(closed);
          expect(await statusOf(other, "/grpc.health.v1.Health/Check", EMPTY)).toBe("0");
        });
        client.close();
      },
      // An answer has seven bytes, so there is room for fourteen.
      { limits: { unreadBytes: 100, answerMillis: 400 } },
    ));

  test("to thousands of questions on one stream, all read → no budget is used up by what was taken", () =>
    useTestNode(
      async (node) => {
        await withHttp2(node, async (client) => {
          const stream = client.open(REFLECT);
          let bytes = 0;
          stream.on("data", (chunk: Buffer) => {
            bytes += chunk.length;
          });
          for (let at = 0; at < 200; at++) {
            const before = bytes;
            stream.write(QUESTION);
            while (bytes === before && !stream.closed) await sleep(1);
          }
          stream.end();
          const [trailers] = await once(stream, "trailers");
          expect([trailers["grpc-status"], bytes > 10_000]).toEqual(["0", true]);
        });
      },
      { limits: { unreadBytes: 5_000 }, genesis: fundedGenesis() },
    ));
});
