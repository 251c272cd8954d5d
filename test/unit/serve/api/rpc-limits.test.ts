/** What one request, one client and all of them together may cost the RPC. */
import { EventEmitter, once } from "node:events";
import { connect } from "node:net";
import { describe, expect, test, vi } from "vitest";
import { WebSocket } from "ws";
import { UnreadBytes } from "../../../../host/serve/limits/unread.js";
import { call, largeGenesis, post } from "./rpc-client.js";
import { type TestNode, useTestNode } from "./test-node.js";

const open = (node: TestNode, options = {}) => {
  const socket = new WebSocket(`${node.rpc.replace("http", "ws")}/websocket`, options);
  return new Promise<WebSocket>((resolve, reject) => {
    socket.once("open", () => resolve(socket));
    socket.once("error", reject);
  });
};

const heard = (socket: WebSocket) =>
  // biome-ignore lint/suspicious/noExplicitAny: answers are JSON of many shapes.
  new Promise<any>((resolve) => socket.once("message", (data) => resolve(JSON.parse(String(data)))));

describe("batches", () => {
  test("of ten → served; of eleven → refused in CometBFT's words", () =>
    useTestNode(async (node) => {
      const ten = Array.from({ length: 10 }, (_, id) => call("health", {}, id));
      expect(await post(node, ten)).toEqual(ten.map(({ id }) => ({ jsonrpc: "2.0", id, result: {} })));
      expect(await post(node, [...ten, call("health")])).toMatchObject({
        error: { code: -32_600, data: "batch request exceeds maximum (10)" },
      });
    }));

  test("whose answers are larger than a batch may be → the calls beyond are refused by name, the others served", () =>
    useTestNode(
      async (node) => {
        const answers = await post(node, [call("genesis", {}, 1), call("genesis", {}, 2), call("health", {}, 3)]);
        expect(answers[0].result.genesis.chain_id).toBe("scenario-1");
        expect(answers[1]).toMatchObject({
          id: 2,
          error: { data: expect.stringContaining("UPG_INVALID_REQUEST_SIZE") },
        });
        expect(answers.length).toBe(3);
      },
      { limits: { batchBytes: 500_000 }, genesis: largeGenesis() },
    ));
});

test("a client that offers HTTP/2, as those of Java and curl do → its calls are served as without the offer, one after the other", () =>
  useTestNode(async (node) => {
    const { hostname, port } = new URL(node.rpc);
    const socket = connect(Number(port), hostname).setEncoding("utf8");
    let heard = "";
    socket.on("data", (text) => {
      heard += text;
    });
    for (let id = 1; id <= 3; id++) {
      const body = JSON.stringify(call("status", {}, id));
      const offer = ["Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAAQAAP__"];
      const length = `Content-Length: ${body.length}`;
      socket.write(["POST / HTTP/1.1", "Host: node", ...offer, length, "", body.slice(0, 9)].join("\r\n"));
      // The body comes in two parts.
      await new Promise((resolve) => setTimeout(resolve, 20));
      socket.write(body.slice(9));
      await vi.waitFor(() => expect(heard).toContain(`"id":${id},"result"`), 5_000);
    }
    expect(heard.match(/HTTP\/1.1 200 OK/g)).toHaveLength(3);
    socket.destroy();
  }));

