/** Bytes of requests that wait for their response: one budget over REST, RPC, its websockets and gRPC. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import WebSocket from "ws";
import { ArrivingBytes } from "../../../../host/serve/limits/arriving.js";
import { CURRENT_PLAN, Http2Client } from "./http2-client.js";
import { IS_OF_COMET, type TestNode, useTestNode } from "./test-node.js";

/** There is room for two requests of the greatest size. */
const BODY_BYTES = 100_000;
const LIMITS = { limits: { bodyBytes: BODY_BYTES, arrivingBytes: 2 * BODY_BYTES } };
const BROADCAST = "/cosmos/tx/v1beta1/txs";

/** A request whose body does not come to its end: so many bytes of it do. */
async function unfinished(base: string, path: string, bytes: number, head = `content-length: ${bytes + 1}`) {
  const { hostname, port } = new URL(base);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => undefined);
  await once(socket, "connect");
  await sent(socket, `POST ${path} HTTP/1.1\r\nhost: x\r\n${head}\r\n\r\n`);
  await sent(socket, "x".repeat(bytes));
  return socket;
}

const sent = (socket: Socket, text: string) => new Promise<void>((resolve) => socket.write(text, () => resolve()));

/** Of a request that is whole and of the greatest size: 503 where there is no room for it, else 400 or 500. */
async function status(node: TestNode, endpoint: "rest" | "rpc"): Promise<number> {
  const path = endpoint === "rest" ? BROADCAST : "/";
  const response = await fetch(`${node[endpoint]}${path}`, { method: "POST", body: "x".repeat(BODY_BYTES) });
  const body = await response.text();
  expect(body.includes("take up all the room there is"), body).toBe(response.status === 503);
  return response.status;
}

async function until(node: TestNode, endpoint: "rest" | "rpc", wanted: number): Promise<void> {
  for (let code = 0; code !== wanted; ) {
    await sleep(10);
    code = await status(node, endpoint);
  }
}

test("ArrivingRoom.hold() → what it holds again is free, also where there is no room; more than there is → false, and it holds what it held", () => {
  const all = new ArrivingBytes({ arrivingBytes: 10, bodyBytes: 1 });
  const [one, two] = [all.room(), all.room()];
  expect([one.hold(6), two.hold(4)]).toEqual([true, true]);
  expect([one.hold(6), two.hold(4), two.hold(5)]).toEqual([true, true, false]);
  expect([one.hold(5), two.hold(5), one.hold(6)]).toEqual([true, true, false]);
  expect([one.hold(0), two.hold(10), two.hold(0), two.hold(0)]).toEqual([true, true, true, true]);
});

/** CometBFT's RPC has bounds of its own. */
const whereRpcIsOurs = test.skipIf(IS_OF_COMET);

whereRpcIsOurs.each([
  ["rest", BROADCAST],
  ["rpc", "/"],
] as const)(
  "%s: bodies that never end fill the budget → 503 at REST and RPC, GET is served; they leave → room again",
  (endpoint, path) =>
    useTestNode(async (node) => {
      const slow = [await unfinished(node[endpoint], path, 90_000), await unfinished(node[endpoint], path, 90_000)];
      await until(node, "rest", 503);
      await until(node, "rpc", 503);
      expect((await fetch(`${node.rest}/cosmos/bank/v1beta1/supply`)).status).toBe(200);
      expect((await fetch(`${node.rpc}/status`)).status).toBe(200);
      for (const socket of slow) socket.destroy();
      await until(node, "rest", 400);
      await until(node, "rpc", 500);
      expect(node.bugs).toEqual([]);
    }, LIMITS),
);

test("bodies one after the other, many times the budget → none of them is refused for those before", () =>
  useTestNode(async (node) => {
    for (let at = 0; at < 10; at++) {
      expect(await status(node, "rest")).toBe(400);
      expect(await status(node, "rpc")).toBe(500);
    }
  }, LIMITS));

test("a body that only announces its size → holds nothing", () =>
  useTestNode(async (node) => {
    const { hostname, port } = new URL(node.rest);
    for (let at = 0; at < 10; at++) {
      const socket = connect(Number(port), hostname);
      await sent(socket, `POST ${BROADCAST} HTTP/1.1\r\nhost: x\r\ncontent-length: ${BODY_BYTES}\r\n\r\n`);
    }
    expect(await status(node, "rest")).toBe(400);
  }, LIMITS));

test("a part of a gRPC message → counts like a body", () =>
  useTestNode(async (node) => {
    const client = new Http2Client(node.grpc);
    const head = Buffer.from([0, 0, 0x01, 0x86, 0xa0]);
    for (let at = 0; at < 2; at++) client.open(CURRENT_PLAN).write(Buffer.concat([head, Buffer.alloc(60_000)]));
    await until(node, "rest", 503);
    client.close();
    await until(node, "rest", 400);
  }, LIMITS));

