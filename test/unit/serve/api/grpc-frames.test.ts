/** Frames of HTTP/2 that are no calls: PINGs without pause, and heads that announce more than was agreed. */
import { once } from "node:events";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { EMPTY, gone, isGood, rawSocket, statusOf } from "./grpc-sockets.js";
import { CURRENT_PLAN, frame, REFLECT, withHttp2 } from "./http2-client.js";
import { type TestNode, useTestNode } from "./test-node.js";

/** Asks for the files of a service. */
const QUESTION = frame(Buffer.from("\x22\x19cosmos.tx.v1beta1.Service"));
const GOAWAY = 7;
const FRAME_SIZE_ERROR = 6;

/** The error code of the first GOAWAY among these frames. */
function goawayCode(bytes: Buffer): number | undefined {
  for (let at = 0; at + 9 <= bytes.length; at += 9 + bytes.readUIntBE(at, 3)) {
    if (bytes[at + 3] === GOAWAY) return bytes.readUInt32BE(at + 13);
  }
  return undefined;
}

/** A connection that has said what HTTP/2 begins with. */
async function greeted(node: TestNode): Promise<Socket> {
  const socket = await rawSocket(node);
  socket.write(Buffer.concat([Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), http2Frame(4, 0, 0)]));
  return socket;
}

function http2Frame(type: number, flags: number, stream: number, payload = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

describe("PING", () => {
  const ping = http2Frame(6, 0, 0, Buffer.alloc(8));

  test("without pause, the pongs not read → that connection is ended, others are served meanwhile", () =>
    useTestNode(async (node) => {
      const socket = await greeted(node);
      const ended = gone(socket);
      let isGone = false;
      void ended.then(() => {
        isGone = true;
      });
      socket.pause();
      const many = Buffer.concat(Array.from({ length: 4_000 }, () => ping));
      for (let at = 0; at < 200 && !isGone && !socket.destroyed; at++) {
        socket.write(many);
        if (at % 10 === 0) await isGood(node);
        await sleep(0);
      }
      socket.resume();
      await ended;
      await isGood(node);
      expect(node.bugs).toEqual([]);
    }));

  test("without pause, the pongs read → others are served meanwhile, and so is that connection's client", () =>
    useTestNode(async (node) => {
      await withHttp2(node, async (client) => {
        let isFlooding = true;
        const flood = (async () => {
          while (isFlooding && !client.session.destroyed) {
            // Server and clients share this process: without a pause nobody else has a turn.
            for (let ping = 0; ping < 8; ping++) client.session.ping(() => undefined);
            await sleep(1);
          }
        })();
        for (let at = 0; at < 10; at++) await isGood(node);
        expect(await statusOf(client, CURRENT_PLAN, EMPTY)).toBe("0");
        isFlooding = false;
        await flood;
      });
      expect(node.bugs).toEqual([]);
    }));

  test("every 20 ms for longer than idle connections live, as keepalive → goodbye all the same; with a stream it stays", () =>
    useTestNode(
      async (node) => {
        await withHttp2(node, async (client) => {
          const goaway = once(client.session, "goaway");
          const beat = setInterval(() => client.session.destroyed || client.session.ping(() => undefined), 20);
          await goaway;
          clearInterval(beat);
        });
        await withHttp2(node, async (client) => {
          const stream = client.open(REFLECT);
          stream.write(QUESTION);
          for (let at = 0; at < 10; at++) {
            await sleep(20);
            client.session.ping(() => undefined);
            expect(await statusOf(client, CURRENT_PLAN, EMPTY)).toBe("0");
          }
          stream.close();
        });
      },
      { limits: { idleMillis: 150 } },
    ));
});

describe("a head beyond what was agreed", () => {
  for (const [what, type] of [
    ["DATA", 0],
    ["HEADERS", 1],
    ["SETTINGS", 4],
    ["PING", 6],
  ] as const) {
    test(`a ${what} frame of 16 MiB → GOAWAY with FRAME_SIZE_ERROR, that connection is ended, others are served`, () =>
      useTestNode(
        async (node) => {
          const socket = await greeted(node);
          const heard: Buffer[] = [];
          socket.on("data", (bytes) => heard.push(bytes));
          socket.write(Buffer.from([0xff, 0xff, 0xff, type, 0, 0, 0, 0, 1]));
          await gone(socket);
          expect(goawayCode(Buffer.concat(heard))).toBe(FRAME_SIZE_ERROR);
          await isGood(node);
        },
        { limits: { headerMillis: 100 } },
      ));
  }
});