describe("websockets", () => {
  test("refused ones whose clients do not hang up → their connections are ended, and the server closes", () =>
    useTestNode(async (node) => {
      const { hostname, port } = new URL(node.rpc);
      const lines = ["GET /none HTTP/1.1", "host: x", "connection: upgrade", "upgrade: websocket", "", ""];
      const sockets = await Promise.all(
        Array.from({ length: 3 }, async () => {
          const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
          socket.write(lines.join("\r\n"));
          socket.resume();
          await once(socket, "end");
          return socket;
        }),
      );
      expect(sockets).toHaveLength(3);
    }));

  test("Origin of another place → 403 unless it is named; of this machine, or none → 101", () =>
    useTestNode(
      async (node) => {
        await expect(open(node, { origin: "http://evil.example" })).rejects.toThrow("403");
        await expect(open(node, { origin: "http://localhost.evil.example" })).rejects.toThrow("403");
        for (const options of [{}, { origin: "https://good.example" }, { origin: "http://localhost:3000" }]) {
          (await open(node, options)).terminate();
        }
      },
      { origins: ["https://good.example"] },
    ));

  test("a sixth subscription, a subscriber too many → refused in CometBFT's words", () =>
    useTestNode(
      async (node) => {
        const [first, second] = [await open(node), await open(node)];
        const ask = async (socket: WebSocket, query: string) => {
          socket.send(JSON.stringify(call("subscribe", { query })));
          return await heard(socket);
        };
        for (let at = 0; at < 5; at++) expect((await ask(first, `a.b='${at}'`)).result).toEqual({});
        expect((await ask(first, "a.b='5'")).error.data).toContain("max_subscriptions_per_client 5 reached");
        expect((await ask(second, "a.b='5'")).error.data).toContain("max_subscription_clients 1 reached");
        first.terminate();
        second.terminate();
      },
      { limits: { subscriptionClients: 1 } },
    ));

  test("hundreds of calls of one client at once → another client's call is served before they are done", () =>
    useTestNode(async (node) => {
      const [many, one] = [await open(node), await open(node)];
      let served = 0;
      const all = new Promise<void>((resolve) => many.on("message", () => ++served === 900 && resolve()));
      for (let id = 0; id < 900; id++) many.send(JSON.stringify(call("health", {}, id)));
      one.send(JSON.stringify(call("health")));
      await heard(one);
      expect(served).toBeLessThan(300);
      await all;
      many.terminate();
      one.terminate();
    }));

  test("a client that sends pings and does not read the pongs → its connection is ended, and others are served", () =>
    useTestNode(async (node) => {
      const { hostname, port } = new URL(node.rpc);
      const socket = connect(Number(port), hostname);
      const key = Buffer.alloc(16).toString("base64");
      const head = ["Host: x", "Upgrade: websocket", "Connection: Upgrade", `Sec-WebSocket-Key: ${key}`];
      socket.write(`GET /websocket HTTP/1.1\r\n${[...head, "Sec-WebSocket-Version: 13"].join("\r\n")}\r\n\r\n`);
      await once(socket, "data");
      socket.pause();
      // Masked with zeros, 125 bytes of data; many more than the system's buffers hold.
      const ping = Buffer.concat([Buffer.from([0x89, 0x80 | 125, 0, 0, 0, 0]), Buffer.alloc(125)]);
      const pings = Buffer.concat(Array.from({ length: 8_192 }, () => ping));
      const ended = new Promise<void>((resolve) => {
        socket.once("error", () => resolve());
        socket.once("close", () => resolve());
      });
      const flood = async () => {
        for (let sent = 0; sent < 200 && !socket.destroyed; sent++) {
          if (!socket.write(pings)) await Promise.race([once(socket, "drain").catch(() => undefined), ended]);
        }
      };
      await Promise.race([ended, flood().then(() => Promise.reject(new Error("200 MB of pings were taken")))]);
      expect(await post(node, call("health"))).toMatchObject({ result: {} });
      socket.destroy();
    }));

  test("clients that ask and do not read → no more is kept for all of them than the budget, and others are served", () =>
    useTestNode(
      async (node) => {
        const sockets = await Promise.all(Array.from({ length: 20 }, () => open(node)));
        const many = JSON.stringify(call("genesis"));
        for (const socket of sockets) {
          socket.pause();
          for (let sent = 0; sent < 400; sent++) socket.send(many);
        }
        const before = process.memoryUsage().arrayBuffers;
        for (let looks = 0; looks < 20; looks++) {
          await new Promise((resolve) => setTimeout(resolve, 50));
          expect((await post(node, call("health"))).result).toEqual({});
          expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * 1_048_576);
        }
        for (const socket of sockets) socket.terminate();
      },
      { limits: { unreadBytes: 8_388_608, clientUnreadBytes: 1_048_576 }, genesis: largeGenesis() },
    ));
});

describe("UnreadBytes.hold()", () => {
  const carrierOf = (destroyed: boolean) => Object.assign(new EventEmitter(), { destroyed, destroy: () => undefined });

  test("of a carrier that is gone → false, and nothing is held: it would be for ever", () => {
    const unread = new UnreadBytes({ unreadBytes: 10, answerMillis: 1_000 });
    expect([unread.hold(carrierOf(true), 5), unread.bytes]).toEqual([false, 0]);
  });

  test("of one answer part after part → all counted, and all given back when the carrier closes", () => {
    const unread = new UnreadBytes({ unreadBytes: 10, answerMillis: 1_000 });
    const carrier = carrierOf(false);
    expect([unread.hold(carrier, 5), unread.hold(carrier, 4), unread.bytes]).toEqual([true, true, 9]);
    expect([unread.hold(carrier, 2), unread.bytes]).toEqual([false, 9]);
    carrier.emit("close");
    expect(unread.bytes).toBe(0);
  });
});

test("connections that end with requests in line → nothing is held for them, and others are served", () =>
  useTestNode(
    async (node) => {
      const { hostname, port } = new URL(node.rpc);
      for (let round = 0; round < 5; round++) {
        const sockets = Array.from({ length: 10 }, () => connect(Number(port), hostname));
        for (const socket of sockets) socket.pause().write("GET /genesis HTTP/1.1\r\nhost: x\r\n\r\n".repeat(10));
        await new Promise((resolve) => setTimeout(resolve, 50));
        for (const socket of sockets) socket.destroy();
      }
      await vi.waitFor(async () => expect((await post(node, call("genesis"))).result).toBeDefined(), 5_000);
    },
    { limits: { unreadBytes: 1_000_000 }, genesis: largeGenesis() },
  ));

test("UnreadBytes at its limit and one past it; what is given back can be taken again", () => {
  const unread = new UnreadBytes({ unreadBytes: 10, answerMillis: 1_000 });
  expect([unread.take(10), unread.take(1)]).toEqual([true, false]);
  unread.give(1);
  expect([unread.take(1), unread.bytes]).toEqual([true, 10]);
});