test("a gRPC connection that breaks off in the middle of messages → the node goes on, and no bug is noted", () =>
  useTestNode(async (node) => {
    for (let at = 0; at < 20; at++) {
      const client = new Http2Client(node.grpc);
      for (let each = 0; each < 10; each++) {
        client.open(CURRENT_PLAN).write(Buffer.concat([Buffer.from([0, 0, 0, 4, 0]), Buffer.alloc(each * 20)]));
      }
      await sleep(at);
      client.close();
    }
    expect(await status(node, "rest")).toBe(400);
    expect(node.bugs).toEqual([]);
  }, LIMITS));

async function websocket(node: TestNode): Promise<WebSocket> {
  const socket = new WebSocket(`${node.rpc.replace("http", "ws")}/websocket`);
  socket.on("error", () => undefined);
  await once(socket, "open");
  return socket;
}

whereRpcIsOurs("websockets that send a message without its end → they count, the one beyond the budget is closed", () =>
  useTestNode(async (node) => {
    const parts = [await websocket(node), await websocket(node), await websocket(node)];
    const [first, second, third] = parts as [WebSocket, WebSocket, WebSocket];
    for (const socket of [first, second]) socket.send("x".repeat(90_000), { fin: false });
    await until(node, "rest", 503);
    third.send("x".repeat(90_000), { fin: false });
    await once(third, "close");
    expect([first.readyState, second.readyState]).toEqual([WebSocket.OPEN, WebSocket.OPEN]);
    first.terminate();
    second.terminate();
    await until(node, "rest", 400);
    expect(node.bugs).toEqual([]);
  }, LIMITS),
);

test("a websocket's calls, pings and pongs, many times the budget → none of it stays counted", () =>
  useTestNode(async (node) => {
    const socket = await websocket(node);
    const call = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "health", params: { x: "y".repeat(5_000) } });
    for (let at = 0; at < 100; at++) {
      socket.pong("p".repeat(125));
      socket.send(call);
      await once(socket, "message");
    }
    for (let at = 0; at < 3_000; at++) {
      socket.ping("p".repeat(125));
      await once(socket, "pong");
    }
    await until(node, "rest", 400);
    expect(socket.readyState).toBe(WebSocket.OPEN);
    socket.terminate();
  }, LIMITS));

whereRpcIsOurs(
  "a websocket whose calls come ahead of their responses, many times the budget → none is read early, all are served",
  () =>
    useTestNode(async (node) => {
      const socket = await websocket(node);
      const ids = new Set<unknown>();
      socket.on("message", (data) => ids.add((JSON.parse(String(data)) as { id: unknown }).id));
      const params = { x: "y".repeat(1_000) };
      for (let id = 0; id < 3_000; id++) socket.send(JSON.stringify({ jsonrpc: "2.0", id, method: "health", params }));
      while (ids.size < 3_000 && socket.readyState === WebSocket.OPEN) await sleep(10);
      expect([ids.size, socket.readyState]).toEqual([3_000, WebSocket.OPEN]);
      socket.terminate();
    }, LIMITS),
);

whereRpcIsOurs("empty messages of a websocket that wait for their turn → count more than their bytes", () =>
  useTestNode(async (node) => {
    const socket = await websocket(node);
    for (let at = 0; at < 2_000; at++) socket.send("");
    await once(socket, "close");
    await until(node, "rest", 400);
  }, LIMITS),
);

test("a message in more pieces than are kept → that websocket is closed, others are served", () =>
  useTestNode(async (node) => {
    const socket = await websocket(node);
    const closed = once(socket, "close");
    for (let at = 0; at < 3_000; at++) socket.send("x", { fin: false });
    await closed;
    expect((await fetch(`${node.rpc}/status`)).status).toBe(200);
  }));

test("room() at the budget and one past → held and not; given back, there is room again", () => {
  const arriving = new ArrivingBytes({ arrivingBytes: 10, bodyBytes: 10 });
  const [one, other] = [arriving.room(), arriving.room()];
  expect([one.hold(4), other.hold(6), other.hold(7), arriving.bytes]).toEqual([true, true, false, 10]);
  expect([one.hold(3), other.hold(7), other.hold(0), arriving.bytes]).toEqual([true, true, true, 3]);
  // A budget below one request's size: one of them still has room.
  expect(new ArrivingBytes({ arrivingBytes: 1, bodyBytes: 5 }).room().hold(5)).toBe(true);
});
